import type { EventSources } from '../../kernel/events/event-sources.ts';
import type { EventSpec } from '../../kernel/events/event-spec.ts';
import { parseEvents } from '../../kernel/events/parse-events.ts';
import { encodeAttr, newAttr } from '../../kernel/perf-event/attr.ts';
import { PERF_SAMPLE } from '../../kernel/perf-event/constants.ts';
import type { NativeBinding } from '../../native/types.ts';
import type { RecordSettings } from '../../options/record.ts';
import { WAKE_UP_EVENT } from '../../profile/off-cpu/switch-pairs.ts';
import { OFF_CPU_EVENT } from '../../profile/wait-event.ts';
import type { StackChoice } from './call-graph.ts';

/** Fires when a thread leaves its CPU, and knows in what state. */
const TRACEPOINT = 'sched:sched_switch';
/** Fires at that moment without the state, for those who may record kernel code but no tracepoints. */
const COUNTER = 'context-switches';
/**
 * Fires where the waker runs, unlike `sched_wakeup`, which may fire where the thread will run. Linux 6.18
 * does not give it to the events of the woken thread, so it is opened on whole CPUs.
 */
const WAKE_UP = 'sched:sched_waking';

/**
 * The event that samples every switch out, with its stack, and the one that says when a thread was
 * woken. When it came back is told by the records of `switches`, which a recording of these events
 * needs beside them.
 */
export function chooseOffCpu(
  options: RecordSettings,
  ofWaits: StackChoice['ofWaits'],
  sources: EventSources,
  probe: NativeBinding['probeEvent'],
): { readonly specs: readonly EventSpec[]; readonly notices: readonly string[] } {
  const tracepoint = tryParse(TRACEPOINT, sources);
  const refusal = tracepoint === null ? 'ENOENT' : probeTracepoint(tracepoint, options, probe);
  const spec = refusal === '' ? tracepoint : parseEvents(COUNTER, sources)[0];
  const asOffCpu: EventSpec = {
    ...(spec as EventSpec),
    name: OFF_CPU_EVENT,
    period: 1,
    ...ofWaits,
  };
  const noLbr =
    options.callGraph === 'lbr'
      ? ['off-cpu: stacks by frame pointers, not by lbr: no counter of the CPU counts switches']
      : [];
  const wakeUp = options.wakeUps === false ? null : tryParse(WAKE_UP, sources);
  if (refusal === '' && wakeUp !== null) {
    const asWakeUp: EventSpec = {
      ...wakeUp,
      name: WAKE_UP_EVENT,
      period: 1,
      callGraph: 'no',
      inherit: false,
    };
    return { specs: [asOffCpu, asWakeUp], notices: noLbr };
  }
  if (refusal === '') return { specs: [asOffCpu], notices: noLbr };
  const notice =
    `off-cpu: ${TRACEPOINT} cannot be recorded here (${refusal}: tracepoints need root, or ` +
    `CAP_PERFMON and a readable tracefs); with ${COUNTER} in its place, what a thread was waiting ` +
    'for is known by its stack only, not by its state, and not when it had that and no CPU yet';
  return { specs: [asOffCpu], notices: [notice, ...noLbr] };
}

/** Null where this machine has no such event. */
export function tryParse(event: string, sources: EventSources): EventSpec | null {
  try {
    return parseEvents(event, sources)[0] ?? null;
  } catch {
    return null;
  }
}

/** errno name, empty if it opens. */
export function probeTracepoint(
  { type, config }: EventSpec,
  { systemWide, cpus }: RecordSettings,
  probe: NativeBinding['probeEvent'],
): string {
  const attr = newAttr({
    type,
    config,
    samplePeriod: 1,
    sampleType: PERF_SAMPLE.RAW | PERF_SAMPLE.CALLCHAIN,
    flags: { disabled: true },
  });
  return probe(encodeAttr(attr), systemWide ? -1 : 0, systemWide ? (cpus?.[0] ?? 0) : -1).code;
}
