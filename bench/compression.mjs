// node bench/compression.mjs [SECONDS [RUNS]]: what `record -z` saves and costs, beside perf's.
//
// Bytes and the recorder's CPU time per sample, and the share that was lost, with and without compression. The target
// is attached to, and keeps all CPUs busy, so that compressing competes with it. Medians of RUNS runs in turn. Needs
// GNU time (Debian's package `time`).

import { join } from 'node:path';
import {
  background,
  hasPerf,
  info,
  median,
  outDirectory,
  perfTs,
  root,
  workload,
} from './measure.mjs';
import { measureRecorder } from './recorder-cost.mjs';

const seconds = Number(process.argv[2] ?? 5);
const runs = Number(process.argv[3] ?? 3);
const file = join(outDirectory, 'compression.data');

const C_THREADS = [workload(), 'burn', '2', '3600', '5'];
const NODE = [process.execPath, join(root, 'bench/unwind-node.cjs'), '3600'];

const CASES = [
  { what: 'C, 10 kHz -g', target: C_THREADS, options: ['-F', '10000', '-g'] },
  {
    what: 'C, 1 kHz, dumps of 8 KiB',
    target: C_THREADS,
    options: ['-F', '1000', '--call-graph', 'dwarf,8192'],
  },
  {
    what: 'Node, 1 kHz, dumps of 8 KiB',
    target: NODE,
    options: ['-F', '1000', '--call-graph', 'dwarf,8192'],
  },
  {
    what: 'Node, 4 kHz, dumps of 24 KiB',
    target: NODE,
    options: ['-F', '4000', '--call-graph', 'dwarf,24576'],
  },
];

/** Without copying and compressing what the end of a recording adds is alike for all ways. */
const OURS = [...perfTs, 'record', '-q', '-N', '--no-attach-js', '-e', 'cpu-clock'];
const PERF = ['perf', 'record', '-q', '-N', '-e', 'cpu-clock'];
const WAYS = [
  { name: 'perf-ts', command: OURS },
  { name: 'perf-ts -z', command: [...OURS, '-z'] },
  { name: 'perf-ts -z9', command: [...OURS, '-z9'] },
  { name: 'perf', command: PERF, isPerf: true },
  { name: 'perf -z', command: [...PERF, '-z'], isPerf: true },
];

async function main() {
  const ways = hasPerf() ? WAYS : WAYS.filter(({ isPerf }) => isPerf !== true);
  console.log(`${seconds} s each, medians of ${runs}\n`);
  console.log('| recording | recorder | samples | lost | bytes a sample | CPU µs a sample | MiB |');
  console.log('| --- | --- | --- | --- | --- | --- | --- |');
  for (const one of CASES) await printCase(one, ways);
}

async function printCase({ what, target, options }, ways) {
  const measured = new Map(ways.map(({ name }) => [name, []]));
  const [program, ...args] = target;
  const running = background(program, args);
  for (let run = 0; run < runs; run++) {
    for (const { name, command } of ways) {
      const whom = ['-p', `${running.pid}`, '--', 'sleep', `${seconds}`];
      const cost = measureRecorder([...command, ...options, '-o', file, ...whom], file);
      measured.get(name).push({ ...cost, lost: info(file).loss.best });
    }
  }
  await running.stop();
  for (const [name, results] of measured) {
    const of = (figure) => median(results.map(figure));
    const lost = of(({ lost, samples }) => lost / (lost + samples));
    console.log(
      `| ${what} | ${name} | ${of(({ samples }) => samples)} | ${(100 * lost).toFixed(1)} % ` +
        `| ${of(({ bytes, samples }) => bytes / samples).toFixed(0)} ` +
        `| ${of(({ cpu, samples }) => (1e6 * cpu) / samples).toFixed(1)} ` +
        `| ${of(({ mebibytes }) => mebibytes).toFixed(0)} |`,
    );
  }
}

await main();
