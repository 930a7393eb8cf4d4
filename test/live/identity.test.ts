// With one sample an event, samples + losses are the events made. Whatever the ring's size, however
// slow the reader: the only free number is what the program does beside its loop, and that is
// measured by a run whose loop runs once.

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { accounted, infoOf, perfTs, scratchDirectory } from '../helpers/cli.ts';
import { compileWorkload } from '../helpers/compile.ts';
import { describeLive } from '../helpers/live.ts';

const scratch = scratchDirectory();

/** Events that the kernel makes beside the loop vary by a few from run to run. */
const SLACK = 5;

function record(
  name: string,
  flags: readonly string[],
  command: readonly string[],
  env = {},
): string {
  const file = join(scratch, `${name}.data`);
  const outcome = perfTs(['record', '-q', '-o', file, ...flags, '--', ...command], {
    env: { ...process.env, ...env },
  });
  expect(outcome.stderr.replace(/^(pf|sys) .*\n/gm, '')).toBe('');
  expect(outcome.status).toBe(0);
  return file;
}

describeLive('identity: samples + lost = events made', () => {
  const workload = compileWorkload();
  const faults = ['-e', 'page-faults', '-c', '1', '-g'];

  it('samples and losses sum to every one of a million page faults', () => {
    const once = accounted(record('pf-1', faults, [workload, 'pf', '1']));
    const file = record('pf-1000000', faults, [workload, 'pf', '1000000']);
    expect(Math.abs(accounted(file) - once - 999_999)).toBeLessThanOrEqual(SLACK);
  });

  it('samples and losses sum to every one of half a million system calls', () => {
    const calls = ['-e', 'raw_syscalls:sys_enter', '-c', '1', '-g'];
    const once = accounted(record('sys-1', calls, [workload, 'sys', '1']));
    const file = record('sys-500000', calls, [workload, 'sys', '500000']);
    expect(Math.abs(accounted(file) - once - 499_999)).toBeLessThanOrEqual(SLACK);
  });

  it.each([1, 2, 8, 32, 128, 4096])(
    'samples and losses sum to the events with rings of %i pages',
    (pages) => {
      const flags = [...faults, '-m', String(pages)];
      const once = accounted(record(`m${pages}-1`, flags, [workload, 'pf', '1']));
      const file = record(`m${pages}`, flags, [workload, 'pf', '300000']);
      const info = infoOf(file);
      expect(Math.abs(accounted(file) - once - 299_999)).toBeLessThanOrEqual(SLACK);
      expect(info.skippedBytes).toBe(0);
    },
  );

  it.each([1, 7, 63])(
    'samples and losses sum to the events while each drain is delayed by %i ms',
    (hold) => {
      const env = { PERF_TS_DRAIN_HOLD_MS: String(hold) };
      const once = accounted(record(`h${hold}-1`, faults, [workload, 'pf', '1'], env));
      const file = record(`h${hold}`, faults, [workload, 'pf', '300000'], env);
      expect(Math.abs(accounted(file) - once - 299_999)).toBeLessThanOrEqual(SLACK);
    },
  );
});
