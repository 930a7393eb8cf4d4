// Nodes that begin while a recording runs, and get another environment than the recording has made.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { perfTs, scratchDirectory } from '../helpers/cli.ts';
import { describeLive } from '../helpers/live.ts';

const scratch = scratchDirectory();

/** Works until it has the library, or for so many turns that it gets none; then for some more. */
const WORK = `
const { createHook } = require('node:async_hooks');
const isTakenIn = () =>
  Object.getOwnPropertySymbols(createHook).some(({ description }) => description.startsWith('perf-ts '));
function warm(n) { let sum = 0; for (let i = 0; i < n; i++) sum += Math.sqrt(i) * (i % 7); return sum; }
let left = 40000;
let isLate = false;
const turn = () => {
  for (let i = 0; i < 10; i++) warm(20000);
  if (!isLate && isTakenIn()) {
    isLate = true;
    left = 500;
  }
  if (left-- > 0) setImmediate(turn);
  else console.log(isLate ? 'taken in' : 'not taken in', process.env.NODE_OPTIONS);
};
turn();
`;

function record(command: readonly string[], ...options: readonly string[]) {
  const file = join(scratch, 'late.data');
  const flags = ['-g', '-e', 'cpu-clock:u', '-F', '997', '-o', file];
  const run = perfTs(['record', ...flags, ...options, '--', ...command], {
    env: { ...process.env, NODE_OPTIONS: undefined, NODE: process.execPath },
  });
  expect(run.status, run.stderr).toBe(0);
  return { run, report: perfTs(['report', file]).stdout };
}

function script(name: string, text: string): string {
  const path = join(scratch, name);
  writeFileSync(path, text, { mode: 0o755 });
  return path;
}

describeLive('Nodes that begin without the preload', () => {
  const work = script('late.cjs', WORK);
  const shell = script(
    'late.sh',
    `#!/bin/sh\n"$NODE" -e 0\nNODE_OPTIONS=--no-warnings "$NODE" ${work}\n`,
  );

  it('Nodes without the preload are asked through their inspector where that is allowed, and only they', () => {
    const { run, report } = record([shell], '--node-flags', '--attach-js');
    expect(run.stdout).toBe('taken in --no-warnings\n');
    expect(run.stderr.match(/reports its JavaScript/g)).toHaveLength(1);
    expect(report).toMatch(/late\.cjs:5 +warm$/m);
  });

  it('Nodes that an attached program starts are asked as well', async () => {
    const parent = script(
      'parent.cjs',
      `${WORK.slice(0, WORK.indexOf('function warm'))}
      const wait = setInterval(() => {
        if (!isTakenIn()) return;
        clearInterval(wait);
        const child = require('node:child_process').spawn(process.execPath, [${JSON.stringify(work)}], {
          stdio: ['ignore', 'inherit', 'ignore'],
          env: {},
        });
        child.on('exit', () => process.exit());
      }, 10);
      console.log('begun');`,
    );
    const env = { ...process.env, NODE_OPTIONS: '' };
    const program = spawn(process.execPath, [parent], { env, stdio: ['ignore', 'pipe', 'ignore'] });
    let stdout = '';
    program.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    await once(program.stdout, 'data');
    const file = join(scratch, 'children.data');
    const flags = ['-g', '-e', 'cpu-clock:u', '-F', '997', '-o', file, '-p', `${program.pid}`];
    const run = perfTs(['record', ...flags, '--attach-js']);
    expect(run.status, run.stderr).toBe(0);
    if (!program.stdout.closed) await once(program.stdout, 'close');
    expect(stdout).toBe('begun\ntaken in undefined\n');
    expect(run.stderr.match(/reports its JavaScript/g)).toHaveLength(2);
    expect(perfTs(['report', file]).stdout).toMatch(/late\.cjs:5 +warm$/m);
  });

  it('Nodes without the preload are left alone otherwise, with the reason and what helps', () => {
    const { run } = record(
      [
        script(
          'short.sh',
          `#!/bin/sh\nNODE_OPTIONS= "$NODE" -e 'for (let i = 0; i < 1e8; i++);'\n`,
        ),
      ],
      '--node-flags',
    );
    expect(run.stderr).not.toContain('Debugger');
    expect(run.stderr).toContain('what started it replaced NODE_OPTIONS');
    expect(run.stderr).toContain('--attach-js');
  });
});
