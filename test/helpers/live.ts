import { describe } from 'vitest';
import { loadBinding } from '../../src/native/binding.ts';
import { encodeAttr, newAttr } from '../../src/perf-event/attr.ts';
import { PERF_COUNT_SW, PERF_TYPE } from '../../src/perf-event/constants.ts';

let reason: string | null | undefined;

/** Why nothing can be recorded here, null where it can. */
function obstacle(): string | null {
  try {
    const attr = newAttr({
      type: PERF_TYPE.SOFTWARE,
      config: BigInt(PERF_COUNT_SW.CPU_CLOCK),
      samplePeriod: 1_000_000,
      flags: { disabled: true },
    });
    const probe = loadBinding().probeEvent(encodeAttr(attr), 0, -1);
    return probe.errno === 0 ? null : `the kernel refuses to open cpu-clock (${probe.code})`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Whether this machine lets us record, kernel code included. */
export function canRecord(): boolean {
  if (reason === undefined) reason = obstacle();
  return reason === null;
}

/**
 * A group of tests that record with the real kernel. Where that isn't possible they are skipped and
 * the reason is printed. `[live]` in the name is what the summary of a test run counts by.
 */
export function describeLive(name: string, tests: () => void): void {
  const title = `${name} [live]`;
  if (canRecord()) {
    describe(title, tests);
  } else {
    console.warn(`skipped: ${title}: ${reason}`);
    describe.skip(title, tests);
  }
}
