import { NONE } from '../../base/brand.ts';
import type { EventAttr } from '../../kernel/perf-event/attr.ts';
import type { KernelRecord, TaskRecord } from '../../kernel/perf-event/record.ts';
import type { TrailerView } from '../../kernel/perf-event/trailer.ts';
import type { StreamFinal } from '../../period/types.ts';

type ReadRecord = Extract<KernelRecord, { kind: 'read' }>;

/** The values that one instance had counted. */
type Reading = { readonly streamId: number; readonly count: number; readonly runningNs: number };

/** Everything that was read of the instances with one event id. */
type Family = {
  readonly event: number;
  readonly isInherited: boolean;
  /** Counted by the samples of another event, which do not tell its inherited instances. */
  readonly isMember: boolean;
  /** The instance that was opened; null if the file has no READ record of it. */
  opened: (Reading & { readonly tid: number }) | null;
  readonly inherited: Reading[];
};

/**
 * The final values of the event instances, from PERF_RECORD_READ.
 *
 * An instance that was opened and those that its task's children inherited from it share the event
 * id; the stream id in the trailer is each one's own, and the opened one's equals the event id:
 *
 *     stream id = event id    written by the recorder at the end: own count + Σ of all children
 *     stream id ≠ event id    written by the kernel as the task exited (`inherit_stat`): own count
 *
 * So the opened one's own count is its value less its children's, if every child has been read. As
 * each FORK of a task below the opened one's makes one child, that is known by counting them. Where
 * one is missing (still alive, lost, or the kernel writes none), what remains belongs to the event
 * only.
 */
export class FinalLog {
  /** Families by event id. */
  readonly #families = new Map<number, Family>();
  /** Task -> the task whose events it has inherited. */
  readonly #rootOfTask = new Map<number, number>();
  readonly #forksBelow = new Map<number, number>();

  /** `event`: row of the profile's events, with its attr. */
  note(record: ReadRecord, event: number, attr: EventAttr, trailer: TrailerView): void {
    const { id, streamId } = trailer;
    // Without a stream id an inherited instance can't be told from the one that was opened.
    if (id < 0 || streamId < 0) return;
    const member = record.ids.length > 0 ? record.ids.indexOf(id) : 0;
    const count = record.values[member];
    if (count === undefined) return;
    let family = this.#families.get(id);
    if (family === undefined) {
      family = {
        event,
        isInherited: attr.flags.inherit,
        isMember: attr.samplePeriod === 0,
        opened: null,
        inherited: [],
      };
      this.#families.set(id, family);
    }
    const reading = { streamId, count, runningNs: record.timeRunning };
    if (streamId === id) family.opened = { ...reading, tid: record.tid };
    else family.inherited.push(reading);
  }

  /** A fork during the recording: the new task inherits the events of its parent. */
  noteFork({ tid, parentTid }: TaskRecord): void {
    const root = this.#rootOfTask.get(parentTid) ?? parentTid;
    this.#rootOfTask.set(tid, root);
    this.#forksBelow.set(root, (this.#forksBelow.get(root) ?? 0) + 1);
  }

  /** Which task came of which is forgotten: without it the finals of inherited events are totals only. */
  forgetForks(): void {
    this.#rootOfTask.clear();
    this.#forksBelow.clear();
  }

  /** Whether the instance with this event id was opened on this task. */
  isOpenedOn(id: number, tid: number): boolean {
    return this.#families.get(id)?.opened?.tid === tid;
  }

  /** Per event the sum over the instances that were opened; null where none was read. */
  totals(eventCount: number): (number | null)[] {
    const totals: (number | null)[] = new Array(eventCount).fill(null);
    for (const { event, opened } of this.#families.values()) {
      if (opened !== null) totals[event] = (totals[event] ?? 0) + opened.count;
    }
    return totals;
  }

  /**
   * `streamOf` gives the row of a stream id, and adds one where there is none; it is not asked about
   * instances that have counted nothing. `isComplete`: no FORK record was lost.
   */
  finish(
    streamOf: (streamId: number, event: number, hasCounted: boolean) => number,
    isComplete: boolean,
  ): StreamFinal[] {
    const finals: StreamFinal[] = [];
    const add = (event: number, { streamId, count, runningNs }: Reading) => {
      const stream = streamOf(streamId, event, count > 0);
      if (stream !== NONE) finals.push({ event, stream, count, runningNs });
    };
    for (const { event, isInherited, isMember, opened, inherited } of this.#families.values()) {
      if (isMember && isInherited) {
        if (opened !== null) {
          finals.push({ event, stream: NONE, count: opened.count, runningNs: Number.NaN });
        }
        continue;
      }
      for (const reading of inherited) add(event, reading);
      if (opened === null) continue;
      const count = inherited.reduce((rest, child) => rest - child.count, opened.count);
      const runningNs = inherited.reduce((rest, child) => rest - child.runningNs, opened.runningNs);
      const forks = this.#forksBelow.get(opened.tid) ?? 0;
      if (!isInherited || (isComplete && forks === inherited.length)) {
        add(event, { streamId: opened.streamId, count, runningNs });
      } else {
        finals.push({ event, stream: NONE, count, runningNs: Number.NaN });
      }
    }
    return finals;
  }
}
