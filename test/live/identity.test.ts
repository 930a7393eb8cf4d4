// With one sample an event, samples + losses are the events made: what the kernel has counted, whatever
// the ring's size, however slow the reader. What the program does beside its loop is measured by a run
// whose loop runs once.

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { infoOf, perfTs, scratchDirectory } from '../helpers/cli.ts';
import { compileWorkload } from '../helpers/compile.ts';
import { describeLive } from '../helpers/live.ts';

const scratch = scratchDirectory();

/** Page faults beside the loop vary from run to run, by the addresses that the loader gets: 54 to 63 of them. */
const SLACK = 20;

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

/** Expects every event of a recording in it or among its losses; the number of events. */
function expectAll(file: string): number {
  const { events, loss, records, skippedBytes } = infoOf(file);
  const [{ counted }] = events;
  expect((records.SAMPLE ?? 0) + loss.best).toBe(counted);
  expect(skippedBytes).toBe(0);
  return counted ?? 0;
}

/** Expects that two recordings differ by `made` events. */
function expectMade(once: string, often: string, made: number): void {
  expect(Math.abs(expectAll(often) - expectAll(once) - made)).toBeLessThanOrEqual(SLACK);
}

describeLive('identity: samples + lost = events made', () => {
  const workload = compileWorkload();
  const faults = ['-e', 'page-faults', '-c', '1', '-g'];

  it('samples and losses sum to every one of a million page faults', () => {
    const once = record('pf-1', faults, [workload, 'pf', '1']);
    const file = record('pf-1000000', faults, [workload, 'pf', '1000000']);
    expectMade(once, file, 999_999);
  });

  it('samples and losses sum to every one of half a million system calls', () => {
    const calls = ['-e', 'raw_syscalls:sys_enter', '-c', '1', '-g'];
    const once = record('sys-1', calls, [workload, 'sys', '1']);
    const file = record('sys-500000', calls, [workload, 'sys', '500000']);
    expectMade(once, file, 499_999);
  });

  it.each([1, 2, 8, 32, 128, 4096])(
    'samples and losses sum to the events with rings of %i pages',
    (pages) => {
      const flags = [...faults, '-m', String(pages)];
      const once = record(`m${pages}-1`, flags, [workload, 'pf', '1']);
      const file = record(`m${pages}`, flags, [workload, 'pf', '300000']);
      expectMade(once, file, 299_999);
    },
  );

  it.each([1, 7, 63])(
    'samples and losses sum to the events while each drain is delayed by %i ms',
    (hold) => {
      const env = { PERF_TS_DRAIN_HOLD_MS: String(hold) };
      const once = record(`h${hold}-1`, faults, [workload, 'pf', '1'], env);
      const file = record(`h${hold}`, faults, [workload, 'pf', '300000'], env);
      expectMade(once, file, 299_999);
    },
  );
});
