// perf.data with 200 000 samples of ~27 frames → the report, whole process.

import { join } from 'node:path';
import {
  compare,
  fasterRow,
  hasPerf,
  missingRow,
  outDirectory,
  perfTs,
  recordAtLeast,
  time,
} from '../measure.mjs';

export async function rows() {
  const file = join(outDirectory, 'deep.data');
  const samples = recordAtLeast(200_000, 30_000, 22, file);
  const what = `report, ${samples} samples, against perf report --stdio -g none`;
  if (!hasPerf()) return [missingRow(what, 'perf')];
  const ours = () => time(`${perfTs.join(' ')} report ${file}`).wall;
  const peer = () => time(`perf report -i ${file} --stdio -g none`).wall;
  return [fasterRow(what, await compare(9, ours, peer), 0.8)];
}
