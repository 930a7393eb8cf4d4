import type { Slices } from '../../base/slices.ts';
import type { ShareEstimator } from '../../profile/analysis/shares/share-steps.ts';
import type { SamplePlaces } from '../../profile/sample-places.ts';
import type { Weights } from '../../profile/types.ts';
import type { Alignment } from '../alignment.ts';
import { type InStep, placeOfTasks } from '../in-step.ts';
import { areIntervalsDivided } from '../interval-split.ts';
import type { PeriodInput } from '../types.ts';
import { effectiveSampleSize } from '../weights.ts';
import { areWaits, createExactEstimator, isMeasured } from './measured.ts';
import { NO_STEPS, shiftOfOtherReading } from './other-reading.ts';
import type { ShareInput } from './share-input.ts';
import { createShareEstimator, NOTHING_LOST, wilsonInterval } from './uncertainty.ts';

/** Samples of one event, whose shares are to be estimated. */
export type EstimatedEvent = {
  readonly input: PeriodInput;
  readonly alignment: Pick<Alignment, 'groups' | 'arrivedEvents' | 'rules'>;
  readonly weights: Weights;
  /** Row of `input.events`. */
  readonly event: number;
  /** All samples of the event, or those that are selected. */
  readonly rows: Int32Array;
  /** `rows` are all: only then it is known what was counted between them. */
  readonly isWhole: boolean;
  /** The counter's final value over all instances; null if it is not known. */
  readonly eventsCounted: number | null;
  /** Asked only where it matters. */
  readonly inStep: () => InStep | null;
  readonly places: () => SamplePlaces;
};

/**
 * The estimator of an event's shares; null for sums of samples, for waits of which some were lost, and for an event that its group's leader
 * reads: it was counted where samples of another event fell, and no formula of samples holds.
 */
export function* estimateEvent(of: EstimatedEvent): Slices<ShareEstimator | null> {
  const { input, alignment, weights, event, rows, isWhole, inStep } = of;
  const { groups, arrivedEvents } = alignment;
  if (weights.areSums) return null;
  const lostBounds = weights.lostBounds?.[event] ?? null;
  const sampled = { weights: weights.values, rows, groups, event, lostBounds };
  if (isMeasured(input, event, weights.kind)) return createExactEstimator(sampled);
  const described = input.events[event];
  if (described.areDrawn) return createDrawnEstimator(sampled);
  if (areWaits(described) || described.leader !== undefined) return null;
  const isOfEvents = weights.kind === 'events' || weights.kind === 'wall';
  const isInDoubt = isOfEvents && alignment.rules[event].rule === 'unknown';
  const shared = {
    ...sampled,
    ...(isInDoubt && { shift: shiftOfOtherReading(input, groups, sampled) }),
  };
  if (weights.kind !== 'events' || !isWhole) return yield* createShareEstimator(shared);
  const { periodEvents } = input.samples;
  return yield* createShareEstimator({
    ...shared,
    course: {
      arrivedEvents,
      periodEvents,
      isHalved: areIntervalsDivided(input.events[event]),
      isFixed: described.fixedPeriod !== null,
      tails: weights.tails,
    },
    inStep: inStep(),
    ...(described.mode === 'frequency' && { place: placeOfTasks(described.type, of.places()) }),
    eventsAfter: eventsAfter(of),
  });
}

/** The estimator of samples that were drawn, each by itself, as V8 draws bytes of its heap. */
function createDrawnEstimator({ weights, rows }: ShareInput): ShareEstimator {
  const effectiveSamples = effectiveSampleSize(weights, rows) ?? 0;
  const intervalOf = (share: number) =>
    wilsonInterval(share, (share * (1 - share)) / effectiveSamples, effectiveSamples);
  return {
    isExact: false,
    steps: { near: [], far: [], ends: NO_STEPS, last: NO_STEPS, lone: NO_STEPS, shift: NO_STEPS },
    effectiveSamples,
    lostBounds: NOTHING_LOST,
    intervalOf,
    intervalOfNothing: () => intervalOf(0),
    errorOfDifference: (a, b) => Math.sqrt((a + b - (a - b) ** 2) / effectiveSamples),
  };
}

/** Events that no weight and no loss gap accounts for; null where the final value is not known. */
function eventsAfter({
  input,
  weights,
  event,
  rows,
  eventsCounted,
}: EstimatedEvent): number | null {
  if (eventsCounted === null || input.events[event].mode === 'clock') return null;
  const { values, lostBefore } = weights;
  let rest = eventsCounted;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i];
    rest -= values[row] + (lostBefore?.[row] ?? 0);
  }
  return Math.max(0, rest);
}
