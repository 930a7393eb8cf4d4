import { NONE } from '../../../base/brand.ts';
import { finish, type Slices } from '../../../base/slices.ts';
import type { EventIndex, Profile, ProfileEvent, Weights } from '../../types.ts';
import { type AlignedSamples, groupIntervals } from './group-intervals.ts';
import { groupRatios, type RatioEstimate, type RatioKeys, TOO_FEW } from './group-ratios.ts';
import { boundsOfShare, weightWithLost } from './share-bounds.ts';
import { type ShareEstimator, type StepSums, sumStepsByGroup } from './share-steps.ts';

/** A metric of two events of a profile: so many of `part` for `per` of `whole`. */
export type EventRatio<Name extends string = string> = {
  /** The name that `stat` gives it: `ipc`. */
  readonly name: Name;
  readonly part: EventIndex;
  readonly whole: EventIndex;
  /** 1000 instructions, 1e9 nanoseconds. */
  readonly per: number;
};

/** A metric that an event has, by role and domain (`counting/count/metric-ratios.ts`). */
export type RatioDefinition<Name extends string> = {
  readonly name: Name;
  readonly whole: { readonly role: string } | 'running' | 'elapsed';
  readonly per: number;
};

type DefineRatios<Name extends string> = (
  member: { readonly role: string; readonly domain: string },
  hasPeer: (role: string) => boolean,
) => readonly RatioDefinition<Name>[];

/**
 * The ratios that the events of a profile have, by `define`. Events of one group are compared, and events
 * that were sampled each by itself; running time is that of a clock among them.
 */
export function findRatios<Name extends string>(
  { events }: Pick<Profile, 'events'>,
  define: DefineRatios<Name>,
): EventRatio<Name>[] {
  return events.flatMap((event, index) => {
    const { role, domain } = event;
    if (role === undefined || domain === undefined) return [];
    const peer = (wanted: string): number =>
      events.findIndex(
        (other, at) =>
          at !== index &&
          other.role === wanted &&
          isCountedWith(events, index, at) &&
          // A clock runs for all of the program.
          (other.domain === domain || (isClock(wanted) && other.domain === '')),
      );
    const clock = (): number => Math.max(peer('task-clock'), peer('cpu-clock'));
    return define({ role, domain }, (wanted) => peer(wanted) !== NONE).flatMap(
      ({ name, whole, per }) => {
        if (whole === 'elapsed') return [];
        const of = whole === 'running' ? clock() : peer(whole.role);
        return of === NONE
          ? []
          : [{ name, part: index as EventIndex, whole: of as EventIndex, per }];
      },
    );
  });
}

function isClock(role: string): boolean {
  return role === 'task-clock' || role === 'cpu-clock';
}

/** Whether two events are of one group that its leader samples, or each has samples of its own. */
function isCountedWith(events: readonly ProfileEvent[], a: number, b: number): boolean {
  const leaders = [a, b].map((event) => leaderOf(events, event));
  if (leaders[0] === leaders[1]) return true;
  return leaders[0] === a && leaders[1] === b && [a, b].every((event) => isSampled(events[event]));
}

function leaderOf(events: readonly ProfileEvent[], event: number): number {
  return events[event].leader ?? event;
}

/** A member of a group whose header names no group has neither samples nor a leader. */
function isSampled({ fixedPeriod }: ProfileEvent): boolean {
  return fixedPeriod !== 0;
}

/** The counts of the two events come from one sample, so that it is known what was counted together. */
export function isOfGroup({ events }: Pick<Profile, 'events'>, ratio: EventRatio): boolean {
  return leaderOf(events, ratio.part) === leaderOf(events, ratio.whole);
}

/** The events whose samples ratios are computed from, each once: those compared, and the leaders that read them. */
export function comparedEvents(
  { events }: Pick<Profile, 'events'>,
  ratios: readonly EventRatio[],
): EventIndex[] {
  const compared = ratios.flatMap(({ part, whole }) => [part, whole]);
  return [...new Set(compared.flatMap((event) => [event, leaderOf(events, event) as EventIndex]))];
}

/** Keys of the samples that are selected of the events compared; −1 for all others. */
export function keysOfCompared(
  source: RatioSource,
  ratios: readonly EventRatio[],
  keyOfSample: (sample: number) => number,
): Int32Array {
  const { profile, eventOf } = source;
  const keys = new Int32Array(profile.samples.length).fill(NONE);
  // Hot: once per sample.
  for (const event of comparedEvents(profile, ratios)) {
    const { rows } = eventOf(event);
    for (let i = 0; i < rows.length; i++) keys[rows[i]] = keyOfSample(rows[i]);
  }
  return keys;
}

/** An event with samples of its own, in the weights that count events. */
export type SampledEvent = {
  readonly weights: Weights;
  /** The selected ones, of the sample table. */
  readonly rows: Int32Array;
  /** Null: how well shares are known can't be told. */
  readonly estimator: ShareEstimator | null;
};

/** Sources of a profile's numbers. */
export type RatioSource = {
  readonly profile: Profile;
  readonly aligned: AlignedSamples;
  readonly eventOf: (event: EventIndex) => SampledEvent;
};

