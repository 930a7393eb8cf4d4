// perf.data with 200 000 samples of ~27 frames → folded stacks, whole process.

import { join } from 'node:path';
import {
  compare,
  fasterRow,
  hasPerf,
  missingRow,
  outDirectory,
  perfTs,
  recordAtLeast,
  stackcollapse,
  time,
} from '../measure.mjs';

export async function rows() {
  const file = join(outDirectory, 'deep.data');
  // Depth 22: main or thread start, burn, deep × 23, leaf.
  const samples = `${recordAtLeast(200_000, 30_000, 22, file)} samples`;
  const folded = join(outDirectory, 'deep.folded');
  const ours = () =>
    time(`${perfTs.join(' ')} export ${file} --format folded --weight samples -o ${folded}`).wall;
  const results = [];
  const script = stackcollapse();
  if (!hasPerf()) return [missingRow('folded', 'perf')];
  const against = (peer) => `folded, ${samples}, against ${peer}`;
  if (script === null) {
    results.push(missingRow(against('perf script + stackcollapse-perf.pl'), 'stackcollapse'));
  } else {
    const peer = () => time(`perf script -i ${file} | ${script}`).wall;
    const what = against('perf script + stackcollapse-perf.pl');
    results.push(fasterRow(what, await compare(3, ours, peer), 50));
  }
  const peer = () => time(`perf report -i ${file} -g folded --stdio --no-children`).wall;
  results.push(fasterRow(against('perf report -g folded'), await compare(9, ours, peer), 2));
  return results;
}
