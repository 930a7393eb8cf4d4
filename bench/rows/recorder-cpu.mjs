// The recorder's own CPU time (user + system, start-up of Node included): attach to two busy
// threads for 10 s at 30 kHz with call stacks. And what a million samples more cost: the difference of a recording of
// 8 s and one of 2 s, in which start and end drop out.

import { join } from 'node:path';
import {
  background,
  compare,
  costRow,
  hasPerf,
  info,
  missingRow,
  outDirectory,
  perfTs,
  time,
  workload,
} from '../measure.mjs';

/** Threads of the program, and flags of both recorders that decide how many rings there are. */
const RINGS = [
  ['a ring for each of the CPUs', 2, ''],
  ['64 rings of threads', 64, '--per-thread'],
];
const FEW_SECONDS = 2;
const MANY_SECONDS = 8;

export async function rows() {
  if (!hasPerf()) return [missingRow('recorder CPU time', 'perf')];
  const target = background(workload(), ['burn', '2', '600']);
  const results = [];
  try {
    const at = (name) => join(outDirectory, name);
    const ours = () =>
      time(
        `${perfTs.join(' ')} record -q -F 30000 -g -p ${target.pid} --duration 10 -o ${at('cpu-ours.data')}`,
      ).cpu;
    const peer = (flags) => () =>
      time(
        `perf record ${flags} -q -F 30000 -g -p ${target.pid} -o ${at('cpu-perf.data')} -- sleep 10`,
      ).cpu;
    for (const [flags, reach] of [
      ['', 0.6],
      ['-B', 1.0],
    ]) {
      const what = `recorder CPU, 10 s at 30 kHz, against perf record ${flags}`.trim();
      results.push(costRow(what, await compare(3, ours, peer(flags)), reach));
    }
  } finally {
    await target.stop();
  }
  for (const [rings, threads, flags] of RINGS) {
    results.push(await marginalRow(rings, threads, `-q -F 30000 -g ${flags}`));
  }
  return results;
}

/** The row of a million samples more. */
async function marginalRow(rings, threads, flags) {
  const target = background(workload(), ['burn', `${threads}`, '3600']);
  const file = join(outDirectory, 'cpu-marginal.data');
  const measure = (recorder, seconds) => {
    const { cpu } = time(`${recorder} ${flags} -p ${target.pid} -o ${file} -- sleep ${seconds}`);
    return { cpu, samples: info(file).records.SAMPLE };
  };
  const perMillion = (recorder) => () => {
    const few = measure(recorder, FEW_SECONDS);
    const many = measure(recorder, MANY_SECONDS);
    return (1e6 * (many.cpu - few.cpu)) / (many.samples - few.samples);
  };
  try {
    const ours = perMillion(`${perfTs.join(' ')} record`);
    const compared = await compare(5, ours, perMillion('perf record -B'));
    const what = `recorder CPU per million samples more, ${rings}, against perf record -B`;
    return costRow(what, compared, 1);
  } finally {
    await target.stop();
  }
}
