// Hot: once per announced code object, of which a long-lived JIT has millions.

import { lastAtMost } from '../../base/bisect.ts';
import { NONE } from '../../base/brand.ts';
import { GrowableFloat64, GrowableInt32 } from '../../base/growable-columns.ts';
import { sortedOrder } from '../../base/sorted-order.ts';

/** Ranges that don't overlap, ascending: [starts[i], ends[i]) belongs to row rows[i]. */
export type PaintedRanges = {
  readonly length: number;
  readonly starts: Float64Array;
  readonly ends: Float64Array;
  readonly rows: Int32Array;
};

/**
 * The row that has each address when the ranges of the rows [from, to) are laid over each other:
 *
 *   row 0   |-------------------|
 *   row 1        |----|               latest on top    |- 0 -|- 1 -|-- 0 --|--- 2 ---|
 *   row 2                    |------| earliest on top  |-------- 0 --------|--- 2 ---|
 */
export function paintRanges(
  start: Float64Array,
  end: Float64Array,
  top: 'latest' | 'earliest',
  from = 0,
  to = start.length,
): PaintedRanges {
  return paintCells(cutIntoCells(start, end, from, to), top);
}

/** Addresses between two neighbouring borders of ranges. */
export type Cells = {
  readonly length: number;
  readonly start: Float64Array;
  /** The first cell of each row, and the cell behind its last. */
  readonly first: Int32Array;
  readonly limit: Int32Array;
  /** Row number of the first row. */
  readonly from: number;
};

/** All starts and ends of the rows [from, to) cut the addresses into cells. */
export function cutIntoCells(
  start: Float64Array,
  end: Float64Array,
  from: number,
  to: number,
): Cells {
  const count = to - from;
  const borders = new Float64Array(2 * count);
  borders.set(start.subarray(from, to));
  borders.set(end.subarray(from, to), count);
  const order = sortedOrder(borders);
  const cellOf = new Int32Array(2 * count);
  const cellStart = new Float64Array(2 * count);
  let length = 0;
  for (let i = 0; i < order.length; i++) {
    const border = order[i];
    const address = borders[border];
    if (length === 0 || cellStart[length - 1] !== address) cellStart[length++] = address;
    cellOf[border] = length - 1;
  }
  const [first, limit] = [cellOf.subarray(0, count), cellOf.subarray(count)];
  return { length, start: cellStart, first, limit, from };
}

/**
 * Rows take their cells in the order of their rank, and each cell goes to the first who asks: taken
 * ones are skipped over by pointers that get shorter with use, so the time follows the number of
 * rows, however they overlap.
 */
export function paintCells(cells: Cells, top: 'latest' | 'earliest'): PaintedRanges {
  const { length, first, limit, from } = cells;
  const count = first.length;
  const owner = new Int32Array(length).fill(NONE);
  /** A cell's own number while it is free, else a later cell on the way to the next free one. */
  const nextFree = new Int32Array(length + 1);
  for (let cell = 0; cell <= length; cell++) nextFree[cell] = cell;
  for (let i = 0; i < count; i++) {
    const row = top === 'latest' ? count - 1 - i : i;
    const end = limit[row];
    let cell = findFree(nextFree, first[row]);
    while (cell < end) {
      owner[cell] = from + row;
      nextFree[cell] = cell + 1;
      cell = findFree(nextFree, cell + 1);
    }
  }
  return joinCells(cells.start, owner, length);
}

function findFree(nextFree: Int32Array, from: number): number {
  let cell = from;
  while (nextFree[cell] !== cell) {
    const next = nextFree[cell];
    nextFree[cell] = nextFree[next];
    cell = next;
  }
  return cell;
}

/** Neighbouring cells of one owner as one range. */
function joinCells(cellStart: Float64Array, owner: Int32Array, cells: number): PaintedRanges {
  const starts = new GrowableFloat64();
  const ends = new GrowableFloat64();
  const rows = new GrowableInt32();
  for (let cell = 0; cell + 1 < cells; cell++) {
    const row = owner[cell];
    if (row === NONE) continue;
    const address = cellStart[cell];
    const cellEnd = cellStart[cell + 1];
    const last = rows.length - 1;
    if (last >= 0 && rows.array[last] === row && ends.array[last] === address) {
      ends.array[last] = cellEnd;
    } else {
      starts.push(address);
      ends.push(cellEnd);
      rows.push(row);
    }
  }
  return {
    length: rows.length,
    starts: starts.finish(),
    ends: ends.finish(),
    rows: rows.finish(),
  };
}

/** The row that has `address`, −1 if none. */
export function findPainted({ length, starts, ends, rows }: PaintedRanges, address: number) {
  const found = lastAtMost(starts, address, length);
  return found >= 0 && address < ends[found] ? rows[found] : NONE;
}
