// Hot: once per sample.

import type { Slices } from '../base/slices.ts';
import { median } from './distribution.ts';
import { groupByStream, type StreamGroups } from './streams.ts';
import type { PeriodInput, ReportedPeriod } from './types.ts';

/**
 * Finds the interval that a period measures from times and periods alone.
 *
 * Three samples in a row enclose two intervals, of Δ1 and Δ2 nanoseconds:
 *
 *     period     P0        P1            P2
 *     time     ──●────Δ1───●──────Δ2─────●──
 *     next       └── P0 ───┴───── P1 ────┘
 *     elapsed    └── P1 ───┴───── P2 ────┘
 *
 * While the event rate holds still, events and time grow by the same factor from one interval to
 * the other. So one of these is near zero, whatever the rate is:
 *
 *     next       ln(P1/P0) − ln(Δ2/Δ1)
 *     elapsed    ln(P2/P1) − ln(Δ2/Δ1)
 *
 * A rate that changes enters both alike and decides nothing, and neither does a period that grows
 * evenly. How much the rate wavers is seen without knowing the rule: s is the median size of the
 * mean of the two. A triple speaks for a rule by the log-likelihood ratio of two Cauchy
 * distributions of width s. Its tails are so wide that a wild interval (sleep, a lost sample) says
 * little: where both residuals are large, their ratio is near one.
 *
 * The sum of the evidence is held against what evidence of these sizes would reach with random
 * signs. The control loop does not bend it. Where the kernel answers an interval two samples later
 * (software events, most drivers that report the elapsed interval), none of the three periods depends on
 * Δ1 or Δ2 but for ticks. Where x86 answers at the next sample, P2 moves with Δ1 by an eighth, against the
 * residuals of both rules alike; simulated loops of that kind are fitted as well as the others.
 *
 * What does bend it is a rate that goes the same way from sample to sample for a long time, and back at
 * once: a saw with a tooth of some ten samples. So a fit never overrules the table of drivers.
 */
export function fitRule(
  input: PeriodInput,
  groups: StreamGroups,
  /** Rows of `groups`: those of one event. */
  groupsOfEvent: Int32Array,
): FittedRule {
  const noise = rateNoise(input, groups, groupsOfEvent);
  // NaN where there is no triple.
  if (!(noise <= MAX_NOISE)) return { rule: 'unknown', confidence: 0, z: 0, noise };
  return judge(input, groups, groupsOfEvent, Math.max(noise, MIN_NOISE));
}

export type FittedRule = Pick<ReportedPeriod, 'rule' | 'confidence'> & {
  /** Standard deviations by which the evidence exceeds chance; above zero for 'elapsed'. */
  readonly z: number;
  /** How much the event rate wavers from interval to interval, as ln; NaN if there are too few. */
  readonly noise: number;
};

/**
 * The fit for an event whose streams the recording does not tell apart. A recording of whole CPUs
 * has one instance per CPU, whichever threads it meets, a recording of tasks one per thread and
 * CPU. Samples put together wrongly are noise, so the clearer one of the two is right; if they
 * contradict each other, nothing is.
 */
export function fitRuleWithoutStreams(byThread: FittedRule, byCpu: FittedRule): FittedRule {
  const [clearer, other] =
    Math.abs(byCpu.z) > Math.abs(byThread.z) ? [byCpu, byThread] : [byThread, byCpu];
  const isContradicted = other.rule !== 'unknown' && other.rule !== clearer.rule;
  return isContradicted ? { ...clearer, rule: 'unknown', confidence: 0 } : clearer;
}

/** Groups the samples as if no thread were known: one group per event and CPU. */
export function computeCpuGroups(input: PeriodInput): Slices<StreamGroups> {
  const { samples } = input;
  const none = new Int32Array(samples.length).fill(-1);
  return groupByStream({ ...input, samples: { ...samples, stream: none, thread: none } });
}

/** Interval below which the interrupt's own duration is a good part of it, nanoseconds. */
const MIN_INTERVAL_NS = 10_000;
/**
 * A rate that wavers by more than this factor, e^½, from one interval to the next shows nothing.
 */
