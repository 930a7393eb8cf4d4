// Attaching to 1 000 threads for a second: how long the whole command takes.

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
  const what = 'attach to 1 000 threads for 1 s, whole command';
  if (!hasPerf()) return [missingRow(what, 'perf')];
  const target = background(workload(), ['threads', '1000', '600']);
  try {
    const flags = `-q -e cpu-clock -F 1000 -p ${target.pid}`;
    const ours = () =>
      time(
        `${perfTs.join(' ')} record ${flags} --duration 1 -o ${join(outDirectory, 'attach.data')}`,
      ).wall;
    const peer = () =>
      time(`perf record ${flags} -o ${join(outDirectory, 'attach-perf.data')} -- sleep 1`).wall;
    return [costRow(what, await compare(3, ours, peer), 1)];
  } finally {
    await target.stop();
  }
}
