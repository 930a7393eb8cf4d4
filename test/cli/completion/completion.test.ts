// Each script is sourced by its own shell, which then completes command lines with it.

import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CLI, perfTs, scratchDirectory } from '../../helpers/cli.ts';

const folder = scratchDirectory();
writeFileSync(join(folder, 'perf-ts'), `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`);
chmodSync(join(folder, 'perf-ts'), 0o755);

function isInstalled(shell: string): boolean {
  return spawnSync(shell, ['-c', 'true']).status === 0;
}

function outputOf(shell: string, args: readonly string[], script: string): string[] {
  const { status, stdout, stderr } = spawnSync(shell, [...args, '-c', script], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: `${folder}:${process.env.PATH}`, HOME: folder, LC_ALL: 'C.UTF-8' },
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout.split('\n').filter((line) => line !== '');
}

/** bash, as readline calls the function: the line, and the place of the cursor. */
function bash(line: string): string[] {
  return outputOf(
    'bash',
    ['--norc'],
    `eval "$(perf-ts completion bash)"
    COMP_LINE='${line}' COMP_POINT=${line.length}
    _perf_ts
    printf '%s\\n' "\${COMPREPLY[@]}"`,
  );
}

function fish(line: string): string[] {
  const script = `perf-ts completion fish | source; complete -C '${line}'`;
  return outputOf('fish', ['--no-config'], script).map((each) => each.split('\t')[0]);
}

/** zsh, with what its function hands to the completion system printed in place of shown. */
function zsh(line: string): string[] {
  const words = line.split(' ').map((word) => `'${word}'`);
  const offered = outputOf(
    'zsh',
    ['-f'],
    `compdef() { : }
    compset() { : }
    compadd() { print -l -- "\${@:2}" }
    _describe() { print -l -- "\${(@)\${(@P)@[-1]}%%:*}" }
    _files() { print FILES }
    source <(perf-ts completion zsh)
    words=(${words.join(' ')}) CURRENT=${words.length}
    _perf-ts`,
  );
  const typed = line.slice(line.lastIndexOf(' ') + 1).replace(/^.*,/, '');
  return offered.filter((word) => word.startsWith(typed));
}

const SHELLS = [
  ['bash', bash],
  ['zsh', zsh],
  ['fish', fish],
] as const;

describe.each(SHELLS)('completion for %s', (shell, complete) => {
  const it = test.skipIf(!isInstalled(shell));

  it(`${shell} completes commands`, () => {
    expect(complete('perf-ts rec')).toEqual(['record']);
    expect(complete('perf-ts ')).toEqual(expect.arrayContaining(['report', 'stat', 'doctor']));
  });

  it(`${shell} completes the options of the command that was typed`, () => {
    // Fish 4 offers options that hold the typed letters in that order, too.
    const begun = (words: string) => complete(words).filter((word) => word.startsWith('--fre'));
    expect(begun('perf-ts record --fre')).toEqual(['--freq']);
    expect(begun('perf-ts export --fre')).toEqual([]);
  });

  it(`${shell} completes the values of a closed set`, () => {
    expect(complete('perf-ts export --format spe')).toEqual(['speedscope']);
    expect(complete('perf-ts completion ')).not.toContain('speedscope');
  });

  it(`${shell} completes the names of events`, () => {
    expect(complete('perf-ts stat -e context-sw')).toContain('context-switches');
    expect(complete('perf-ts record --event page-f')).toContain('page-faults');
  });

  it(`${shell} leaves the measured command's own words alone`, () => {
    expect(complete('perf-ts record -- ls --fre')).not.toContain('--freq');
  });
});

test.skipIf(!isInstalled('bash'))('bash completes the second event of a list', () => {
  expect(bash('perf-ts stat -e page-faults,context-sw')).toContain('page-faults,context-switches');
});

test.skipIf(!isInstalled('bash'))('bash completes a value that follows =', () => {
  expect(bash('perf-ts export --format=fire')).toEqual(['firefox']);
});

test('completion refuses a shell that it has no script for', () => {
  const { status, stderr } = perfTs(['completion', 'tcsh']);
  expect(status).toBe(2);
  expect(stderr).toContain('bash, zsh, fish');
});
