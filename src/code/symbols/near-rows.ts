// Hot: once per symbol of a file of which few addresses are asked for.

import { firstNotBelow } from '../../base/bisect.ts';

/**
 * The rows that decide which symbol is at the `wanted` addresses, which are ascending. A table of these rows alone finds
 * the same there; the rest need not be sorted, nor kept. All rows are shown to `noteStarts`, then to `noteEnds`, then to
 * `pick`, in pieces of any size; or to `pickLikely`, and what this has picked to `noteEnds`.
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
export class NearRows {
  readonly #wanted: Float64Array;
  /** The first and the last start in each gap. */
  readonly #first: Float64Array;
  readonly #last: Float64Array;
  /** Other starts of rows that reach over the last start of their gap, and whether a gap has any. */
  readonly #reaching = new Set<number>();
  readonly #hasReaching: Uint8Array;

  constructor(wanted: Float64Array) {
    const gaps = wanted.length + 1;
    this.#wanted = wanted;
    this.#first = new Float64Array(gaps).fill(Number.POSITIVE_INFINITY);
    this.#last = new Float64Array(gaps).fill(Number.NEGATIVE_INFINITY);
    this.#hasReaching = new Uint8Array(gaps);
    // Nothing is wanted in the gap behind the last wanted address, nor before the first.
    this.#last[gaps - 1] = Number.POSITIVE_INFINITY;
    this.#first[0] = Number.NaN;
  }

  noteStarts(start: Float64Array, length: number): void {
    const wanted = this.#wanted;
    const first = this.#first;
    const last = this.#last;
    for (let row = 0; row < length; row++) {
      const at = start[row];
      const gap = firstNotBelow(wanted, at);
      if (at < first[gap]) first[gap] = at;
      if (at > last[gap]) last[gap] = at;
    }
  }

  noteEnds(start: Float64Array, end: Float64Array, length: number): void {
    const wanted = this.#wanted;
    const last = this.#last;
    for (let row = 0; row < length; row++) {
      const at = start[row];
      const gap = firstNotBelow(wanted, at);
      // Those that begin last count anyway.
      if (!(end[row] > last[gap]) || at === last[gap]) continue;
      this.#reaching.add(at);
      this.#hasReaching[gap] = 1;
    }
  }

  /**
   * Numbers of the rows that may be among them by what was shown so far, which are noted as by `noteStarts`. Behind the
   * last row nothing else is among them, but for rows that begin where one does that `noteEnds` has found (`hasReaching`).
   */
  pickLikely(start: Float64Array, size: Float64Array, length: number): Uint32Array {
    const wanted = this.#wanted;
    const first = this.#first;
    const last = this.#last;
    const likely: number[] = [];
    for (let row = 0; row < length; row++) {
      const at = start[row];
      const gap = firstNotBelow(wanted, at);
      if (!(at + size[row] > last[gap] || at >= last[gap] || at <= first[gap])) continue;
      likely.push(row);
      if (at < first[gap]) first[gap] = at;
      if (at > last[gap]) last[gap] = at;
    }
    return Uint32Array.from(likely);
  }

  /** Whether a row reaches over the last start of its gap: others that begin there may have been shown before. */
  get hasReaching(): boolean {
    return this.#reaching.size > 0;
  }

  /** Numbers of those among these rows, in their order. */
  pick(start: Float64Array, length: number): Uint32Array {
    const wanted = this.#wanted;
    const reaching = this.#reaching;
    const hasReaching = this.#hasReaching;
    const first = this.#first;
    const last = this.#last;
    const near: number[] = [];
    for (let row = 0; row < length; row++) {
      const at = start[row];
      const gap = firstNotBelow(wanted, at);
      const isNear =
        at === last[gap] || at === first[gap] || (hasReaching[gap] === 1 && reaching.has(at));
      if (isNear) near.push(row);
    }
    return Uint32Array.from(near);
  }
}
