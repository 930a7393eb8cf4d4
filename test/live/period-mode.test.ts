// One sample every N events, exactly. A software event with PERF_SAMPLE_PERIOD beside a fixed
// period would be sampled at every event instead; these tests would see that at once.

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { onlineCpus } from '../../src/system/kernel/online-cpus.ts';
import { accounted, infoOf, perfTs, scratchDirectory } from '../helpers/cli.ts';
import { compileWorkload } from '../helpers/compile.ts';
import { describeLive } from '../helpers/live.ts';
import { usableCpus } from '../helpers/tasks.ts';

const scratch = scratchDirectory();
const FAULTS = 204_800;

/** Samples that the kernel took, in the file or where its ring was full, and events that its counters counted. */
function recorded(name: string, count: number, under: readonly string[]) {
  const file = join(scratch, `${name}.data`);
  const flags = ['-e', 'page-faults:u', '-c', String(count), '-o', file];
  const command = [compileWorkload(), 'pf', String(FAULTS)];
  const outcome = perfTs(['record', '-q', ...flags, '--', ...command], { under });
  expect(outcome.status).toBe(0);
  return { samples: accounted(file), counted: infoOf(file).events[0].counted ?? Number.NaN };
}

describeLive('period mode', () => {
  it.each([1, 7, 1000])(
    'a fixed period takes floor(N / %i) samples of N faults on one CPU',
    (count) => {
      // The recorder is bound to it, so that its command never was anywhere else: one counter counts.
      const under = ['taskset', '-c', String(usableCpus()[0])];
      const { samples, counted } = recorded(`every-${count}`, count, under);
      expect(counted).toBeGreaterThanOrEqual(FAULTS);
      expect(samples).toBe(Math.floor(counted / count));
    },
  );

  it('a fixed period loses at most one remainder per event instance across CPUs', () => {
    const { samples, counted } = recorded('free', 1000, []);
    const cpus = onlineCpus().length;
    expect(samples).toBeLessThanOrEqual(Math.floor(counted / 1000));
    expect(samples).toBeGreaterThan(Math.floor(counted / 1000) - cpus);
  });
});
