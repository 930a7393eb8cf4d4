// Hot: once per record.

import { mergeRuns, type TimedRows } from './merge-runs.ts';

const FIRST_CAPACITY = 4096;
/** Records of one release after which `afterBlock` is called; a power of two. */
const BLOCK_RECORDS = 2 ** 13;

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
 * a time goes out at once, as perf delivers it; one that is earlier than the rounds of its file promise, with
 * the next release.
 */
export class RoundSorter {
  readonly #deliver: (position: number) => void;
  readonly #afterBlock: (() => void) | null;
  /** Pending records: what the last release kept, in order, then the rest as pushed. */
  #rows = newRows(FIRST_CAPACITY);
  #length = 0;
  /** Room for merging, as much as the pending records have; none before the first release. */
  #spare = newRows(0);
  #latest = Number.NEGATIVE_INFINITY;
  /** The latest time at the end of the round before: what is not later can go. */
  #releasable = Number.NEGATIVE_INFINITY;
  /** Records with a time that have gone out, but for those of the release that runs. */
  #released = 0;
  /** Records that the release that runs has delivered. */
  #releasing = 0;

  /**
   * `deliver` gets the positions in time order. `afterBlock` is called now and then during a release:
   * without rounds one release is all of a file.
   */
  constructor(deliver: (position: number) => void, afterBlock: (() => void) | null = null) {
    this.#deliver = deliver;
    this.#afterBlock = afterBlock;
  }

  /** Records that wait. */
  get pending(): number {
    return this.#length;
  }

  /** The share of the records pushed so far that has gone out, 0 … 1; those without a time left aside. */
  get releasedShare(): number {
    const pushed = this.#released + this.#length;
    return pushed === 0 ? 1 : (this.#released + this.#releasing) / pushed;
  }

  /** The next record of the file. One without a time, NaN, is delivered at once. */
  push(timeNs: number, position: number): void {
    if (Number.isNaN(timeNs)) {
      this.#deliver(position);
      return;
    }
    if (timeNs > this.#latest) this.#latest = timeNs;
    if (this.#length === this.#rows.times.length) this.#grow();
    const { times, positions } = this.#rows;
    times[this.#length] = timeNs;
    positions[this.#length] = position;
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
    const { times, positions } = this.#rows;
    const length = this.#length;
    let count = 0;
    while (count < length && times[count] <= upTo) {
      this.#deliver(positions[count]);
      count++;
      if ((count & (BLOCK_RECORDS - 1)) === 0) this.#finishBlock(count);
    }
    if (count === 0) return;
    times.copyWithin(0, count, length);
    positions.copyWithin(0, count, length);
    this.#length = length - count;
    this.#released += count;
    this.#releasing = 0;
  }

  #finishBlock(count: number): void {
    this.#releasing = count;
    this.#afterBlock?.();
  }

  #sort(): void {
    const rows = this.#rows;
    if (this.#spare.times.length < this.#length) this.#spare = newRows(rows.times.length);
    const sorted = mergeRuns(rows, this.#length, this.#spare);
    if (sorted === rows) return;
    this.#spare = rows;
    this.#rows = sorted;
  }

  #grow(): void {
    const { times, positions } = this.#rows;
    this.#rows = newRows(times.length * 2);
    this.#rows.times.set(times);
    this.#rows.positions.set(positions);
  }
}

function newRows(length: number): TimedRows {
  return { times: new Float64Array(length), positions: new Float64Array(length) };
}
