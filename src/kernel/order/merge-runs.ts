// Hot: a few times per record.

/**
 * Shorter runs are extended to this length by insertion: nested interrupts leave pairs of records
 * out of order inside a ring, which would otherwise break it into many tiny runs.
 */
const SHORTEST_RUN = 32;

/** Rows of two columns: the times that they are sorted by, and what comes with each. */
export type TimedRows = { readonly times: Float64Array; readonly positions: Float64Array };

/**
 * Stable sort of the first `length` rows by their times, as a natural merge sort:
 * what is in order already is one run, and neighbouring runs are merged until one is left. Rows
 * from k rings are about k runs, so they cost log2 k passes.
 *
 * Merges to and fro between `rows` and `spare`, which has room for as many; returns the one of them
 * that has the result.
 */
export function mergeRuns(rows: TimedRows, length: number, spare: TimedRows): TimedRows {
  let ends = findRuns(rows, length);
  let from = rows;
  let to = spare;
  while (ends.length > 1) {
    const merged: number[] = [];
    let start = 0;
    for (let run = 0; run < ends.length; run += 2) {
      const middle = ends[run];
      const end = run + 1 < ends.length ? ends[run + 1] : middle;
      mergePair(from, start, middle, end, to);
      merged.push(end);
      start = end;
    }
    ends = merged;
    const read = from;
    from = to;
    to = read;
  }
  return from;
}

/** Splits the rows into runs in order, short ones sorted on the way; returns where each ends. */
function findRuns(rows: TimedRows, length: number): number[] {
  const { times } = rows;
  const ends: number[] = [];
  let start = 0;
  while (start < length) {
    let end = start + 1;
    while (end < length && times[end - 1] <= times[end]) end++;
    const atLeast = Math.min(start + SHORTEST_RUN, length);
    if (end < atLeast) {
      insertInto(rows, start, end, atLeast);
      end = atLeast;
      while (end < length && times[end - 1] <= times[end]) end++;
    }
    ends.push(end);
    start = end;
  }
  return ends;
}

/** Inserts the rows [next, end) one by one into the sorted rows [start, next). */
function insertInto(
  { times, positions }: TimedRows,
  start: number,
  next: number,
  end: number,
): void {
  for (let row = next; row < end; row++) {
    const time = times[row];
    const position = positions[row];
    let at = row;
    while (at > start && times[at - 1] > time) {
      times[at] = times[at - 1];
      positions[at] = positions[at - 1];
      at--;
    }
    times[at] = time;
    positions[at] = position;
  }
}

/** Merges [start, middle) and [middle, end) of `from` into the same place of `to`. */
function mergePair(
  from: TimedRows,
  start: number,
  middle: number,
  end: number,
  to: TimedRows,
): void {
  const { times, positions } = from;
  const at = mergeWhileBoth(from, start, middle, end, to);
  // The run whose last time comes first is used up; what is left of the other stays in order.
  const isLeftDone = times[middle - 1] <= times[end - 1];
  const rest = isLeftDone ? at : at - (end - middle);
  to.times.set(times.subarray(rest, rest + end - at), at);
  to.positions.set(positions.subarray(rest, rest + end - at), at);
}

/**
 * Merges until one of the runs is used up; returns where that is in `to`. The loop is all
 * of it: V8 compiles it while it runs, and then has nothing to go on with that never ran before.
 */
function mergeWhileBoth(
  { times, positions }: TimedRows,
  start: number,
  middle: number,
  end: number,
  to: TimedRows,
): number {
  const toTimes = to.times;
  const toPositions = to.positions;
  let left = start;
  let right = middle;
  let at = start;
  while (left < middle && right < end) {
    const leftTime = times[left];
    const rightTime = times[right];
    if (leftTime <= rightTime) {
      toTimes[at] = leftTime;
      toPositions[at] = positions[left];
      left++;
    } else {
      toTimes[at] = rightTime;
      toPositions[at] = positions[right];
      right++;
    }
    at++;
  }
  return at;
}
