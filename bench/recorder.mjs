// node bench/recorder.mjs [SECONDS [RUNS]]: what recording itself costs, by way of recording, beside perf.
//
// It prints the recorder's CPU time in all and per million samples, how often it was woken, its greatest memory,
// and bytes of the file per sample. Medians of RUNS runs in turn. Needs GNU time (Debian's package `time`).

import { join } from 'node:path';
import { background, hasPerf, median, outDirectory, perfTs, workload } from './measure.mjs';
import { measureRecorder } from './recorder-cost.mjs';

const seconds = Number(process.argv[2] ?? 5);
const runs = Number(process.argv[3] ?? 3);
const program = workload();
const file = join(outDirectory, 'recorder.data');

/**
 * Busy threads of the target, which is attached to: GNU time counts the children of a recorder as well. Options
 * that both recorders have, and those of ours alone.
 */
const CASES = [
  { what: '1 thread, 1 kHz -g', threads: 1, options: ['-F', '1000', '-g'] },
  { what: '2 threads, 30 kHz -g', threads: 2, options: ['-F', '30000', '-g'] },
  {
    what: '2 threads, 30 kHz -g --counts',
    threads: 2,
    options: ['-F', '30000', '-g'],
    ours: ['--counts'],
  },
  {
    what: '2 threads, 1 kHz, dumps of 8 KiB',
    threads: 2,
    options: ['-F', '1000', '--call-graph', 'dwarf,8192'],
  },
  {
    what: '64 threads, a ring each, 1 kHz -g',
    threads: 64,
    options: ['--per-thread', '-F', '1000', '-g'],
  },
];

const RECORDERS = [
  { name: 'perf-ts', command: [...perfTs, 'record', '-q'], isOurs: true },
  { name: 'perf', command: ['perf', 'record', '-q'] },
  { name: 'perf -B', command: ['perf', 'record', '-q', '-B'] },
];

async function main() {
  const recorders = hasPerf() ? RECORDERS : RECORDERS.slice(0, 1);
  console.log(`${seconds} s each, medians of ${runs}\n`);
  console.log(
    '| recording | recorder | samples | CPU s | CPU s per million | woken | MiB | bytes a sample |',
  );
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- |');
  for (const one of CASES) await printCase(one, recorders);
}

async function printCase({ what, threads, options, ours = [] }, recorders) {
  const measured = new Map(recorders.map(({ name }) => [name, []]));
  const target = background(program, ['burn', `${threads}`, '3600', '5']);
  for (let run = 0; run < runs; run++) {
    for (const { name, command, isOurs } of recorders) {
      const words = [...command, ...options, ...(isOurs ? ours : []), '-o', file];
      const whom = ['-p', `${target.pid}`, '--', 'sleep', `${seconds}`];
      measured.get(name).push(measureRecorder([...words, ...whom], file));
    }
  }
  await target.stop();
  for (const [name, results] of measured) {
    const of = (key) => median(results.map((result) => result[key]));
    const perMillion = (1e6 * of('cpu')) / of('samples');
    console.log(
      `| ${what} | ${name} | ${of('samples')} | ${of('cpu').toFixed(2)} | ${perMillion.toFixed(2)} | ${of('woken')} ` +
        `| ${of('mebibytes').toFixed(0)} | ${(of('bytes') / of('samples')).toFixed(0)} |`,
    );
  }
}

await main();
