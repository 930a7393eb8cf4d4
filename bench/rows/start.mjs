// Start-up: what is printed at once, and the first line of a small report, against an empty Node.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { compare, costRow, outDirectory, perfTs } from '../measure.mjs';

const PAIRS = 15;

export async function rows() {
  const [command, ...args] = perfTs;
  const small = join(outDirectory, 'small.data');
  const loop = 'i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done';
  execFileSync(command, [
    ...args,
    'record',
    '-q',
    '-F',
    '999',
    '-o',
    small,
    '--',
    'sh',
    '-c',
    loop,
  ]);
  const empty = () => secondsToEnd(process.execPath, ['-e', '0']);
  const rowsOf = [
    ['--version', () => secondsToEnd(command, [...args, '--version']), 1.25],
    ['--help', () => secondsToEnd(command, [...args, '--help']), 1.4],
    ['report --help', () => secondsToEnd(command, [...args, 'report', '--help']), 1.5],
    [
      'first line of report, small file',
      () => secondsToFirstLine(command, [...args, 'report', small]),
      2.5,
    ],
  ];
  const results = [];
  for (const [what, ours, factor] of rowsOf) {
    results.push(costRow(`${what}, against node -e 0`, await compare(PAIRS, ours, empty), factor));
  }
  return results;
}

/** Wall-clock seconds from the start of a command until it has ended. */
async function secondsToEnd(command, args) {
  const start = performance.now();
  await once(spawn(command, args, { stdio: 'ignore' }), 'exit');
  return (performance.now() - start) / 1000;
}

/** Wall-clock seconds from the start of a command until its first output. */
async function secondsToFirstLine(command, args) {
  const start = performance.now();
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  const seconds = (performance.now() - start) / 1000;
  child.stdout.resume();
  await ended;
  return seconds;
}
