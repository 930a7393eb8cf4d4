// The recorder's own CPU time (user + system, start-up of Node included): attach to two busy
// threads for 10 s at 30 kHz with call stacks.

import { join } from 'node:path';
import {
  background,
  compare,
  costRow,
  hasPerf,
  missingRow,
  outDirectory,
  perfTs,
  time,
  workload,
} from '../measure.mjs';

export async function rows() {
  if (!hasPerf()) return [missingRow('recorder CPU time', 'perf')];
  const target = background(workload(), ['burn', '2', '600']);
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
    const results = [];
    for (const [flags, reach] of [
      ['', 0.6],
      ['-B', 1.0],
    ]) {
      const what = `recorder CPU, 10 s at 30 kHz, against perf record ${flags}`.trim();
      results.push(costRow(what, await compare(3, ours, peer(flags)), reach));
    }
    return results;
  } finally {
    await target.stop();
  }
}
