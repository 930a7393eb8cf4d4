// `record --stat`: what was counted beside the samples, next to what the samples add up to.

import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readProvenance } from '../../src/read/facts/provenance.ts';
import { withRecording } from '../../src/read/open-recording.ts';
import { cgroupRoot } from '../../src/system/kernel/containers.ts';
import { perfTs, scratchDirectory } from '../helpers/cli.ts';
import { compileWorkload } from '../helpers/compile.ts';
import { describeLive } from '../helpers/live.ts';

const scratch = scratchDirectory();

describeLive('record --stat', () => {
  const workload = compileWorkload();

  it('record --stat counts every fault, and the samples sum to it', () => {
    const file = join(scratch, 'faults.data');
    const flags = ['--stat', '--json', '-e', 'page-faults', '-c', '1', '-o', file];
    const outcome = perfTs(['record', ...flags, '--', workload, 'pf', '3000']);
    expect(outcome.status).toBe(0);
    const { counted } = JSON.parse(outcome.stderr.trim().split('\n').at(-1) as string);
    const [faults] = counted;
    expect(faults).toMatchObject({ event: 'page-faults', unit: '', reason: null });
    expect(faults.count).toBeGreaterThan(3000);
    expect(faults.samples).toBe(faults.sampled);
    expect(Math.abs(faults.count - faults.sampled)).toBeLessThanOrEqual(2);
    expect(counted.map(({ event }: { event: string }) => event)).toContain('context-switches');
    // And the file knows it.
    const stored = withRecording(file, readProvenance)?.counts;
    expect(stored?.['page-faults']).toEqual({ count: faults.count, unit: '' });
  });

  it('record --stat counts the sampled control group only', ({ skip }) => {
    const name = `perf-ts-stat-${process.pid}`;
    const directory = join(cgroupRoot() ?? '/none', name);
    try {
      mkdirSync(directory);
    } catch {
      // Said below.
    }
    if (!existsSync(join(directory, 'cgroup.procs'))) skip('no control group can be made here');
    try {
      const inside = join(scratch, 'inside.sh');
      writeFileSync(inside, `echo $$ > ${directory}/cgroup.procs; exec '${workload}' pf 100`);
      const file = join(scratch, 'group.data');
      const flags = ['--stat', '--json', '-a', '-G', name, '-e', 'page-faults', '-c', '1'];
      const both = `sh ${inside}; '${workload}' pf 3000`;
      const outcome = perfTs(['record', ...flags, '-o', file, '--', 'sh', '-c', both]);
      const { counted } = JSON.parse(outcome.stderr.trim().split('\n').at(-1) as string);
      const [faults] = counted;
      expect(faults.count).toBeGreaterThan(100);
      expect(faults.count).toBeLessThan(3000);
      expect(Math.abs(faults.count - faults.sampled)).toBeLessThanOrEqual(2);
    } finally {
      rmdirSync(directory);
    }
  });

  it('record prints counts only with --stat', () => {
    const file = join(scratch, 'clock.data');
    const run = (...more: string[]) =>
      perfTs(['record', ...more, '-e', 'page-faults', '-o', file, '--', workload, 'pf', '100'])
        .stderr;
    expect(run('--stat')).toMatch(/counted +unit +event +Σ samples +of it\n[^\n]*page-faults/);
    expect(run()).not.toContain('Σ');
  });

  it('record --stat starts with delayed sampling', () => {
    const flags = [
      '--stat',
      '--json',
      '-D',
      '5000',
      '-e',
      'page-faults',
      '-o',
      join(scratch, 'delayed.data'),
    ];
    const outcome = perfTs(['record', ...flags, '--', workload, 'pf', '100']);
    const { counted } = JSON.parse(outcome.stderr.trim().split('\n').at(-1) as string);
    expect(counted[0]).toMatchObject({ event: 'page-faults', count: null, samples: 0 });
  });
});
