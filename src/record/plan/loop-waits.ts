import type { EventSources } from '../../kernel/events/event-sources.ts';
import type { EventSpec } from '../../kernel/events/event-spec.ts';
import type { NativeBinding } from '../../native/types.ts';
import type { RecordSettings } from '../../options/record.ts';
import { LOOP_CALLS, loopWaitEvent } from '../../profile/loop-waits.ts';
import { probeTracepoint, tryParse } from './off-cpu.ts';

/**
 * Events without stacks at which a thread begins to wait for events, and at which it has waited. A kernel has not all of
 * these system calls: arm64 has no `epoll_wait`.
 */
export function chooseLoopWaits(
  options: RecordSettings,
  sources: EventSources,
  probe: NativeBinding['probeEvent'],
): { readonly specs: readonly EventSpec[]; readonly notices: readonly string[] } {
  const specs = LOOP_CALLS.flatMap((call) => {
    const [enter, exit] = ['enter', 'exit'].map((side) =>
      tryParse(`syscalls:sys_${side}_${call}`, sources),
    );
    return enter === null || exit === null
      ? []
      : [
          { ...enter, name: loopWaitEvent('begin', call) },
          { ...exit, name: loopWaitEvent('end', call) },
        ];
  }).map((spec): EventSpec => ({ ...spec, period: 1, callGraph: 'no' }));
  const refusal = specs.length === 0 ? 'ENOENT' : probeTracepoint(specs[0], options, probe);
  if (refusal === '') return { specs, notices: [] };
  const notice =
    `turns: the system calls of event loops cannot be recorded here (${refusal}: tracepoints need root, or ` +
    'CAP_PERFMON and a readable tracefs); turns are those of programs with the library of perf-ts';
  return { specs: [], notices: [notice] };
}
