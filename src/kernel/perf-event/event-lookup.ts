// Hot: once per record.

import { PERF_COUNT_SW, PERF_TYPE } from '../../base/event-type.ts';
import { readU64, u64OfWords } from '../../base/u64.ts';
import type { EventAttr } from './attr.ts';
import { PERF_RECORD, PERF_RECORD_USER_TYPE_START } from './constants.ts';
import type { ParseInfo } from './parse-info.ts';
import { RECORD_HEADER_SIZE, type RecordView } from './record-view.ts';

/** One event of a recording as the lookup needs it. */
export type LookupEvent = {
  readonly info: ParseInfo;
  /** The kernel's ids of its instances. */
  readonly ids: readonly number[];
  /** Absent: nothing is known of what it counts. */
  readonly attr?: Pick<EventAttr, 'type' | 'config'>;
};

/** An id that no event announced: its records can't be decoded. */
export const UNKNOWN_EVENT = -1;

const FIRST_EVENT = 0;
const EMPTY = -1;

/**
 * Finds the event that a record belongs to. As perf does it:
 *
 * - `one`: a single event; nothing is read.
 * - `none`: no event at all, so no record has one.
 * - `per-id`: the id lies at one place for all events (IDENTIFIER exists for that), and names the
 *   event. Id 0 is in records that perf made up: the first event, as for perf's own record types.
 * - `first`: several events and no ids; all records count for the first one. perf refuses such a
 *   file unless it has side-band records only.
 *
 * Ids are compared as doubles: the kernel counts them up from 1.
 *
 * A sample may have the id of an event that another recorder has opened. Where the kernel itself
 * reports what happened (page faults, context switches), it fills in one struct for all events that
 * it is to be written for (`do_perf_sw_event`), and what is filled in once stays, ids included
 * (`perf_prepare_sample`, Linux 6.3 to 6.18 at least): of two events that overflow at the same page
 * fault the second one writes the id of the first, into its own ring. The sample is whole but for
 * that, and of the recording's only event of that kind, where it has only one.
 */
export class EventLookup {
  readonly kind: 'none' | 'one' | 'per-id' | 'first';
  readonly #littleEndian: boolean;
  readonly #sampleIdOffset: number;
  readonly #trailerIdOffset: number;
  // Open addressing over two columns: slot -> id and its event, EMPTY where there is none.
  readonly #slotMask: number;
  readonly #hashShift: number;
  readonly #slotId: Float64Array;
  readonly #slotEvent: Int32Array;
  /** The event of samples with an id that no event announced. */
  readonly #ofForeignIds: number;
  #lastId = 0;
  #lastEvent = FIRST_EVENT;

  constructor(events: readonly LookupEvent[]) {
    const first = events[0]?.info;
    this.#littleEndian = first?.littleEndian ?? true;
    this.#sampleIdOffset = first?.sampleIdOffset ?? -1;
    this.#trailerIdOffset = first?.trailerIdOffset ?? -1;
    const idCount = events.reduce((sum, event) => sum + event.ids.length, 0);
    if (events.length === 0) this.kind = 'none';
    else if (events.length === 1) this.kind = 'one';
    else if (idCount === 0 || this.#sampleIdOffset < 0) this.kind = 'first';
    else this.kind = 'per-id';

    const mayShareIds = events.flatMap(({ attr }, index) =>
      isReportedByKernel(attr) ? [index] : [],
    );
    this.#ofForeignIds = mayShareIds.length === 1 ? mayShareIds[0] : UNKNOWN_EVENT;

    const slotBits = Math.ceil(Math.log2(2 * idCount + 2));
    const slots = 2 ** slotBits;
    this.#slotMask = slots - 1;
    this.#hashShift = 32 - slotBits;
    this.#slotId = new Float64Array(slots);
    this.#slotEvent = new Int32Array(slots).fill(EMPTY);
    events.forEach((event, index) => {
      for (const id of event.ids) this.#insert(id, index);
    });
  }

  /** Index of the event that the record belongs to; `UNKNOWN_EVENT` if that is not known. */
  attrIndexOf(record: RecordView): number {
    if (this.kind === 'none') return UNKNOWN_EVENT;
    const { view, words, offset, size, type } = record;
    if (this.kind !== 'per-id' || type >= PERF_RECORD_USER_TYPE_START) return FIRST_EVENT;
    let idOffset: number;
    if (type === PERF_RECORD.SAMPLE) {
      if (this.#sampleIdOffset + 8 > size) return UNKNOWN_EVENT;
      idOffset = offset + this.#sampleIdOffset;
    } else {
      // Without sample_id_all only samples state whose they are.
      if (this.#trailerIdOffset < 0) return FIRST_EVENT;
      if (this.#trailerIdOffset + RECORD_HEADER_SIZE > size) return UNKNOWN_EVENT;
      idOffset = offset + size - this.#trailerIdOffset;
    }
    const id =
      words === null
        ? readU64(view, idOffset, this.#littleEndian)
        : u64OfWords(words, idOffset >> 2);
    if (id === this.#lastId) return this.#lastEvent;
    const event = this.find(id);
    if (event === UNKNOWN_EVENT && type === PERF_RECORD.SAMPLE) return this.#ofForeignIds;
    this.#lastId = id;
    this.#lastEvent = event;
    return event;
  }

  /** Index of the event with this id; the first for id 0, `UNKNOWN_EVENT` if there is none. */
  find(id: number): number {
    if (id === 0) return FIRST_EVENT;
    let slot = hash(id) >>> this.#hashShift;
    while (this.#slotEvent[slot] !== EMPTY) {
      if (this.#slotId[slot] === id) return this.#slotEvent[slot];
      slot = (slot + 1) & this.#slotMask;
    }
    return UNKNOWN_EVENT;
  }

  /** The first event that announces an id keeps it. */
  #insert(id: number, event: number): void {
    let slot = hash(id) >>> this.#hashShift;
    while (this.#slotEvent[slot] !== EMPTY) {
      if (this.#slotId[slot] === id) return;
      slot = (slot + 1) & this.#slotMask;
    }
    this.#slotId[slot] = id;
    this.#slotEvent[slot] = event;
  }
}

/** Whether samples of the event come from `do_perf_sw_event`. The clocks have timers of their own. */
export function isReportedByKernel(attr: LookupEvent['attr']): boolean {
  if (attr?.type !== PERF_TYPE.SOFTWARE) return false;
  const { CPU_CLOCK, TASK_CLOCK, DUMMY, BPF_OUTPUT } = PERF_COUNT_SW;
  const others: readonly number[] = [CPU_CLOCK, TASK_CLOCK, DUMMY, BPF_OUTPUT];
  return !others.includes(Number(attr.config));
}

/** Fibonacci hashing, whose high bits are the good ones. Ids are small and mostly consecutive. */
function hash(id: number): number {
  return Math.imul(id ^ Math.imul(id / 2 ** 32, 0x85ebca6b), 0x9e3779b1);
}
