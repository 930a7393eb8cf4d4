// `run.mjs` finds what hangs, takes too much and falls over, names its case, and goes on behind it.

import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { repositoryPath } from './repository.ts';

function runCases(...args: readonly string[]): { status: number | null; output: string } {
  const command = [repositoryPath('test/fuzz/run.mjs'), ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

test.each([
  ['faulty-endless', 1, '--seed 3: no end after 1 s of CPU time'],
  // Touching so much memory takes CPU time of its own.
  ['faulty-large', 30, /--seed 3: it took 1\d\d\d MiB of memory/],
  ['faulty-heap', 30, /--seed 3: its process ended with SIG[A-Z]+\n[\s\S]*Last few GCs/],
  ['faulty-error', 30, '--seed 3: TypeError: a reader fell over'],
])(
  'a fuzz run reports the bad case of the target %s alone, and runs the cases behind it',
  (name, seconds, reported) => {
    const { status, output } = runCases('--count', '5', '--limit', `${seconds}`, name);
    expect(output).toContain(`${name.padEnd(18)}        5 cases of 1 seeds`);
    expect(output).toMatch(reported);
    expect(output).toContain(', 1 failures;');
    expect(status).toBe(1);
  },
);

test('a slice of the numbers of recordings, texts and pprof becomes extreme, and every command reads them', () => {
  const count = process.env.PERF_TS_FUZZ ?? '40';
  const targets = ['numbers', 'numbers-of-texts', 'numbers-of-pprof'];
  const { status, output } = runCases('--count', count, ...targets);
  expect(output.match(/ 0 failures;/g), output).toHaveLength(targets.length);
  expect(status, output).toBe(0);
});
