// 1 and 10 million samples of ~27 frames → folded stacks: time and memory, whole process. The
// recordings, 3 GB, are made and removed here.

import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { compare, costRow, outDirectory, perfTs, recordAtLeast, root, time } from '../measure.mjs';
import { scaleRecording } from '../scale.mjs';

const MILLION = 1_000_000;
const MOST_BYTES = 500e6;

export async function rows() {
  const deep = join(outDirectory, 'deep.data');
  recordAtLeast(200_000, 30_000, 22, deep);
  const [small, large] = [1, 10].map((millions) => join(outDirectory, `deep-${millions}m.data`));
  const peak = join(outDirectory, 'peak');
  const [node, ...program] = perfTs;
  const folded = (file) => () => {
    const loaded = [node, '--import', join(root, 'bench/print-peak.mjs'), ...program].join(' ');
    const out = join(outDirectory, 'deep.folded');
    const command = `${loaded} export ${file} --format folded --weight samples -o ${out}`;
    return time(`PEAK_FILE=${peak} ${command}`).wall;
  };
  try {
    if (!existsSync(small)) scaleRecording(deep, small, MILLION);
    if (!existsSync(large)) scaleRecording(deep, large, 10 * MILLION);
    const compared = await compare(3, folded(large), folded(small));
    folded(large)();
    const bytes = Number(readFileSync(peak, 'utf8'));
    return [
      costRow('folded, 10 000 000 samples, against 1 000 000', compared, 11),
      {
        what: 'folded, 10 000 000 samples: memory',
        ours: `${Math.round(bytes / 1e6)} MB`,
        reach: `≤ ${MOST_BYTES / 1e6} MB`,
        met: bytes <= MOST_BYTES,
      },
    ];
  } finally {
    for (const file of [small, large, peak]) rmSync(file, { force: true });
  }
}
