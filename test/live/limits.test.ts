// The kernel's limits on rings and rates: met, lowered with a word, or refused when asked to be
// strict.

import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { infoOf, perfTs, scratchDirectory } from '../helpers/cli.ts';
import { compileWorkload } from '../helpers/compile.ts';
import { describeLive } from '../helpers/live.ts';
import { AS_NOBODY, canRecordAsNobody, openDirectory } from '../helpers/nobody.ts';

const scratch = scratchDirectory();
const limitHz = (): number =>
  Number(readFileSync('/proc/sys/kernel/perf_event_max_sample_rate', 'utf8'));

describeLive('limits', () => {
  const workload = compileWorkload();
  const itAsNobody = it.skipIf(!canRecordAsNobody(workload));

  itAsNobody.each([
    [64, 128],
    [64, 1024],
    [64, 8192],
    [8192, 128],
    [8192, 1024],
    [8192, 8192],
  ])(
    'with %i KiB of lockable memory and -m %i an unprivileged user still records',
    (kib, pages) => {
      const file = join(openDirectory(scratch, 'rings'), `${kib}-${pages}.data`);
      const flags = ['-e', 'cpu-clock:u', '-F', '5000', '-m', String(pages), '-o', file];
      const outcome = perfTs(['record', ...flags, '--', workload, 'burn', '1', '0.2'], {
        under: [...AS_NOBODY, 'prlimit', `--memlock=${kib * 1024}`],
      });
      expect(outcome.status).toBe(0);
      expect(infoOf(file).records.SAMPLE).toBeGreaterThan(0);
      expect(statSync(file).uid).toBe(65534);
      const reduced =
        /^perf-ts: rings reduced from (\d+) \+ \d+ to (\d+) \+ \d+ pages: .*perf_event_mlock_kb.*$/m;
      const found = reduced.exec(outcome.stderr);
      // 32 MiB a CPU are beyond both limits on every machine; less may fit.
      if (pages === 8192) expect(found).not.toBeNull();
      if (found === null) return;
      expect(Number(found[1])).toBe(pages);
      expect(Number(found[2])).toBeLessThan(pages);
      expect(Math.log2(Number(found[2])) % 1).toBe(0);
    },
  );

  itAsNobody(
    'record gives root of a user namespace the rings of the user that it is outside',
    (context) => {
      const enter = ['prlimit', '--memlock=65536', 'unshare', '-Ur'];
      if (spawnSync('setpriv', [...AS_NOBODY.slice(1), ...enter, 'true']).status !== 0) {
        context.skip('no user namespace can be made here');
      }
      const directory = openDirectory(scratch, 'namespace');
      const ringsOf = (name: string, under: readonly string[]) => {
        const file = join(directory, `${name}.data`);
        const command = [
          'record',
          '-v',
          '-e',
          'cpu-clock:u',
          '-o',
          file,
          '--',
          workload,
          'burn',
          '1',
          '0.1',
        ];
        const { status, stderr } = perfTs(command, { under: [...AS_NOBODY, ...under] });
        expect(status, stderr).toBe(0);
        return /^perf-ts: rings .*$/m.exec(stderr)?.[0];
      };
      const outside = ringsOf('outside', enter.slice(0, 2));
      expect(outside).toMatch(/rings of \d+ \+ 16 pages/);
      expect(ringsOf('inside', enter)).toBe(outside);
    },
  );

  it("a frequency beyond the kernel's limit is lowered, and the sysctl named", () => {
    const file = join(scratch, 'lowered.data');
    const limit = limitHz();
    const flags = ['-e', 'page-faults', '-F', String(2 * limit), '-o', file];
    const outcome = perfTs(['record', ...flags, '--', workload, 'pf', '1000']);
    expect(outcome.status).toBe(0);
    expect(outcome.stderr).toContain(`lowered from ${2 * limit} to ${limit} Hz`);
    expect(outcome.stderr).toContain(`kernel.perf_event_max_sample_rate is ${limit} Hz`);
    expect(infoOf(file).events[0]).toMatchObject({ mode: 'frequency', freqHz: limit });
  });

  it('--strict-freq refuses a frequency beyond the limit before anything is written', () => {
    const file = join(scratch, 'refused.data');
    const record = (...flags: string[]) =>
      perfTs(['record', '-e', 'page-faults', '-o', file, ...flags, '--', workload, 'pf', '1000']);
    const strict = record('--strict-freq', '-F', String(2 * limitHz()));
    expect(strict.status).toBe(2);
    expect(strict.stderr).toContain('kernel.perf_event_max_sample_rate');
    expect(record('-F', '0')).toMatchObject({ status: 2 });
    expect(statSync(file, { throwIfNoEntry: false })).toBeUndefined();
  });

  it("-F max is the kernel's limit, without a warning", () => {
    const file = join(scratch, 'max.data');
    const flags = ['-q', '-e', 'page-faults', '-F', 'max', '-o', file];
    const outcome = perfTs(['record', ...flags, '--', workload, 'pf', '1000']);
    expect(outcome).toMatchObject({ status: 0 });
    expect(outcome.stderr).not.toContain('perf-ts:');
    expect(infoOf(file).events[0]).toMatchObject({ freqHz: limitHz() });
  });
});
