import type { Slices } from '../../base/slices.ts';
import type {
  DifferenceSums,
  ShareEstimator,
  ShareInterval,
  StepSums,
} from '../../profile/analysis/share-steps.ts';
import type { LostBounds } from '../../profile/types.ts';
import { effectiveSampleSize } from '../weights.ts';
import type { ShareInput } from './share-input.ts';
import { findSplitBorders } from './uncertainty-borders.ts';
import { computeSteps } from './uncertainty-steps.ts';

/**
 * How well a share is known: the share p = Σ w·x / Σ w, x = 1 where the sample is in the category
 * (a function, a subtree), against the share of all events of this same run.
 *
 * Samples are not drawn at random: one is taken every P events. What that costs depends on how the
 * program goes about its work. Where functions alternate much faster than samples come, every
 * sample is as good as drawn: the error of an interval of w events is w²·p(1−p). Where they work
 * in phases of many samples, intervals inside a phase are right, and only those across a border
 * are wrong, by up to w whichever side gets them: w²/12 each. Formulas for drawn samples would
 * give intervals many times too wide, a bootstrap of blocks as well.
 *
 * Both show in differences of neighbours. With D₁ = ½ Σ w²(xᵢ − xᵢ₋₁)² and D₂ the same with
 * xᵢ₋₂, fast alternation adds p(1−p)w² to both, while a border adds ½w² to D₁, and twice that to
 * D₂, which steps across it twice. So with a fast part A and a slow part B
 *
 *     D₁ = A + B,  D₂ = A + 2B,  variance = A + B/6 = (11·D₁ − 5·D₂) / 6
 *
 * and never less than D₁/6, as if all were borders, nor more than A alone. D₁ is the successive
 * difference estimator of systematic sampling (K. M. Wolter, Introduction to Variance Estimation,
 * ch. 8, v₂), which takes B for A and is six times too wide on phases; his v₈ (W. G. Cochran, 1946)
 * takes A for B where both occur, and is too narrow.
 *
 * Added are the borders that were divided (`uncertainty-borders.ts`) and what each stream counted
 * after its last sample: up to w events, w²/3 if they were of the last sample's function alone; and
 * for all streams together what the counter says came after their last samples, since tasks that
 * are alike end alike.
 * The interval is Wilson's for as many drawn samples as have this variance, so it stays inside of
 * 0…1 and is right for rare functions too.
 *
 * What no estimator sees from the samples: phases that pass between two samples. If they alternate
 * regularly, the intervals are too wide; if they do so in step with the period, too narrow.
 */
export function* createShareEstimator(input: ShareInput): Slices<ShareEstimator> {
  const { weights, rows } = input;
  const after = input.eventsAfter ?? 0;
  const borders = yield* findSplitBorders(input);
  let weight = 0;
  let squares = 0;
  for (let i = 0; i < rows.length; i++) {
    const value = weights[rows[i]];
    weight += value;
    squares += value * value;
  }
  yield;
  const { steps, aloneNear, aloneFar, allLast } = yield* computeSteps(input, borders);
  /** `tail`: what the streams' ends add; `drawn`: the variance of x if samples were drawn. */
  const varianceOf = (
    near: number,
    far: number,
    border: number,
    entered: number,
    tail: number,
    drawn: number,
  ): number => {
    const withAlone = near + aloneNear * drawn;
    const farWithAlone = far + aloneFar * drawn;
    return (
      Math.min(squares * drawn, combineDifferences(withAlone, farWithAlone)) +
      oneSided(withAlone, farWithAlone, entered) +
      border +
      Math.max(0, tail) +
      (after * after * drawn) / 3
    );
  };
  const effectiveSamples = effectiveSampleSize(weights, rows);
  return {
    isExact: false,
    steps,
    effectiveSamples,
    lostBounds: input.lostBounds ?? NOTHING_LOST,
    intervalOfNothing: () => wilsonInterval(0, 0, effectiveSamples ?? 0),
    intervalOf(share: number, sums: StepSums, category: number): ShareInterval {
      const last = sums.last[category];
      const variance = varianceOf(
        sums.near[category],
        sums.far[category],
        sums.border[category],
        sums.entered[category],
        last * (1 - 2 * share) + allLast * share * share,
        share * (1 - share),
      );
      return wilsonInterval(share, variance / (weight * weight), effectiveSamples ?? 0);
    },
    errorOfDifference(shareA: number, shareB: number, sums: DifferenceSums): number {
      const { near, far, border, entered, lastA, lastB } = sums;
      const difference = shareA - shareB;
      const tail =
        lastA * (1 - 2 * difference) +
        lastB * (1 + 2 * difference) +
        allLast * difference * difference;
      const drawn = shareA + shareB - difference * difference;
      return Math.sqrt(varianceOf(near, far, border, entered, tail, drawn)) / weight;
    },
  };
}

export const NOTHING_LOST: LostBounds = { least: 1, most: 1 };

/** Variance of Σ w·x from the differences of neighbours, see above. */
export function combineDifferences(near: number, far: number): number {
  return Math.max(near / 6, (11 * near - 5 * far) / 6);
}

/**
 * A border's interval goes to the side that it ends in, c/2 too much on average. Where a category
 * is entered in longer intervals than it is left in, or once more often, that does not cancel.
 * Squared; only the slow part B has borders.
 */
function oneSided(near: number, far: number, entered: number): number {
  if (!(near > 0)) return 0;
  const slow = Math.min(1, Math.max(0, (far - near) / near));
  return slow * (entered / 2) ** 2;
}

/** Of the normal distribution: 95 % lie within so many standard deviations. */
const Z = 1.959964;

/**
 * The interval of a share with this variance. `samples` stands in where the variance says nothing:
 * at a share of 0 or 1, which no sample contradicts (`3.84 / (samples + 3.84)` is left).
 */
export function wilsonInterval(share: number, variance: number, samples: number): ShareInterval {
  // Rounding may leave a sum of all weights just beside 1.
  const p = Math.min(1, Math.max(0, share));
  const drawn = p * (1 - p);
  if (variance === 0 && drawn > 1e-9) return { low: p, high: p };
  const n = drawn > 1e-9 && variance > 0 ? drawn / variance : samples;
  if (!(n > 0)) return { low: 0, high: 1 };
  const z2 = Z * Z;
  const middle = (p + z2 / (2 * n)) / (1 + z2 / n);
  const half = (Z / (1 + z2 / n)) * Math.sqrt(drawn / n + z2 / (4 * n * n));
  return {
    low: Math.max(0, Math.min(p, middle - half)),
    high: Math.min(1, Math.max(p, middle + half)),
  };
}

/**
 * How many more seconds of the same would separate two shares: their difference then exceeds what
 * chance makes of it. 0 if it does already; null if that would take more than `MAX_TIMES` the
 * recording, or there is no difference at all.
 *
 * `difference` and its `standardError` are in the same unit, `seconds` is how long was recorded.
 */
export function secondsToSeparate(
  difference: number,
  standardError: number,
  seconds: number,
): number | null {
  const times = ((Z * standardError) / Math.abs(difference)) ** 2;
  if (times <= 1) return 0;
  return times <= MAX_TIMES ? seconds * (times - 1) : null;
}

/** Beyond that two shares are as good as equal, and programs don't stay the same that long. */
const MAX_TIMES = 20;
