// Hot: once per record.

import { mergeRuns } from './merge-runs.ts';

const FIRST_CAPACITY = 4096;

/**
 * Puts the records of many rings into time order.
 *
 * Each ring is in order by itself; a recorder drains one after the other, so the file is a
 * sequence of *rounds*, each of them one run per ring. While ring 1 is drained, ring 2 goes on
 * receiving: a record of round n + 1 can be earlier than one of round n, but none of round n + 2
 * can be, because all that was written by the end of round n is drained by the end of n + 1.
 *
 *   cpu 0  ─ 1 ─ 2 ─────────│─ 5 ─ 6 ───────│─ 9 ─
 *   cpu 1  ─── 3 ─── 4 ──── │ ─── 7 ── 8 ───│── 10 ─      (numbers: times)
 *              round 1          round 2        round 3
 *
 * So the end of a round releases everything up to the latest time seen by the end of the round
 * before it: exactly what perf does with FINISHED_ROUND. Without rounds everything is sorted at
 * the end.
 *
 * Records are a time and a position (a file offset, an index: whatever the caller finds them
 * by), kept in two columns. Equal times keep the order in which they were pushed. A record without
 * a time goes out at once, as perf delivers it.
 */
export class RoundSorter {
  readonly #deliver: (position: number) => void;
  // Pending records: what the last release kept, in order, then the rest as pushed.
  #times = new Float64Array(FIRST_CAPACITY);
  #positions = new Float64Array(FIRST_CAPACITY);
  #length = 0;
  #latest = Number.NEGATIVE_INFINITY;
  /** The latest time at the end of the round before: what is not later can go. */
  #releasable = Number.NEGATIVE_INFINITY;
  #lastDelivered = Number.NEGATIVE_INFINITY;
  #lateRecords = 0;
  // Room for merging, of the size of the pending columns.
  #spareTimes = new Float64Array(0);
  #sparePositions = new Float64Array(0);

  /** `deliver` gets the positions in time order. */
  constructor(deliver: (position: number) => void) {
    this.#deliver = deliver;
  }

  /**
   * Records that were pushed after a later one had gone out: the file broke the promise of its
   * rounds. They are delivered with the next release, out of order.
   */
  get lateRecords(): number {
    return this.#lateRecords;
  }

  /** Records that wait. */
  get pending(): number {
    return this.#length;
  }

  /** Adds a record; NaN for one without a time. */
  push(timeNs: number, position: number): void {
    if (Number.isNaN(timeNs)) {
      this.#deliver(position);
      return;
    }
    if (timeNs < this.#lastDelivered) this.#lateRecords++;
    if (timeNs > this.#latest) this.#latest = timeNs;
    if (this.#length === this.#times.length) this.#grow();
    this.#times[this.#length] = timeNs;
    this.#positions[this.#length] = position;
    this.#length++;
  }

  /** The end of a round. */
  finishRound(): void {
    this.#release(this.#releasable);
    this.#releasable = this.#latest;
  }

  /** The end of the recording: everything goes out. */
  finish(): void {
    this.#release(Number.POSITIVE_INFINITY);
  }

  #release(upTo: number): void {
    if (this.#length === 0 || upTo === Number.NEGATIVE_INFINITY) return;
    this.#sort();
    const times = this.#times;
    const positions = this.#positions;
    const length = this.#length;
    let count = 0;
    while (count < length && times[count] <= upTo) {
      this.#deliver(positions[count]);
      count++;
    }
    if (count === 0) return;
    this.#lastDelivered = Math.max(this.#lastDelivered, times[count - 1]);
    times.copyWithin(0, count, length);
    positions.copyWithin(0, count, length);
    this.#length = length - count;
  }

  #sort(): void {
    if (this.#spareTimes.length < this.#length) {
      this.#spareTimes = new Float64Array(this.#times.length);
      this.#sparePositions = new Float64Array(this.#times.length);
    }
    const inSpare = mergeRuns(
      this.#times,
      this.#positions,
      this.#length,
      this.#spareTimes,
      this.#sparePositions,
    );
    if (!inSpare) return;
    const times = this.#times;
    const positions = this.#positions;
    this.#times = this.#spareTimes;
    this.#positions = this.#sparePositions;
    this.#spareTimes = times;
    this.#sparePositions = positions;
  }

  #grow(): void {
    const times = new Float64Array(this.#times.length * 2);
    const positions = new Float64Array(times.length);
    times.set(this.#times);
    positions.set(this.#positions);
    this.#times = times;
    this.#positions = positions;
  }
}