const MAX_NOISE = 0.5;
/** Times are taken in the interrupt, a little late: no rate is known better. */
const MIN_NOISE = 1e-3;
/** The median of so many triples, spread over the recording, is good enough. */
const NOISE_TRIPLES = 4096;
/** Bounds the work on long recordings. Each start and each change of load holds a few dozen. */
const MAX_INFORMATIVE = 20_000;
/** So that no single triple, however clear, weighs much more than another one. */
const MAX_EVIDENCE = 2;
/**
 * One in 15 000 by chance, both sides taken. No recording whose rule is known comes near it on the
 * wrong side.
 */
const MIN_Z = 4;

/** Median of |mean of both residuals|, NaN if there is no triple. */
function rateNoise(input: PeriodInput, groups: StreamGroups, groupsOfEvent: Int32Array): number {
  const { periodEvents, timeNs } = input.samples;
  const { offsets, rows } = groups;
  let triples = 0;
  for (let j = 0; j < groupsOfEvent.length; j++) {
    const g = groupsOfEvent[j];
    triples += Math.max(0, offsets[g + 1] - offsets[g] - 2);
  }
  const stride = Math.max(1, Math.ceil(triples / NOISE_TRIPLES));
  const found = new Float64Array(Math.ceil(triples / stride));
  let length = 0;
  // Runs on from group to group, so that many short ones are sampled as evenly as one long one.
  let skip = 0;
  for (let j = 0; j < groupsOfEvent.length; j++) {
    const g = groupsOfEvent[j];
    const end = offsets[g + 1];
    let k = offsets[g] + 2 + skip;
    for (; k < end; k += stride) {
      const r0 = rows[k - 2];
      const r1 = rows[k - 1];
      const r2 = rows[k];
      const first = timeNs[r1] - timeNs[r0];
      const second = timeNs[r2] - timeNs[r1];
      if (first < MIN_INTERVAL_NS || second < MIN_INTERVAL_NS) continue;
      const growth = periodEvents[r2] / periodEvents[r0];
      const residual = Math.abs(Math.log(growth) / 2 - Math.log(second / first));
      if (residual < Number.POSITIVE_INFINITY) found[length++] = residual;
    }
    skip = Math.max(0, k - Math.max(end, offsets[g] + 2));
  }
  return length === 0 ? Number.NaN : median(found.subarray(0, length));
}

function judge(
  input: PeriodInput,
  groups: StreamGroups,
  groupsOfEvent: Int32Array,
  noise: number,
): FittedRule {
  const { periodEvents, timeNs } = input.samples;
  const { offsets, rows } = groups;
  const width = noise * noise;
  // Where the two rules differ by less than half the noise, the evidence is next to nothing.
  const most = Math.exp(noise / 2);
  const least = 1 / most;
  let forElapsed = 0;
  let forNext = 0;
  let squares = 0;
  let informative = 0;
  for (let j = 0; j < groupsOfEvent.length && informative < MAX_INFORMATIVE; j++) {
    const g = groupsOfEvent[j];
    const end = offsets[g + 1];
    for (let k = offsets[g] + 2; k < end && informative < MAX_INFORMATIVE; k++) {
      const r0 = rows[k - 2];
      const r1 = rows[k - 1];
      const r2 = rows[k];
      const p1 = periodEvents[r1];
      const growth = p1 / periodEvents[r0];
      const growthAfter = periodEvents[r2] / p1;
      const bend = growthAfter / growth;
      // NaN and infinity come from a period of 0.
      if (!((bend > most || bend < least) && bend > 0 && bend < Number.POSITIVE_INFINITY)) continue;
      const first = timeNs[r1] - timeNs[r0];
      const second = timeNs[r2] - timeNs[r1];
      if (first < MIN_INTERVAL_NS || second < MIN_INTERVAL_NS) continue;
      const longer = second / first;
      const next = Math.log(growth / longer);
      const elapsed = Math.log(growthAfter / longer);
      const ratio = Math.log((width + next * next) / (width + elapsed * elapsed));
      const evidence = Math.max(-MAX_EVIDENCE, Math.min(MAX_EVIDENCE, ratio));
      if (evidence > 0) forElapsed += evidence;
      else forNext -= evidence;
      squares += evidence * evidence;
      informative++;
    }
  }
  const z = squares > 0 ? (forElapsed - forNext) / Math.sqrt(squares) : 0;
  if (Math.abs(z) < MIN_Z) return { rule: 'unknown', confidence: 0, z, noise };
  return {
    rule: z > 0 ? 'elapsed' : 'next',
    confidence: Math.max(forElapsed, forNext) / (forElapsed + forNext),
    z,
    noise,
  };
}
