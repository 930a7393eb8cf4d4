// perf.data with 200 000 samples of ~27 frames → folded stacks, whole process.

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  compare,
  hasPerf,
  info,
  outDirectory,
  perfTs,
  stackcollapse,
  time,
  workload,
} from '../measure.mjs';

export async function rows() {
  const file = join(outDirectory, 'deep.data');
  if (!existsSync(file)) {
    const [command, ...args] = perfTs;
    // Depth 22: main or thread start, burn, deep × 23, leaf.
    const record = ['record', '-q', '-F', '30000', '-g', '-o', file, '--'];
    execFileSync(command, [...args, ...record, workload(), 'burn', '2', '4', '22']);
  }
  const { records } = info(file);
  const folded = join(outDirectory, 'deep.folded');
  const ours = () =>
    time(`${perfTs.join(' ')} export ${file} --format folded --weight samples -o ${folded}`).wall;
  const results = [];
  const samples = `${records.SAMPLE} samples`;
  const script = stackcollapse();
  if (!hasPerf() || script === null) {
    results.push({
      what: 'folded against stackcollapse-perf.pl',
      ours: 'skipped',
      note: 'needs perf and FLAMEGRAPH_DIR',
    });
  } else {
    const {
      ours: a,
      peer,
      ratio,
    } = await compare(3, ours, () => time(`perf script -i ${file} | ${script}`).wall);
    results.push({
      what: `folded, ${samples}, against perf script + stackcollapse-perf.pl`,
      ours: `${a.toFixed(2)} s`,
      peer: `${peer.toFixed(2)} s`,
      ratio: 1 / ratio,
      reach: '≥ 30× faster',
      met: 1 / ratio >= 30,
    });
  }
  if (hasPerf()) {
    const {
      ours: a,
      peer,
      ratio,
    } = await compare(
      5,
      ours,
      () => time(`perf report -i ${file} -g folded --stdio --no-children`).wall,
    );
    results.push({
      what: `folded, ${samples}, against perf report -g folded`,
      ours: `${a.toFixed(2)} s`,
      peer: `${peer.toFixed(2)} s`,
      ratio: 1 / ratio,
      reach: '> 1× faster',
      met: ratio < 1,
    });
  }
  return results;
}
