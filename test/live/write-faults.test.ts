// Writes that come back short, late, interrupted or not at all.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  accounted,
  findPerf,
  infoOf,
  perfStats,
  perfTs,
  scratchDirectory,
} from '../helpers/cli.ts';
import { compileFaultShim, compileWorkload, preloading } from '../helpers/compile.ts';
import { describeLive } from '../helpers/live.ts';

const scratch = scratchDirectory();
const FAULTS = 100_000;

describeLive('writes that misbehave', () => {
  const workload = compileWorkload();
  const shim = compileFaultShim();

  function record(name: string, fault: string, command: readonly string[]) {
    const file = join(scratch, `${name}.data`);
    const flags = ['-e', 'page-faults', '-c', '1', '-m', '32', '-o', file];
    // Only the recorder is to suffer, and env is what the command's own start consists of.
    const words = ['record', ...flags, '--', 'env', '-u', 'LD_PRELOAD', ...command];
    const environment = { ...process.env, ...preloading(shim), FI_WRITE: fault };
    return { file, outcome: perfTs(words, { env: environment }) };
  }

  it.each(['short', 'one', 'eintr', 'eagain', 'slow'])(
    'write faults (%s) lose nothing uncounted',
    (fault) => {
      const { file, outcome } = record(fault, fault, [workload, 'pf', String(FAULTS)]);
      expect(outcome.status).toBe(0);
      const info = infoOf(file);
      // Each event is a sample, so what the kernel counted is what arrived and what it lost itself.
      const counted = info.events[0]?.counted;
      expect(counted).toBeGreaterThanOrEqual(FAULTS);
      expect(accounted(file)).toBe(counted);
      expect(info).toMatchObject({ truncatedAt: null, skippedBytes: 0 });
      if (findPerf()) expect(perfStats(file).SAMPLE).toBe(info.records.SAMPLE);
    },
  );

  it('a write error EIO ends the recording with a message and a readable file; the command runs on', () => {
    const witness = join(scratch, 'ran-on');
    const script = `'${workload}' pf ${FAULTS}; touch '${witness}'`;
    const { file, outcome } = record('eio', 'eio@10', ['sh', '-c', script]);
    expect(outcome.status).toBe(125);
    expect(outcome.stderr).toMatch(/recording stopped: writing .*eio\.data failed \(EIO\)/);
    expect(existsSync(witness)).toBe(true);
    const info = infoOf(file);
    expect(info.records.SAMPLE).toBeGreaterThan(0);
    expect(info.records.SAMPLE).toBeLessThan(FAULTS);
    if (findPerf()) expect(perfStats(file).SAMPLE).toBe(info.records.SAMPLE);
    expect(perfTs(['report', file]).status).toBe(0);
  });
});
