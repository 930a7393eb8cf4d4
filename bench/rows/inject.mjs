// A recording of several hundred MB of copied stacks: written again without them, and read as a pipe.
// Memory must not grow with the recording.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { hasPerf, missingRow, outDirectory, perfTs, workload } from '../measure.mjs';

const MOST_MIB = 256;

export async function rows() {
  if (!hasPerf()) return [missingRow('stack copies', 'perf')];
  const file = join(outDirectory, 'stack-copies.data');
  if (!existsSync(file)) {
    const flags = ['-q', '-e', 'cpu-clock:u', '-F', '8000', '--call-graph', 'dwarf,32768'];
    const burn = [workload(), 'burn', '2', '4', '22'];
    execFileSync('perf', ['record', ...flags, '-m', '4096', '-o', file, '--', ...burn]);
  }
  const bytes = statSync(file).size;
  const size = `${(bytes / 1e6).toFixed(0)} MB of copied stacks`;
  const row = (what, run) => {
    const { seconds, peakMiB } = run;
    return {
      what: `${what}, ${size}`,
      ours: `${(bytes / 1e6 / seconds).toFixed(0)} MB/s, peak ${peakMiB.toFixed(0)} MiB`,
      reach: `≤ ${MOST_MIB} MiB`,
      met: peakMiB <= MOST_MIB,
    };
  };
  const small = join(outDirectory, 'stack-copies-small.data');
  return [
    row('inject --strip-kernel', measure(`inject --strip-kernel -i ${file} -o ${small}`)),
    row('info', measure(`info --json ${file}`)),
    row('info of a pipe', measure('info --json -', file)),
  ];
}

/** Wall-clock seconds and the largest resident set of one command; of a pipe from `input`. */
function measure(args, input) {
  const command = `${input ? `cat ${input} | ` : ''}/usr/bin/time -f '%e %M' ${perfTs.join(' ')} ${args}`;
  const run = spawnSync('sh', ['-c', `${command} >/dev/null`], { encoding: 'utf8' });
  const [seconds, kilobytes] = run.stderr.trim().split('\n').at(-1).split(' ').map(Number);
  if (run.status !== 0) throw new Error(run.stderr);
  return { seconds, peakMiB: kilobytes / 1024 };
}
