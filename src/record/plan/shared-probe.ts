import { getOrMake } from '../../base/group-by.ts';
import type { EventSpec } from '../../kernel/events/event-spec.ts';
import { type EventAttr, encodeAttr } from '../../kernel/perf-event/attr.ts';
import type { OpenProbe } from '../../native/types.ts';

/** Asks the kernel whether an event opens. */
export type Probe = (attr: EventAttr) => OpenProbe;

/**
 * Asks once for all tracepoints of a system whose attrs differ in nothing but the tracepoint: the kernel
 * decides by the user, the fields and the system (`perf_trace_event_perm` in kernel/trace/trace_event_perf.c;
 * that `ftrace:function` has a rule of its own makes no difference, since no other of `ftrace` opens).
 *
 * A probe of a tracepoint is dear: closing the last event of one waits until no CPU can be in it any more
 * (`tracepoint_synchronize_unregister`), 15 to 40 ms each. Each of the 340 system calls took as long.
 */
export class SharedProbes {
  readonly #answers = new Map<string, OpenProbe>();

  /** `probe` for the event of `spec`; `place` says where it asks: the answers of one place are no other's. */
  of({ tracepoint }: EventSpec, place: string, probe: Probe): Probe {
    if (tracepoint === null) return probe;
    return (attr) => {
      const fields = Buffer.from(encodeAttr({ ...attr, config: 0n })).toString('hex');
      const key = `${tracepoint.system}\0${place}\0${fields}`;
      return getOrMake(this.#answers, key, () => probe(attr));
    };
  }
}