/** The ratio of each category, with the 95 % interval that it is in; `per` included. */
export function* computeRatio(
  source: RatioSource,
  ratio: EventRatio,
  keys: RatioKeys,
): Slices<RatioEstimate[]> {
  const { profile, aligned, eventOf } = source;
  const { part, whole, per } = ratio;
  const all = Array.from({ length: keys.count }, (_, key) => key);
  if (isOfGroup(profile, ratio)) {
    const leader = leaderOf(profile.events, part);
    const intervals = groupIntervals(profile, aligned, leader, part, whole);
    yield;
    const estimate = yield* groupRatios(intervals, keys);
    return all.map((key) => scaled(estimate(key), per));
  }
  const ofPart = sumKeys(eventOf(part), keys);
  yield;
  const ofWhole = sumKeys(eventOf(whole), keys);
  yield;
  return all.map((key) => scaled(divideEstimates(ofPart(key), ofWhole(key)), per));
}

/** The ratio of all that was counted in the samples of `rowOfSample`, whatever category they are in. */
export function ratioOfWhole(
  { profile, aligned, eventOf }: RatioSource,
  ratio: EventRatio,
): number | null {
  const { part, whole, per } = ratio;
  if (isOfGroup(profile, ratio)) {
    const leader = leaderOf(profile.events, part);
    const counted = groupIntervals(profile, aligned, leader, part, whole);
    const isSelected = new Uint8Array(profile.samples.length);
    for (const sample of eventOf(leader as EventIndex).rows) isSelected[sample] = 1;
    let parts = 0;
    let wholes = 0;
    for (let i = 0; i < counted.length; i++) {
      if (isSelected[counted.end[i]] === 0) continue;
      parts += counted.part[i];
      wholes += counted.whole[i];
    }
    return wholes > 0 ? (parts * per) / wholes : null;
  }
  const [parts, wholes] = [part, whole].map((event) => weightWithLost(eventOf(event)).weight);
  return wholes > 0 ? (parts * per) / wholes : null;
}

function scaled({ value, low, high, reason }: RatioEstimate, per: number): RatioEstimate {
  if (value === null || low === null || high === null) return { value, low, high, reason };
  return { value: value * per, low: low * per, high: high * per, reason };
}

/** A sum and the interval that it is in. */
type Estimate = { readonly value: number; readonly low: number; readonly high: number };

/** Weight of an event in each category. */
function sumKeys(of: SampledEvent, keys: RatioKeys): (key: number) => Estimate | null {
  const { weights, rows, estimator } = of;
  if (estimator === null) return () => null;
  const sums = sumOfPaths(weights.values, rows, keys);
  const whole = weightWithLost(of);
  const steps: StepSums = sumStepsByGroup(estimator.steps, keys.rowOfSample, keys.tree, keys.count);
  return (key) => {
    const value = sums[key];
    const { low, high } = boundsOfShare(estimator, whole, value / whole.weight, steps, key);
    return { value, low: low * whole.weight, high: high * whole.weight };
  };
}

// Hot: once per frame of a sample.
function sumOfPaths(
  values: Float64Array,
  samples: Int32Array,
  { rowOfSample, tree: { prefix, group }, count }: RatioKeys,
): Float64Array {
  const sums = new Float64Array(count);
  const seenBy = new Int32Array(count).fill(NONE);
  for (let i = 0; i < samples.length; i++) {
    const sample = samples[i];
    for (let row = rowOfSample[sample]; row !== NONE; row = prefix[row]) {
      const key = group[row];
      if (key === NONE || seenBy[key] === sample) continue;
      seenBy[key] = sample;
      sums[key] = sums[key] + values[sample];
    }
  }
  return sums;
}

/** The divisor has to be known to this part of itself. */
const LEAST_OF_WHOLE = 0.5;

/**
 * The ratio of two sums that were sampled each by itself, so that their errors have nothing to do with each
 * other: distances to the ends of the two intervals add up as squares, as logarithms since neither is
 * below 0 (MOVER: G. Y. Zou and A. Donner, Statistics in Medicine 27, 2008).
 */
export function divideEstimates(part: Estimate | null, whole: Estimate | null): RatioEstimate {
  if (part === null || whole === null) return TOO_FEW;
  if (!(whole.low >= LEAST_OF_WHOLE * whole.value && whole.value > 0)) return TOO_FEW;
  const value = part.value / whole.value;
  if (part.value <= 0) return { value, low: 0, high: part.high / whole.low, reason: null };
  const below = Math.hypot(Math.log(part.value / part.low), Math.log(whole.high / whole.value));
  const above = Math.hypot(Math.log(part.high / part.value), Math.log(whole.value / whole.low));
  return { value, low: value * Math.exp(-below), high: value * Math.exp(above), reason: null };
}

/** Categories of which each sample is in one at most: −1 in none. */
export function ratioKeys(rowOfSample: Int32Array, count: number): RatioKeys {
  return {
    rowOfSample,
    tree: {
      prefix: new Int32Array(count).fill(NONE),
      group: Int32Array.from({ length: count }, (_, key) => key),
    },
    count,
  };
}

/** All ratios of a profile at once, for those who wait. */
export function computeRatios(
  source: RatioSource,
  ratios: readonly EventRatio[],
  keys: RatioKeys,
): RatioEstimate[][] {
  return ratios.map((ratio) => finish(computeRatio(source, ratio, keys)));
}
