import { lastAtMost } from './bisect.ts';
import { GrowableFloat64 } from './growable-columns.ts';

const FIRST_CAPACITY = 16;

/** Spans [from, to) of times, offsets or addresses: ascending, and none meets the next. */
export class Spans {
  readonly from = new GrowableFloat64(FIRST_CAPACITY);
  readonly to = new GrowableFloat64(FIRST_CAPACITY);

  get length(): number {
    return this.from.length;
  }

  /** Takes the spans in the order of their begins; one that overlaps or meets the last one is a part of it. */
  add(from: number, to: number): void {
    const last = this.to.length - 1;
    if (last >= 0 && from <= this.to.array[last]) {
      this.to.array[last] = Math.max(this.to.array[last], to);
      return;
    }
    this.from.push(from);
    this.to.push(to);
  }

  /** Row of the last span that begins at `value` or before; −1 if there is none. */
  rowAt(value: number): number {
    return lastAtMost(this.from.array, value, this.from.length);
  }

  /** Whether a single span has all of [from, to). */
  has(from: number, to: number): boolean {
    const row = this.rowAt(from);
    return row >= 0 && to <= this.to.array[row];
  }

  each(visit: (from: number, to: number) => void): void {
    for (let row = 0; row < this.length; row++) visit(this.from.array[row], this.to.array[row]);
  }

  /** Calls `visit` with the parts of [from, to) that lie in the spans. */
  eachPart(from: number, to: number, visit: (from: number, to: number) => void): void {
    const { array: begins, length } = this.from;
    for (let row = Math.max(0, this.rowAt(from)); row < length && begins[row] < to; row++) {
      const begin = Math.max(from, begins[row]);
      const end = Math.min(to, this.to.array[row]);
      if (end > begin) visit(begin, end);
    }
  }
}
