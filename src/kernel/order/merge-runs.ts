// Hot: a few times per record.

/**
 * Shorter runs are extended to this length by insertion: nested interrupts leave pairs of records
 * out of order inside a ring, which would otherwise break it into many tiny runs.
 */
const SHORTEST_RUN = 32;

/**
 * Stable sort of the first `length` rows of two columns by the first, as a natural merge sort:
 * what is in order already is one run, and neighbouring runs are merged until one is left. Rows
 * from k rings are about k runs, so they cost log2 k passes.
 *
 * Uses the spare columns, at least as long, for merging; true if the result is in them.
 */
export function mergeRuns(
  keys: Float64Array,
  values: Float64Array,
  length: number,
  spareKeys: Float64Array,
  spareValues: Float64Array,
): boolean {
  let ends = findRuns(keys, values, length);
  let fromKeys = keys;
  let fromValues = values;
  let toKeys = spareKeys;
  let toValues = spareValues;
  let inSpare = false;
  while (ends.length > 1) {
    const merged: number[] = [];
    let start = 0;
    for (let run = 0; run < ends.length; run += 2) {
      const middle = ends[run];
      const end = run + 1 < ends.length ? ends[run + 1] : middle;
      mergePair(fromKeys, fromValues, start, middle, end, toKeys, toValues);
      merged.push(end);
      start = end;
    }
    ends = merged;
    const keysRead = fromKeys;
    const valuesRead = fromValues;
    fromKeys = toKeys;
    fromValues = toValues;
    toKeys = keysRead;
    toValues = valuesRead;
    inSpare = !inSpare;
  }
  return inSpare;
}

/** Splits the rows into runs in order, short ones sorted on the way; returns where each ends. */
function findRuns(keys: Float64Array, values: Float64Array, length: number): number[] {
  const ends: number[] = [];
  let start = 0;
  while (start < length) {
    let end = start + 1;
    while (end < length && keys[end - 1] <= keys[end]) end++;
    const atLeast = Math.min(start + SHORTEST_RUN, length);
    if (end < atLeast) {
      insertInto(keys, values, start, end, atLeast);
      end = atLeast;
      while (end < length && keys[end - 1] <= keys[end]) end++;
    }
    ends.push(end);
    start = end;
  }
  return ends;
}

/** Inserts the rows [next, end) one by one into the sorted rows [start, next). */
function insertInto(
  keys: Float64Array,
  values: Float64Array,
  start: number,
  next: number,
  end: number,
): void {
  for (let row = next; row < end; row++) {
    const key = keys[row];
    const value = values[row];
    let at = row;
    while (at > start && keys[at - 1] > key) {
      keys[at] = keys[at - 1];
      values[at] = values[at - 1];
      at--;
    }
    keys[at] = key;
    values[at] = value;
  }
}

/** Merges [start, middle) and [middle, end) into the same place of the other columns. */
function mergePair(
  keys: Float64Array,
  values: Float64Array,
  start: number,
  middle: number,
  end: number,
  toKeys: Float64Array,
  toValues: Float64Array,
): void {
  const at = mergeWhileBoth(keys, values, start, middle, end, toKeys, toValues);
  // The run whose last key comes first is used up; what is left of the other stays in order.
  const isLeftDone = keys[middle - 1] <= keys[end - 1];
  const rest = isLeftDone ? at : at - (end - middle);
  toKeys.set(keys.subarray(rest, rest + end - at), at);
  toValues.set(values.subarray(rest, rest + end - at), at);
}

/**
 * Merges until one of the runs is used up; returns where that is in the other columns. The loop is all
 * of it: V8 compiles it while it runs, and then has nothing to go on with that never ran before.
 */
function mergeWhileBoth(
  keys: Float64Array,
  values: Float64Array,
  start: number,
  middle: number,
  end: number,
  toKeys: Float64Array,
  toValues: Float64Array,
): number {
  let left = start;
  let right = middle;
  let at = start;
  while (left < middle && right < end) {
    const leftKey = keys[left];
    const rightKey = keys[right];
    if (leftKey <= rightKey) {
      toKeys[at] = leftKey;
      toValues[at] = values[left];
      left++;
    } else {
      toKeys[at] = rightKey;
      toValues[at] = values[right];
      right++;
    }
    at++;
  }
  return at;
}
