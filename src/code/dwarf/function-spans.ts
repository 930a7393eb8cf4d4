import { lastOffsetAtMost } from '../../base/bisect.ts';
import { NONE } from '../../base/brand.ts';
import { GrowableInt32 } from '../../base/growable-columns.ts';
import { sortedOrder } from '../../base/sorted-order.ts';
import type { AddressRanges } from './address-ranges.ts';

/** An interval that does not nest is put below those inside it, looking at this many at most. */
const MOST_MOVED = 64;

/**
 * Nested ranges, flattened: from `start[i]` to `start[i + 1]` the innermost function is `row[i]`, −1
 * where there is none. Ascending, so that one binary search finds it.
 *
 *   ranges   main ├──────────────────────┤        start  row
 *            f         ├─────────┤                0x10   main
 *            g             ├──┤                   0x20   f
 *                                                 0x28   g
 *                                                 0x30   f …
 */
export type FunctionSpans = {
  /** Start of the first span. */
  readonly base: number;
  /** Bytes from `base`. */
  readonly start: Uint32Array;
  readonly row: Int32Array;
};

/** Code of one unit is never this far apart; what claims to be is left out. */
const MAX_EXTENT = 2 ** 32;

/**
 * Flattens `ranges`, of which the `i`th belongs to row `rowOf[i]`. Rows are in the order of the tree,
 * callers first: where ranges overlap the higher row is the inner one.
 */
export function paintSpans(ranges: AddressRanges, rowOf: Int32Array): FunctionSpans {
  const count = ranges.length;
  const starts = ranges.start.array;
  const ends = ranges.end.array;
  // Equal starts keep their order, so a caller comes before what begins where it does.
  const order = sortedOrder(starts, count);
  const base = count === 0 ? 0 : starts[order[0]];
  const start = new GrowableInt32(Math.max(16, count));
  const row = new GrowableInt32(Math.max(16, count));
  /** Ranges that are open, rows ascending. */
  const open: number[] = [];
  for (let i = 0; i < count; i++) {
    const range = order[i];
    const from = starts[range];
    if (ends[range] - base >= MAX_EXTENT) continue;
    closeUntil(from);
    let at = open.length;
    const lowest = Math.max(0, at - MOST_MOVED);
    while (at > lowest && rowOf[open[at - 1]] > rowOf[range]) at--;
    if (at === open.length) open.push(range);
    else open.splice(at, 0, range);
    emit(from);
  }
  closeUntil(Number.POSITIVE_INFINITY);
  return { base, start: new Uint32Array(start.finish().buffer), row: row.finish() };

  /** Ends what ends at or before `limit`, innermost first; those below may end before it. */
  function closeUntil(limit: number): void {
    while (open.length > 0) {
      const end = ends[open[open.length - 1]];
      if (end > limit) return;
      open.pop();
      while (open.length > 0 && ends[open[open.length - 1]] <= end) open.pop();
      emit(end);
    }
  }

  function emit(from: number): void {
    const inner = open.length === 0 ? NONE : rowOf[open[open.length - 1]];
    const last = start.length - 1;
    const offset = (from - base) | 0;
    if (last >= 0 && start.array[last] === offset) row.array[last] = inner;
    else if (last < 0 || row.array[last] !== inner) {
      start.push(offset);
      row.push(inner);
    }
  }
}

/** The row of the innermost function at `address`, −1 if there is none. */
// Hot: once per address.
export function findSpan({ base, start, row }: FunctionSpans, address: number): number {
  const span = lastOffsetAtMost(start, address - base);
  return span < 0 ? NONE : row[span];
}
