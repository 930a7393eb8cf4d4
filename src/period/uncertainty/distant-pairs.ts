import { lastAtMost } from '../../base/bisect.ts';

/** Pairs of samples of a stream, by their places in it. */
export type SamplePair = readonly [from: number, to: number];

/** Pairs looked for at most: half of them before the place, half behind it. */
const WANTED = 24;
/** A pair has about as many events between its samples as asked: no fewer than 1/so much, nor more. */
const TOLERANCE = 1.6;

/**
 * Pairs of samples with about `events` events between them, the nearest to place `k` of the stream.
 * They show how often a function differs over that many events, where k's own interval, much longer
 * than those around it, shows it only once. `counted` is what the counter had counted at each of the
 * stream's `length` samples.
 *
 *     counted    … 900  1000  1100  1200  1300 │ 1800 (k) …      events 500
 *     pairs              ├───────────────────────┘ and so on, one every eighth of the way
 */
export function findDistantPairs(
  counted: Float64Array,
  length: number,
  k: number,
  events: number,
): SamplePair[] {
  const pairs: SamplePair[] = [];
  const stride = events / 8;
  const add = (from: number, to: number) => {
    if (from < 0 || to >= length || from === to) return;
    const between = counted[to] - counted[from];
    if (between * TOLERANCE < events || between > events * TOLERANCE) return;
    pairs.push([from, to]);
  };
  let from = Math.max(0, k - 1);
  let to = k;
  let next = counted[from];
  // Backwards: pairs that end at or before k's interval's beginning, then forwards from k.
  for (let i = 0; i < WANTED / 2; i++) {
    to = lastAtMost(counted, next, length);
    from = lastAtMost(counted, next - events, length);
    if (next - events < 0) break;
    add(from, to);
    next = Math.min(next - stride, counted[to] - 1);
  }
  next = counted[k];
  for (let i = 0; i < WANTED / 2; i++) {
    from = lastAtMost(counted, next, length);
    to = lastAtMost(counted, next + events, length);
    add(from, to);
    if (to >= length - 1) break;
    next = Math.max(next + stride, counted[from + 1]);
  }
  return pairs;
}
