// Counts of perf-ts stat and of perf stat side by side, on the same commands, in turn.
//
//     node bench/stat.mjs [RUNS]       the build must be there (npm run build); default 7 runs
//
// Every software event that the kernel has, and tracepoints. Programs that make a known number of an
// event show whether the number is right; for the rest the spread of one tool says how much the other
// may differ. Exit status 1 if a row differs by more than both tools' own spread allows.

import { spawnSync } from 'node:child_process';
import { hasPerf, perfTs, workload } from './measure.mjs';

const runs = Number(process.argv[2] ?? 7);
const program = workload();

/** Event, command, and how many of it the command makes beyond its start-up (null: not known). */
const ROWS = [
  ['page-faults', ['pf', '10000'], 10000],
  ['page-faults', ['pf', '30000'], 30000],
  ['minor-faults', ['pf', '10000'], 10000],
  ['major-faults', ['pf', '1000'], 0],
  ['context-switches', ['bursts', '20', '1', '1'], null],
  ['cpu-migrations', ['burn', '2', '0.1'], null],
  ['alignment-faults', ['exit', '0'], 0],
  ['emulation-faults', ['exit', '0'], 0],
  ['cgroup-switches', ['burn', '1', '0.05'], null],
  ['task-clock', ['burn', '1', '0.1'], null],
  ['cpu-clock', ['burn', '1', '0.1'], null],
  ['raw_syscalls:sys_enter', ['sys', '20000'], 20000],
  ['syscalls:sys_enter_getppid', ['sys', '20000'], 20000],
  ['sched:sched_process_fork', ['forks', '50'], 50],
  ['sched:sched_process_exit', ['forks', '50'], 51],
  ['sched:sched_switch', ['bursts', '20', '1', '1'], null],
  ['exceptions:page_fault_user', ['pf', '5000'], 5000],
];

/** Clocks differ by how long the machine let the command run. */
const LOOSE = new Map([
  ['task-clock', 0.1],
  ['cpu-clock', 0.1],
]);

let failures = 0;
const theirs = hasPerf();
console.log(`median of ${runs} runs, least … most\n`);
console.log('| event | command | known | perf-ts stat | perf stat | difference | within |');
console.log('| --- | --- | --- | --- | --- | --- | --- |');
for (const [event, args, known] of ROWS) {
  const command = [program, ...args];
  const ours = [];
  const peer = [];
  for (let i = 0; i < runs; i++) {
    ours.push(countOf([...perfTs, 'stat', '-x,', '-e', event, '--', ...command]));
    if (theirs) peer.push(countOf(['perf', 'stat', '-x,', '-e', event, '--', ...command]));
  }
  console.log(
    `| ${[event, args.join(' '), known ?? '', ...compare(event, ours, peer)].join(' | ')} |`,
  );
}
console.log(`\n${failures} rows differ`);
process.exitCode = failures > 0 ? 1 : 0;

/** The count in the first field of the event's line; null where it was not counted. */
function countOf(words) {
  const { stderr } = spawnSync(words[0], words.slice(1), { encoding: 'utf8' });
  const line = stderr.split('\n').find((text) => /^(?:[\d.]+|<[^>]*>|),/.test(text));
  const first = line?.split(',')[0] ?? '';
  return /^[\d.]+$/.test(first) ? Number(first) : null;
}

function compare(event, ours, peer) {
  const a = summary(ours);
  const b = summary(peer);
  if (a === null || b === null) {
    if ((a === null) !== (b === null) && theirs) failures++;
    return [show(a), theirs ? show(b) : 'no perf', '', a === b ? 'both' : ''];
  }
  const difference = a.median - b.median;
  const spread = Math.max(a.most - a.least, b.most - b.least);
  const allowed = Math.max(5, spread, (LOOSE.get(event) ?? 0) * b.median);
  const isWithin = Math.abs(difference) <= allowed;
  if (!isWithin) failures++;
  return [show(a), show(b), round(difference), isWithin ? 'yes' : 'NO'];
}

function summary(values) {
  const known = values.filter((value) => value !== null).sort((a, b) => a - b);
  if (known.length === 0) return null;
  return { median: known[known.length >> 1], least: known[0], most: known.at(-1) };
}

function show(found) {
  if (found === null) return 'not counted';
  const { median, least, most } = found;
  return least === most ? round(median) : `${round(median)} (${round(least)} … ${round(most)})`;
}

function round(value) {
  return String(Math.round(value * 100) / 100);
}
