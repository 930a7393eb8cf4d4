// Lost samples at full rate on two busy CPUs, and the rate that was reached.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { hasPerf, info, outDirectory, perfStats, perfTs, workload } from '../measure.mjs';

const SECONDS = 30;

export async function rows() {
  const program = workload();
  const results = [];
  for (const hz of [30_000, 99_999]) {
    const ours = join(outDirectory, `loss-${hz}.data`);
    const [command, ...args] = perfTs;
    const target = ['--', program, 'burn', '2', String(SECONDS)];
    const flags = ['-q', '-e', 'cpu-clock', '-F', String(hz), '-g'];
    execFileSync(command, [...args, 'record', ...flags, '-o', ours, ...target], {
      stdio: 'ignore',
    });
    const mine = info(ours);
    let peer = '';
    if (hasPerf()) {
      const file = join(outDirectory, `loss-${hz}-perf.data`);
      execFileSync('perf', ['record', ...flags, '-o', file, ...target], { stdio: 'ignore' });
      const stats = perfStats(file);
      peer = `${stats.LOST_SAMPLES ?? 0} LOST_SAMPLES records, ${stats.LOST ?? 0} LOST, ${stats.SAMPLE} samples`;
    }
    results.push({
      what: `lost, cpu-clock -F ${hz} -g, 2 busy CPUs, ${SECONDS} s`,
      ours: `${mine.loss.best} of ${mine.records.SAMPLE}`,
      peer,
      reach: '0',
      met: mine.loss.best === 0,
    });
  }
  return results;
}
