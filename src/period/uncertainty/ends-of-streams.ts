import { Z95 } from '../../base/normal.ts';
import type { ShareInterval } from '../../profile/analysis/shares/share-steps.ts';
import type { ShareInput } from './share-input.ts';
import type { ComputedSteps } from './uncertainty-steps.ts';

/**
 * Events that streams counted before their first and after their last samples, where no two samples say
 * what ran:
 *
 *     task     ├── head ──●─────────●─────────●── tail ──┤
 *     function  start      work      work      work   end
 *
 * Of one stream, chance decides how the head and the tail are filled: up to w events after the last
 * sample are w²/3 if they were of its function alone. Tasks that do the same, children of one program,
 * begin and end alike, so that what is missed in one is missed in all: their heads (Σ of the
 * first intervals) may be of other functions than the first samples', and their tails of any. How much
 * the tails are is known where the counters' final values are; else half a period each.
 */
export class EndsOfStreams {
  readonly #weight: number;
  readonly #allEnds: number;
  readonly #allLast: number;
  /** Events behind the last samples that are any function's; 0 of a single stream. */
  readonly #anyones: number;
  /** Events behind the last sample of a single stream, which have a place in the variance. */
  readonly #after: number;
  readonly #isOneStream: boolean;

  constructor(
    { eventsAfter }: ShareInput,
    { steps, streams, allEnds, allLast }: ComputedSteps,
    weight: number,
  ) {
    const { length, amount } = steps.last;
    let pending = 0;
    for (let i = 0; i < length; i++) pending += Math.sqrt(3 * amount[i]) / 2;
    this.#weight = weight;
    this.#allEnds = allEnds;
    this.#allLast = allLast;
    this.#isOneStream = streams <= 1;
    this.#after = eventsAfter ?? 0;
    this.#anyones = this.#isOneStream ? 0 : (eventsAfter ?? pending);
  }

  /** Variance of Σ w·x of a category; `last` is what its last samples collected. */
  #varianceOfShare(share: number, last: number): number {
    const own = last * (1 - 2 * share) + this.#allLast * share * share;
    return Math.max(0, own) + this.#varianceOfAfter(share * (1 - share));
  }

  /** Variance of the difference between two categories. */
  varianceOfDifference(difference: number, lastA: number, lastB: number, drawn: number): number {
    const own =
      lastA * (1 - 2 * difference) +
      lastB * (1 + 2 * difference) +
      this.#allLast * difference * difference;
    const alike = this.#isOneStream ? 0 : this.#allEnds + this.#anyones;
    return Math.max(0, own) + this.#varianceOfAfter(drawn) + alike ** 2 / 3;
  }

  #varianceOfAfter(drawn: number): number {
    return this.#isOneStream ? (this.#after * this.#after * drawn) / 3 : 0;
  }

  /**
   * Makes room for what came after the last samples by chance (`last`), and for heads and tails that are
   * alike. `first` is the weight of first samples that are in the category: others may have had a part of
   * that, and it a part of the others'.
   */
  widen(between: ShareInterval, share: number, last: number, first: number): ShareInterval {
    const weight = this.#weight;
    if (!(weight > 0)) return between;
    const reach = (Z95 * Math.sqrt(this.#varianceOfShare(share, last))) / weight;
    const low = Math.max(0, share - Math.hypot(share - between.low, reach));
    const high = Math.min(1, share + Math.hypot(between.high - share, reach));
    if (this.#isOneStream) return { low, high };
    const after = this.#anyones;
    const least = Math.max(0, low - first / weight);
    const most = Math.min(1, high + (this.#allEnds - first) / weight);
    return {
      low: (least * weight) / (weight + after),
      high: (most * weight + after) / (weight + after),
    };
  }
}
