// Lost samples at full rate on two busy CPUs, and the rate that was reached per CPU.

import { join } from 'node:path';
import { hasPerf, outDirectory, recordBoth, workload } from '../measure.mjs';

const SECONDS = 30;

export async function rows() {
  const program = workload();
  const results = [];
  for (const hz of [30_000, 99_999]) {
    const flags = ['-q', '-e', 'cpu-clock', '-F', String(hz), '-g'];
    const target = [program, 'burn', '2', String(SECONDS)];
    const { ours, peer } = recordBoth(join(outDirectory, `loss-${hz}`), flags, target);
    const figure = ({ samples, lost }) =>
      `${lost} of ${samples} (${(samples / SECONDS / 2 / 1000).toFixed(1)} kHz a CPU)`;
    results.push({
      what: `lost, cpu-clock -F ${hz} -g, 2 busy CPUs, ${SECONDS} s`,
      ours: figure(ours),
      peer: hasPerf() ? figure(peer) : '',
      reach: '0',
      met: ours.lost === 0,
    });
  }
  return results;
}
