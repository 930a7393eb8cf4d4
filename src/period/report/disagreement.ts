import type { IntColumn } from '../../base/int-column.ts';
import type { WeightKind } from '../../profile/types.ts';

/** The weights that are compared; `wall` is of how many threads run, and no reading of the same events. */
export const COMPARED_KINDS = [
  'samples',
  'period',
  'events',
  'time',
] as const satisfies readonly WeightKind[];
export type ComparedKind = (typeof COMPARED_KINDS)[number];

/** Shares (0…1) of one function by each weight; null where the weight can't be computed. */
export type FunctionShares = {
  readonly function: string;
} & Readonly<Record<ComparedKind, number | null>>;

/**
 * How far apart the weights are, which tells whether it matters for this profile which one is
 * read.
 */
export type WeightDisagreement = {
  /**
   * Share of the profile that stands under another function than by `events`: half the sum of the
   * differences, 0 (the same profile) … 1 (no function in common). Of `time` it is no error: events
   * and time are two questions.
   */
  readonly distance: Readonly<Record<Exclude<ComparedKind, 'events'>, number | null>>;
  /** Self shares of the functions on which samples, period and events differ most, that one first. */
  readonly functions: readonly FunctionShares[];
};

/** The parts of a profile that the comparison needs. */
export type ComparedProfile = {
  /** Parallel to the sample table; absent: can't be computed. */
  readonly weights: Readonly<Partial<Record<ComparedKind, Float64Array>>>;
  /** The innermost function of each sample, −1 for a sample without any. */
  readonly funcOfSample: Int32Array;
  readonly funcCount: number;
  /** A function's name in reports; −1 is asked for too. */
  readonly nameOf: (func: number) => string;
};

const MAX_FUNCTIONS = 5;

/** Compares the weights over the samples of one event, `isMember` says which. Null: no events. */
export function compareWeights(
  compared: ComparedProfile,
  event: number,
  eventOfSample: IntColumn,
): WeightDisagreement | null {
  const { funcCount, nameOf } = compared;
  const shares = {} as Record<ComparedKind, Float64Array | null>;
  for (const kind of COMPARED_KINDS) shares[kind] = sharesBy(kind, compared, event, eventOfSample);
  const { samples, period, events, time } = shares;
  if (events === null || samples === null || period === null) return null;

  const spreads = new Float64Array(funcCount + 1);
  for (let f = 0; f <= funcCount; f++) {
    const values = [samples[f], period[f], events[f]];
    spreads[f] = Math.max(...values) - Math.min(...values);
  }
  const order = Array.from(spreads.keys()).filter((f) => spreads[f] > 0);
  order.sort((a, b) => spreads[b] - spreads[a] || a - b);
  return {
    distance: {
      samples: distance(samples, events),
      period: distance(period, events),
      time: time === null ? null : distance(time, events),
    },
    functions: order.slice(0, MAX_FUNCTIONS).map((f) => ({
      function: nameOf(f - 1),
      samples: samples[f],
      period: period[f],
      events: events[f],
      time: time === null ? null : time[f],
    })),
  };
}

/** Self share per function, shifted by one so that "no function" has a slot. */
// Hot: once per sample.
function sharesBy(
  kind: ComparedKind,
  { weights, funcOfSample, funcCount }: ComparedProfile,
  event: number,
  eventOfSample: IntColumn,
): Float64Array | null {
  const values = weights[kind];
  if (values === undefined) return null;
  const sums = new Float64Array(funcCount + 1);
  let total = 0;
  for (let i = 0; i < values.length; i++) {
    if (eventOfSample[i] !== event) continue;
    const weight = values[i];
    sums[funcOfSample[i] + 1] += weight;
    total += weight;
  }
  if (!(total > 0)) return null;
  for (let f = 0; f < sums.length; f++) sums[f] /= total;
  return sums;
}

function distance(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let f = 0; f < a.length; f++) sum += Math.abs(a[f] - b[f]);
  return sum / 2;
}
