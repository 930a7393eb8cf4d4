import { sortedOrder } from '../../base/sorted-order.ts';

/** The columns of the sample table, and others as long; all are rearranged in place. */
export type OrderedColumns = {
  readonly timeNs: Float64Array;
  readonly others: readonly { readonly length: number; [row: number]: number }[];
  /** The rows that should be in order, the first ones; default all. */
  readonly recorded?: number;
};

/** The changes that were made to get time order. */
export type Reordering = {
  /** Old row -> new row; null: all were in order. */
  readonly newRow: Uint32Array | null;
  readonly withoutTime: number;
  /** Samples with a time before that of the sample before them. */
  readonly late: number;
};

/** Times are raw ones less the start: beyond these there is none. */
const LATEST_NS = 2 ** 63;

/**
 * Puts samples into time order. Sorting by rounds has done so, unless a record is later than its round
 * promised, or damaged. A sample without a time, or with one before the recording's start, gets that of
 * the sample before it, so that one bad time does not move others; where no sample has a time they all
 * stay without.
 */
export function putInTimeOrder({
  timeNs,
  others,
  recorded = timeNs.length,
}: OrderedColumns): Reordering {
  const { length } = timeNs;
  let withoutTime = 0;
  let late = 0;
  let last = 0;
  for (let row = 0; row < length; row++) {
    const time = timeNs[row];
    if (!isTime(time)) {
      withoutTime++;
      continue;
    }
    if (row < recorded && time < last) late++;
    last = time;
  }
  if (withoutTime === length) timeNs.fill(Number.NaN);
  else if (withoutTime > 0) fillTimes(timeNs);
  if (late === 0 && recorded === length) return { newRow: null, withoutTime, late };
  const order = sortedOrder(timeNs);
  for (const column of [timeNs, ...others]) {
    const old = new Float64Array(column);
    for (let row = 0; row < length; row++) column[row] = old[order[row]];
  }
  const newRow = new Uint32Array(length);
  for (let row = 0; row < length; row++) newRow[order[row]] = row;
  return { newRow, withoutTime, late };
}

function isTime(timeNs: number): boolean {
  return timeNs >= 0 && timeNs < LATEST_NS;
}

function fillTimes(timeNs: Float64Array): void {
  let last = timeNs.find(isTime) as number;
  for (let row = 0; row < timeNs.length; row++) {
    if (isTime(timeNs[row])) last = timeNs[row];
    else timeNs[row] = last;
  }
}
