import { lastAtMost } from '../../base/bisect.ts';
import { GrowableFloat64 } from '../../base/growable-columns.ts';
import { sortedOrder } from '../../base/sorted-order.ts';
import { Fde, type FrameEntries } from './frame-entries.ts';

/**
 * The functions of a section in the order of their addresses, made once where the file brings no
 * table. Overlapping entries don't occur in what linkers write; of two with one start, one wins.
 */
export class FdeIndex {
  readonly #starts: Float64Array;
  readonly #offsets: Float64Array;

  constructor(entries: FrameEntries) {
    const starts = new GrowableFloat64();
    const offsets = new GrowableFloat64();
    const fde = new Fde();
    for (let offset = 0; offset >= 0; ) {
      const next = entries.readEntry(offset, fde);
      // A start of 0 is that of a function which the linker threw away.
      if (fde.cie !== null && fde.start !== 0) {
        starts.push(fde.start);
        offsets.push(offset);
      }
      offset = next;
    }
    const unsorted = starts.array;
    const order = sortedOrder(unsorted, starts.length);
    this.#starts = Float64Array.from(order, (row) => unsorted[row]);
    this.#offsets = Float64Array.from(order, (row) => offsets.array[row]);
  }

  get length(): number {
    return this.#starts.length;
  }

  /** Offset of the entry of the last function that starts at or before `address`, −1 if none. */
  find(address: number): number {
    const row = lastAtMost(this.#starts, address);
    return row < 0 ? -1 : this.#offsets[row];
  }
}
