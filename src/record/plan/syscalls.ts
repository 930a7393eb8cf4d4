import { FailedError, UsageError } from '../../base/errors.ts';
import { nearestNames } from '../../base/nearest-names.ts';
import { words } from '../../base/words.ts';
import { didYouMean } from '../../kernel/events/event-error.ts';
import type { EventSources } from '../../kernel/events/event-sources.ts';
import type { EventSpec } from '../../kernel/events/event-spec.ts';
import { syscallNames } from '../../kernel/tracepoint/syscalls.ts';
import type { NativeBinding } from '../../native/types.ts';
import { RECORD, type RecordSettings } from '../../options/record.ts';
import { SYSCALL_BYTES_EVENT, SYSCALL_EVENT } from '../../profile/wait-event.ts';
import type { StackChoice } from './call-graph.ts';
import { probeTracepoint, tryParse } from './off-cpu.ts';

/**
 * The event that samples each system call where it begins, with its stack, and the one that tells where it ends what came of
 * it; of the named calls only, which the kernel selects. Throws FailedError where tracepoints may not be recorded.
 */
export function chooseSyscalls(
  options: RecordSettings & { readonly syscalls: readonly string[] },
  ofCalls: StackChoice['ofCalls'],
  sources: EventSources,
  machine: string,
  probe: NativeBinding['probeEvent'],
): readonly EventSpec[] {
  const [enter, exit] = ['enter', 'exit'].map((side) =>
    tryParse(`raw_syscalls:sys_${side}`, sources),
  );
  const refusal =
    enter === null || exit === null ? 'ENOENT' : probeTracepoint(enter, options, probe);
  if (enter === null || exit === null || refusal !== '') {
    throw new FailedError(
      words`${RECORD.syscalls}: system calls cannot be recorded here (${refusal})`,
      ['tracepoints need root, or CAP_PERFMON and a readable tracefs'],
    );
  }
  const filter = filterOf(options.syscalls, machine);
  const common = { period: 1, ...(filter !== '' && { filter }) };
  return [
    { ...enter, ...common, name: SYSCALL_EVENT, ...ofCalls },
    { ...exit, ...common, name: SYSCALL_BYTES_EVENT, callGraph: 'no' },
  ];
}

/** Names to the kernel's filter of their numbers: `id == 74 || id == 75`. */
function filterOf(calls: readonly string[], machine: string): string {
  if (calls.length === 0) return '';
  const names = syscallNames(machine);
  if (names === null) {
    throw new UsageError(
      words`${RECORD.syscalls}: numbers of the system calls of ${machine} are not known: leave the names out`,
    );
  }
  const numbers = new Map([...names].map(([number, name]) => [name, number]));
  return calls
    .map((call) => {
      const number = numbers.get(call);
      if (number !== undefined) return `id == ${number}`;
      throw new UsageError(
        words`${RECORD.syscalls}: ${machine} has no system call '${call}'`,
        didYouMean(nearestNames(call, numbers.keys())),
      );
    })
    .join(' || ');
}
