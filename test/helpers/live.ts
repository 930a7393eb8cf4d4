import { describe } from 'vitest';
import { PERF_COUNT_SW, PERF_TYPE } from '../../src/base/event-type.ts';
import { encodeAttr, newAttr } from '../../src/kernel/perf-event/attr.ts';
import { loadBinding } from '../../src/native/binding.ts';

/** What a group of tests has to be allowed to see: code of the kernel too, or its own programs only. */
type Needs = 'kernel' | 'user space';

const obstacles = new Map<Needs, string | null>();

/** Why that cannot be recorded here, null where it can. */
function obstacleTo(needs: Needs): string | null {
  const known = obstacles.get(needs);
  if (known !== undefined) return known;
  const found = findObstacle(needs);
  obstacles.set(needs, found);
  return found;
}

function findObstacle(needs: Needs): string | null {
  const isUserOnly = needs === 'user space';
  try {
    const attr = newAttr({
      type: PERF_TYPE.SOFTWARE,
      config: BigInt(PERF_COUNT_SW.CPU_CLOCK),
      samplePeriod: 1_000_000,
      flags: { disabled: true, excludeKernel: isUserOnly, excludeHv: isUserOnly },
    });
    const probe = loadBinding().probeEvent(encodeAttr(attr), 0, -1);
    if (probe.errno === 0) return null;
    return `the kernel refuses to open cpu-clock${isUserOnly ? ':u' : ''} (${probe.code}), root may`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Whether this machine lets us record, kernel code included. */
export function canRecord(): boolean {
  return obstacleTo('kernel') === null;
}

function describeWhere(needs: Needs, name: string, tests: () => void): void {
  const title = `${name} [live]`;
  const obstacle = obstacleTo(needs);
  if (obstacle === null) describe(title, tests);
  else describe.skip(`${title} (skipped: ${obstacle})`, tests);
}

/**
 * A group of tests that record with the real kernel. Where that is not possible they are skipped, and
 * the title gives the reason. `[live]` in the name is what the summary of a test run counts by.
 */
export function describeLive(name: string, tests: () => void): void {
  describeWhere('kernel', name, tests);
}

/** The same of tests that an ordinary user passes as well, to whom the kernel shows user space only. */
export function describeLiveAsUser(name: string, tests: () => void): void {
  describeWhere('user space', name, tests);
}
