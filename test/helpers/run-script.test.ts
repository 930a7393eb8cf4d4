// test/run.sh on machines that lack something: what it says before it does anything.

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { projectRoot, scratchDirectory } from './cli.ts';

const scratch = scratchDirectory();

/** Runs a script of test/ where these programs are all there is. */
function run(script: string, programs: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(scratch, 'path-'));
  for (const [name, target] of Object.entries(programs)) symlinkSync(target, join(folder, name));
  const { status, stdout, stderr } = spawnSync('/bin/bash', [join(projectRoot, 'test', script)], {
    env: { PATH: folder },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

function fakeNode(version: string): string {
  const path = join(scratch, `node-${version}`);
  writeFileSync(path, `#!/bin/sh\n[ "$1" = --version ] && echo ${version} && exit 0\nexit 1\n`);
  chmodSync(path, 0o755);
  return path;
}

const DIRNAME = { dirname: '/usr/bin/dirname' };

describe('test/run.sh ends at once, with a sentence,', () => {
  test('test/run.sh stops where there is no Node', () => {
    const { status, stdout, stderr } = run('run.sh', DIRNAME);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toBe('perf-ts needs Node 20.19 or newer; there is no node on PATH\n');
  });

  test('test/run.sh stops at an option that it does not have', () => {
    const words = [join(import.meta.dirname, '../run.sh'), '--everything'];
    const { status, stderr } = spawnSync('bash', words, { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: 'usage: bash test/run.sh [--all]\n',
    });
  });

  test('test/run.sh stops where Node is too old', () => {
    const { status, stdout, stderr } = run('run.sh', { ...DIRNAME, node: fakeNode('v18.20.4') });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^perf-ts needs Node 20\.19 or newer; \S*\/node is v18\.20\.4\n$/);
  });

  test('test/run.sh stops where there is no npm', () => {
    const { status, stdout, stderr } = run('run.sh', { ...DIRNAME, node: process.execPath });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^perf-ts needs npm, .*; there is no npm on PATH.*\n$/);
  });
});

describe('test/tools.sh without the right to install', () => {
  const basics = { ...DIRNAME, id: '/usr/bin/id', grep: '/bin/grep' };

  test('test/tools.sh names missing tools, and fails where nothing can be built', () => {
    const { status, stdout, stderr } = run('tools.sh', basics);
    expect(status).toBe(1);
    expect(stdout).toContain('missing here: g++ make python3');
    expect(stderr).toBe(
      'perf-ts cannot be built here without g++ make python3: install the above and try again\n',
    );
  });

  test('test/tools.sh continues where only tests need the missing tools', () => {
    const build = { 'g++': '/bin/true', make: '/bin/true', python3: '/bin/true' };
    const { status, stdout, stderr } = run('tools.sh', { ...basics, ...build });
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('missing here: binutils');
  });
});
