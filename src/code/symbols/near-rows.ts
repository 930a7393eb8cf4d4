import { firstNotBelow } from '../../base/bisect.ts';

/**
 * Numbers of the rows that decide which symbol is at the `wanted` addresses, in their order. A table of
 * these rows alone finds the same there; the rest need not be sorted. `wanted` is ascending.
 *
 * The wanted addresses divide all starts into gaps. Of a gap these count:
 *
 *      wanted[k−1]                         wanted[k]
 *           |   F  A     B        C  L        |
 *                                    ------------     the last start, L: nothing is nearer to wanted[k]
 *                        ----------------------       what reaches over L; it may hold wanted[k], and a label at L
 *               -                                     the first start, F: where a symbol without a size, before
 *                                                     wanted[k−1], ends
 *
 * and with each of them all other rows of the same start, since the choice is among aliases. A and C end
 * before L, so they end before wanted[k] as well.
 */
export function rowsNear(
  start: Float64Array,
  end: Float64Array,
  wanted: Float64Array,
): Uint32Array {
  const { length } = start;
  const gaps = wanted.length + 1;
  const gapOf = new Uint32Array(length);
  const first = new Float64Array(gaps).fill(Number.POSITIVE_INFINITY);
  const last = new Float64Array(gaps).fill(Number.NEGATIVE_INFINITY);
  for (let row = 0; row < length; row++) {
    const at = start[row];
    const gap = firstNotBelow(wanted, at);
    gapOf[row] = gap;
    if (at < first[gap]) first[gap] = at;
    if (at > last[gap]) last[gap] = at;
  }
  // Nothing is wanted in the gap behind the last wanted address, nor before the first.
  last[gaps - 1] = Number.POSITIVE_INFINITY;
  first[0] = Number.NaN;
  const reaching = new Set<number>();
  const hasReaching = new Uint8Array(gaps);
  for (let row = 0; row < length; row++) {
    const gap = gapOf[row];
    if (!(end[row] > last[gap])) continue;
    reaching.add(start[row]);
    hasReaching[gap] = 1;
  }
  const near = new Uint32Array(length);
  let count = 0;
  for (let row = 0; row < length; row++) {
    const at = start[row];
    const gap = gapOf[row];
    const isNear =
      at === last[gap] || at === first[gap] || (hasReaching[gap] === 1 && reaching.has(at));
    if (isNear) near[count++] = row;
  }
  return near.subarray(0, count);
}
