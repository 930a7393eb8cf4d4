// Measures what recording costs the program that is recorded: user + system time of a Node program alone, with names
// alone (10 Hz), at the default rate, and under `perf record` and `--cpu-prof` at theirs, in turn; medians of the
// ratios to the run alone of the same round. The recorder's own time is not in it.
//
//     node bench/program-cost.mjs [--rounds N] [--node PATH] SCRIPT [ARGUMENT…]       default 7 rounds, this Node

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { hasPerf, median, perfTs } from './measure.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '7' },
    node: { type: 'string', default: process.execPath },
  },
});
const [script, ...given] = positionals;
if (script === undefined) throw new Error('usage: node bench/program-cost.mjs SCRIPT [ARGUMENT…]');
const program = [resolve(script), ...given];
const scratch = mkdtempSync(join(tmpdir(), 'perf-ts-cost-'));
const times = join(scratch, 'times');
const data = join(scratch, 'perf.data');
const record = [...perfTs, 'record', '-q', '--node-flags', '-o', data];
const perf = ['perf', 'record', '-q', '-F', '3989', '-g', '-o', data];
const profile = ['--cpu-prof', '--cpu-prof-dir', scratch];
const VARIANTS = {
  alone: [],
  'record -F 10': [...record, '-F', '10', '--'],
  'record -F 999': [...record, '-F', '999', '--'],
  record: [...record, '--'],
  'record --no-node-flags': [...perfTs, 'record', '-q', '--no-node-flags', '-g', '-o', data, '--'],
  ...(hasPerf() ? { 'perf record -F 3989 -g': [...perf, '--'] } : {}),
  '--cpu-prof': [],
};

/** User + system seconds of the program, as the shell that waits for it has them. */
function runOnce(name) {
  const timed = `TIMEFORMAT='%U %S'; { time "$@" >/dev/null 2>&1 ; } 2>${times}`;
  const node = [values.node, ...(name === '--cpu-prof' ? profile : []), ...program];
  const [command, ...args] = [...VARIANTS[name], 'bash', '-c', timed, 'bash', ...node];
  rmSync(times, { force: true });
  // `perf record` may end with an error behind the program, which has been timed then.
  spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const [user, system] = readFileSync(times, 'utf8').split(' ').map(Number);
  return user + system;
}

const names = Object.keys(VARIANTS);
const seconds = Object.fromEntries(names.map((name) => [name, []]));
for (let round = 0; round <= Number(values.rounds); round++) {
  for (const name of round % 2 === 0 ? names : names.toReversed()) {
    const taken = runOnce(name);
    // The first round finds files that no later one has to read.
    if (round > 0) seconds[name].push(taken);
  }
}
for (const name of names) {
  const ratios = seconds[name].map((taken, round) => taken / seconds.alone[round]);
  console.log(
    `${name.padEnd(24)} ${median(seconds[name]).toFixed(3)} s, ${median(ratios).toFixed(2)}× ` +
      `(${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`,
  );
}
rmSync(scratch, { recursive: true });
