// One sample every N events, exactly. A software event with PERF_SAMPLE_PERIOD beside a fixed
// period would be sampled at every event instead; these tests would see that at once.

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { infoOf, perfTs, scratchDirectory } from '../helpers/cli.ts';
import { compileWorkload } from '../helpers/compile.ts';
import { describeLive } from '../helpers/live.ts';

const scratch = scratchDirectory();

/** Samples that the kernel took: those of the file, and those that found its ring full. */
function samplesOf(name: string, count: number, command: readonly string[]): number {
  const file = join(scratch, `${name}.data`);
  const flags = ['-e', 'page-faults:u', '-c', String(count), '-o', file];
  const outcome = perfTs(['record', '-q', ...flags, '--', ...command]);
  expect(outcome.status).toBe(0);
  const info = infoOf(file);
  return (info.records.SAMPLE ?? 0) + info.loss.best;
}

describeLive('period mode', () => {
  const workload = compileWorkload();

  it('takes floor(N / 1000) samples of N faults on one CPU', () => {
    const pinned = ['taskset', '-c', '0', workload, 'pf', '204800'];
    const every = samplesOf('every', 1, pinned);
    expect(every).toBeGreaterThanOrEqual(204_800);
    expect(samplesOf('thousandth', 1000, pinned)).toBe(Math.floor(every / 1000));
  });

  it('loses at most one remainder per event instance across CPUs and tasks', () => {
    const every = samplesOf('every-free', 1, [workload, 'pf', '204800']);
    const sampled = samplesOf('thousandth-free', 1000, [workload, 'pf', '204800']);
    const instances = 2 * 16;
    expect(sampled).toBeLessThanOrEqual(Math.floor((every + 5) / 1000));
    expect(sampled).toBeGreaterThan(Math.floor(every / 1000) - instances);
  });
});
