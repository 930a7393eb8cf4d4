// Hot: once per sample.

import type { Slices } from '../../base/slices.ts';
import type { ShareInput } from './share-input.ts';

/** In `findSplitBorders`: the interval that ends with this sample was not divided. */
export const NOT_SPLIT = -1;

/**
 * How well the borders between phases are known that `border-split.ts` divided: per row of the
 * sample table the variance, in squared events, of what was moved across. Null if none was.
 *
 * Undivided, an interval of c events has its border anywhere: c²/12. Divided, the border's place
 * comes from the interval's time and the rates a and b on either side, and is off by what the time
 * is off: if rates scatter by s, x events of the one phase and c − x of the other take that much
 * longer or shorter, which moves the border by s·(c − x)·a/(a − b) events where a is the higher
 * rate. With x anywhere in c that is a variance of
 *
 *     s²/3 · (a/(a − b))² · c²        and never more than c²/12
 *
 * plus a quarter for the rates themselves, taken from four intervals. s² is a stream's mean over
 * neighbouring intervals that were not divided.
 */
export function* findSplitBorders({
  weights,
  groups,
  event,
  course,
}: ShareInput): Slices<Float64Array | null> {
  if (course === undefined) return null;
  const { elapsedEvents: elapsed, timeNs } = course;
  let found: Float64Array | null = null;
  for (let g = 0; g < groups.length; g++) {
    if (groups.event[g] !== event) continue;
    const rows = groups.rows.subarray(groups.offsets[g], groups.offsets[g + 1]);
    let scatter = -1;
    for (let k = SIDE + 1; k < rows.length - SIDE; k++) {
      const row = rows[k];
      const count = elapsed[row];
      // Dividing moves events to the sample before; what is taken off for other reasons does not.
      const previous = rows[k - 1];
      const isDivided = weights[row] < count && weights[previous] > elapsed[previous];
      if (!isDivided) continue;
      if (scatter < 0) scatter = rateScatter(rows, elapsed, timeNs, weights);
      found ??= new Float64Array(weights.length).fill(NOT_SPLIT);
      const before = meanRate(rows, k - SIDE, k - 1, elapsed, timeNs);
      const after = meanRate(rows, k + 1, k + SIDE, elapsed, timeNs);
      const high = Math.max(before, after);
      const lever = high / (high - Math.min(before, after));
      const placed = (scatter / 3) * FROM_FOUR_RATES * lever * lever;
      // NaN where the rates are equal or unknown: then the place is not known better.
      found[row] = count * count * (placed < 1 / 12 ? placed : 1 / 12);
    }
    yield;
  }
  return found;
}

/** As many intervals on either side as `border-split.ts` looks at. */
const SIDE = 4;
const FROM_FOUR_RATES = 1 + 1 / SIDE;

/** Events per nanosecond over the intervals that end with samples `first` … `last` of a stream. */
function meanRate(
  rows: Int32Array,
  first: number,
  last: number,
  elapsed: Float64Array,
  timeNs: Float64Array,
): number {
  let events = 0;
  for (let k = first; k <= last; k++) events += elapsed[rows[k]];
  const start = timeNs[rows[first - 1]];
  return events / (timeNs[rows[last]] - start);
}

/** Mean of ½(r − r′)²/r² over neighbouring intervals, at most ½ each: what s² is. */
function rateScatter(
  rows: Int32Array,
  elapsed: Float64Array,
  timeNs: Float64Array,
  weights: Float64Array,
): number {
  let sum = 0;
  let pairs = 0;
  let previous = Number.NaN;
  for (let k = 1; k < rows.length; k++) {
    const row = rows[k];
    const count = elapsed[row];
    const nanos = timeNs[row] - timeNs[rows[k - 1]];
    const isDivided = weights[row] < count;
    const rate = nanos > 0 && !isDivided ? count / nanos : Number.NaN;
    const difference = (rate - previous) / ((rate + previous) / 2);
    if (!Number.isNaN(difference)) {
      sum += Math.min(1, difference * difference) / 2;
      pairs++;
    }
    previous = rate;
  }
  return pairs > 0 ? sum / pairs : 1;
}
