// Hot: once per sample.

/** The variance of a visit to a function in squared intervals, where its two ends have nothing to do with each other. */
const OF_ANY_VISIT = 1 / 6;

/**
 * The variance of a visit where visits are of one size, or of multiples of it: each leaves the same rest δ of an interval, and its ends go
 * together. It has ⌊L⌋ samples or one more, with a variance of δ(1 − δ), up to ¼, which is that of its error as well.
 *
 *     calls of 21.4 intervals     21 or 22 samples; 42 or 43 where two follow each other, 64 or 65
 *     visits of any size          17, 18, 19, 20, 21, 22, 23, …
 */
export function varianceOfVisits(
  streams: readonly Int32Array[],
  place: ArrayLike<number> | undefined,
): number {
  if (place === undefined) return OF_ANY_VISIT;
  const runs = lengthsByPlace(streams, place).flatMap(runsOfLengths);
  let visits = 0;
  let samples = 0;
  let alike = 0;
  for (const { count, mean, variance } of runs) {
    visits += count;
    samples += count * mean;
    if (count >= LEAST_ALIKE && variance <= MOST_VARIANCE) alike += count;
  }
  if (alike < LEAST_VISITS || alike < ALIKE * visits || samples < LEAST_LENGTH * visits) {
    return OF_ANY_VISIT;
  }
  const common = runs.filter(({ count }) => count >= COMMON * visits);
  return Math.max(OF_ANY_VISIT, ...common.map(({ variance }) => Math.min(1 / 4, variance)));
}

/** Visits of lengths next to each other that tell how these vary, and the variance that they have at most. */
const LEAST_ALIKE = 4;
const MOST_VARIANCE = 0.3;
/** Visits that are to be of such lengths: so many, and this part of all. */
const LEAST_VISITS = 20;
const ALIKE = 0.8;
/** The part of all visits that those of one size have, by which intervals are judged. */
const COMMON = 0.1;
/** Samples of a visit on average; where functions alternate at nearly every one nothing is a visit. */
const LEAST_LENGTH = 4;

type RunOfLengths = { readonly count: number; readonly mean: number; readonly variance: number };

/** Visits whose lengths follow each other without a gap. */
function runsOfLengths(lengths: ReadonlyMap<number, number>): RunOfLengths[] {
  const runs: RunOfLengths[] = [];
  for (const first of lengths.keys()) {
    if (lengths.has(first - 1)) continue;
    let count = 0;
    let sum = 0;
    let squares = 0;
    for (let more = 0; lengths.has(first + more); more++) {
      const visits = lengths.get(first + more) ?? 0;
      count += visits;
      sum += visits * more;
      squares += visits * more * more;
    }
    const mean = sum / count;
    runs.push({ count, mean: first + mean, variance: squares / count - mean * mean });
  }
  return runs;
}

/** Visits of each number of samples, for each function; without the first and the last of a stream, which may have been longer. */
function lengthsByPlace(
  streams: readonly Int32Array[],
  place: ArrayLike<number>,
): Map<number, number>[] {
  const byPlace = new Map<number, Map<number, number>>();
  for (const rows of streams) {
    let begin = -1;
    for (let k = 1; k < rows.length; k++) {
      const left = place[rows[k - 1]];
      if (place[rows[k]] === left) continue;
      if (begin >= 0) {
        const lengths = byPlace.get(left) ?? new Map<number, number>();
        byPlace.set(left, lengths);
        lengths.set(k - begin, (lengths.get(k - begin) ?? 0) + 1);
      }
      begin = k;
    }
  }
  return [...byPlace.values()];
}
