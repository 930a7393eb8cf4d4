import { lastAtMost } from '../../base/bisect.ts';
import { sortedOrder } from '../../base/sorted-order.ts';
import type { AddressRanges } from './address-ranges.ts';

/** Units whose ranges overlap: one address may lie in so many. */
export const MOST_CANDIDATES = 16;

/** Ranges that may overlap, each of a unit, sorted so that those over an address are found. */
export class RangeIndex {
  readonly #start: Float64Array;
  readonly #end: Float64Array;
  /** The highest end up to this row: says how far back an address may still be covered. */
  readonly #highestEnd: Float64Array;
  readonly #unitOffset: Float64Array;

  /** The `i`th range is of the unit at `unitOffsets[i]` of `.debug_info`. */
  constructor(ranges: AddressRanges, unitOffsets: Float64Array) {
    const starts = ranges.start.finish();
    const order = sortedOrder(starts);
    this.#start = Float64Array.from(order, (row) => starts[row]);
    this.#end = Float64Array.from(order, (row) => ranges.end.array[row]);
    this.#unitOffset = Float64Array.from(order, (row) => unitOffsets[row]);
    let highest = Number.NEGATIVE_INFINITY;
    this.#highestEnd = this.#end.map((end) => {
      highest = Math.max(highest, end);
      return highest;
    });
  }

  /** Writes into `out` the offsets of at most `MOST_CANDIDATES` units; returns how many. */
  // Hot: once per address.
  find(address: number, out: Float64Array): number {
    let count = 0;
    let row = lastAtMost(this.#start, address);
    for (let looked = 0; row >= 0 && looked < MOST_CANDIDATES; row--, looked++) {
      if (this.#highestEnd[row] <= address) break;
      if (address >= this.#end[row]) continue;
      const unit = this.#unitOffset[row];
      if (count === 0 || out[count - 1] !== unit) out[count++] = unit;
    }
    return count;
  }
}
