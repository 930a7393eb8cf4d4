// perf.data with 200 000 samples of ~27 frames → the report, whole process.

import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  compare,
  costRow,
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
  const ours = () => time(`${perfTs.join(' ')} report ${file}`).wall;
  const again = await compareAgain(file, ours);
  if (!hasPerf()) return [missingRow(what, 'perf'), again];
  const peer = () => time(`perf report -i ${file} --stdio -g none`).wall;
  return [fasterRow(what, await compare(9, ours, peer), 0.8), again];
}

/** The same file once more, with the profile that the report before has kept, against reading it and finding names anew. */
async function compareAgain(file, anew) {
  const cache = mkdtempSync(join(outDirectory, 'cache-'));
  const variables = `env -u PERF_TS_NO_CACHE XDG_CACHE_HOME=${cache}`;
  const again = () => time(`${variables} ${perfTs.join(' ')} report ${file}`).wall;
  try {
    again();
    return costRow('second report of the same file', await compare(9, again, anew), 0.4);
  } finally {
    rmSync(cache, { recursive: true });
  }
}
