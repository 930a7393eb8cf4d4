import { PERF_COUNT_HW, PERF_TYPE } from '../../base/event-type.ts';
import type { PmuDescription } from '../../kernel/events/event-sources.ts';
import { encodeAttr, newAttr } from '../../kernel/perf-event/attr.ts';
import { loadBinding } from '../../native/binding.ts';
import type { NativeBinding } from '../../native/types.ts';

/** The errno of perf_event_open where a PMU has no `PERF_PMU_CAP_EXTENDED_HW_TYPE`. */
const NOT_TAKEN: readonly string[] = ['ENOENT', 'EINVAL'];

/**
 * Whether the kernel takes `cycles` with the type of a core PMU in the upper half of config: on x86
 * wherever there are two kinds of cores, on arm since Linux 6.6. A refusal for want of rights tells
 * nothing, and counts as yes.
 */
export function takesExtendedTypes(
  pmus: readonly PmuDescription[],
  probe: NativeBinding['probeEvent'] = (...place) => loadBinding().probeEvent(...place),
): boolean {
  return pmus.every(({ name, type }) => {
    if (name.startsWith('cpu_')) return true;
    const attr = newAttr({
      type: PERF_TYPE.HARDWARE,
      config: (BigInt(type) << 32n) | BigInt(PERF_COUNT_HW.CPU_CYCLES),
      flags: { disabled: true, excludeKernel: true, excludeHv: true },
    });
    return !NOT_TAKEN.includes(probe(encodeAttr(attr), 0, -1).code);
  });
}
