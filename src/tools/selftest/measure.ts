import { NONE } from '../../base/brand.ts';
import { finish } from '../../base/slices.ts';
import { computeLedgers, type EventLedger } from '../../period/loss/loss-ledger.ts';
import { fitRules } from '../../period/period-rule.ts';
import { groupByStream } from '../../period/streams.ts';
import type { PeriodInput, ReportedPeriod } from '../../period/types.ts';
import { type ShareInterval, sumStepsByKey } from '../../profile/analysis/shares/share-steps.ts';
import type { Profile, Weights } from '../../profile/types.ts';
import type { OpenedProfile } from '../../read/open-profile.ts';
import { withRecording } from '../../read/open-recording.ts';
import { Pipeline } from '../../read/pipeline.ts';
import { isUserOnly, type Marks, type PhaseTruth, truthOf } from './marks.ts';
import type { CaseNumbers, CaseSetup, PhaseShare } from './types.ts';

/** The ledger of the recording's only event, from the final values that its records hold. */
export function readLedger(path: string, profile: Profile): EventLedger | null {
  return withRecording(path, (data) => {
    const pipeline = Pipeline.open(data);
    pipeline.run();
    const finals = pipeline.finals();
    const input: PeriodInput = { ...profile, finals, eventTotals: pipeline.totals() };
    return computeLedgers(input)[0] ?? null;
  });
}

/** The numbers of one recording of one event. */
export function measureCase(
  setup: CaseSetup,
  eventName: string,
  opened: OpenedProfile,
  ledger: EventLedger | null,
  marks: Marks,
): CaseNumbers | null {
  const { profile } = opened;
  const [event] = opened.periods({ streams: 'all' }).events;
  if (event === undefined) return null;
  const { kernel } = opened.periods();
  const weights = weightsOfSamples(opened.weights('events'));
  const models = event.streams.flatMap(({ model }) => (model === null ? [] : [model as Model]));
  const sum = (of: (model: Model) => number) => models.reduce((all, one) => all + of(one), 0);
  const weighed = weights.reduce((all, weight) => all + weight, 0);
  const tail = Math.max(0, (event.eventsCounted ?? 0) - weighed);
  return {
    samples: event.samples,
    lostSamples: event.lost.samples,
    counted: event.eventsCounted,
    weighed,
    ledger: ledgerNumbers(ledger),
    lastPeriods: sumLastPeriods(profile),
    isClock: profile.events[0]?.unit === 'nanoseconds',
    isUserOnly: isUserOnly(eventName),
    streams: event.streamCount,
    rule: event.reportedPeriod,
    probed: profile.events[0]?.probedRule ?? null,
    fit: event.mode === 'frequency' ? ruleByFit(profile) : null,
    streamsOffCount:
      setup.counts && 'count' in setup.rate ? streamsOffCount(profile, setup.rate.count) : null,
    model:
      models.length === 0
        ? null
        : {
            compared: sum(({ compared }) => compared),
            exact: sum(({ exact }) => exact),
            within1Percent: sum(({ within1Percent }) => within1Percent),
            tickDriven: models.some(({ tickDriven }) => tickDriven),
          },
    throttles: event.throttled.count,
    throttledNs: event.throttled.ns,
    maxSampleRate: kernel.maxSampleRate,
    maxSampleRateAfter: kernel.maxSampleRateAfter,
    outOfOrder: countOutOfOrder(profile.samples.timeNs),
    phases: measurePhases(truthOf(eventName, marks, setup.oneThread), opened, weights, marks, tail),
    firstPeriods: event.streams[0]?.firstPeriods ?? [],
  };
}

/** Weight that the samples themselves stand for: tails have an entry of their own in the ledger. */
function weightsOfSamples({ values, tails }: Weights): Float64Array {
  return tails === undefined ? values : values.map((value, sample) => value - tails[sample]);
}

function ledgerNumbers(ledger: EventLedger | null): CaseNumbers['ledger'] {
  if (ledger === null) return null;
  const { gapEvents, tailEvents, unsampledEvents, undividedEvents, unaccounted } = ledger;
  if (tailEvents === null || unsampledEvents === null) return null;
  if (undividedEvents === null || unaccounted === null) return null;
  return {
    gaps: gapEvents,
    tail: tailEvents,
    unsampled: unsampledEvents,
    undivided: undividedEvents,
    unaccounted,
  };
}

/** `model` as in the report of a stream. */
type Model = NonNullable<CaseNumbers['model']>;

/** The rule as the periods and times alone tell it, without counts or knowledge of the event. */
function ruleByFit(profile: Profile): ReportedPeriod | null {
  const [fit] = finish(fitRules(profile, finish(groupByStream(profile))));
  return fit === undefined ? null : { rule: fit.rule, from: 'fit', confidence: fit.confidence };
}

/**
 * Streams in which the counter, when the last sample was taken, says another number of samples
 * than there are: one sample every `period` events, exactly.
 */
function streamsOffCount(profile: Profile, period: number): number {
  const groups = finish(groupByStream(profile));
  let off = 0;
  for (let g = 0; g < groups.length; g++) {
    const end = groups.offsets[g + 1];
    const samples = end - groups.offsets[g];
    const last = profile.samples.count?.[groups.rows[end - 1]] ?? Number.NaN;
    if (Math.floor(last / period) !== samples) off++;
  }
  return off;
}

/** Σ over the streams of the period that their last sample reports. */
function sumLastPeriods(profile: Profile): number {
  const groups = finish(groupByStream(profile));
  let sum = 0;
  for (let g = 0; g < groups.length; g++) {
    const last = groups.rows[groups.offsets[g + 1] - 1];
    sum += profile.samples.periodEvents[last];
  }
  return sum;
}

function countOutOfOrder(timeNs: Float64Array): number {
  let count = 0;
  for (let i = 1; i < timeNs.length; i++) {
    if (timeNs[i] < timeNs[i - 1]) count++;
  }
  return count;
}

/**
 * Shares of the phases. A sample ends an interval, so the one that ends the last interval of a
 * phase may come a little after it: a phase's samples are those up to the start of the next.
 */
function measurePhases(
  truth: readonly PhaseTruth[],
  opened: OpenedProfile,
  weights: Float64Array,
  marks: Marks,
  tail: number,
): PhaseShare[] {
  const { profile } = opened;
  if (truth.length < 2 || profile.meta.clock !== 'monotonic') return [];
  const zeroNs = BigInt(profile.meta.startTime);
  const sinceZero = (time: string) => Number(BigInt(time) - zeroNs);
  const phaseOfSample = new Int32Array(profile.samples.length).fill(NONE);
  const measured = truth.map(({ phase, amount }, key) => {
    const index = marks.phases.findIndex(({ name }) => name === phase);
    const next = marks.phases[index + 1];
    const from = sinceZero(marks.phases[index].startNs);
    const until = sinceZero(next === undefined ? marks.endNs : next.startNs);
    const { timeNs } = profile.samples;
    for (let i = 0; i < timeNs.length; i++) {
      if (timeNs[i] >= from && timeNs[i] < until) phaseOfSample[i] = key;
    }
    return { phase, amount, ...sumOf(phaseOfSample, key, weights) };
  });
  const allTrue = measured.reduce((sum, { amount }) => sum + amount, 0);
  const allWeight = measured.reduce((sum, { weight }) => sum + weight, 0);
  const largest = measured.reduce((most, one) => Math.max(most, one.largest), 0);
  const slack = allWeight > 0 ? (2 * largest + tail) / (allWeight + tail) : 1;
  const intervals = intervalsOf(opened, phaseOfSample, measured.length, allWeight);
  return measured.map(({ phase, amount, weight }, key) => ({
    phase,
    trueShare: amount / allTrue,
    share: allWeight > 0 ? weight / allWeight : 0,
    slack,
    interval: intervals === null ? null : intervals(key, weight),
  }));
}

/** The interval of a phase's share of all phases; null where reports give none. */
function intervalsOf(
  opened: OpenedProfile,
  phaseOfSample: Int32Array,
  phases: number,
  allWeight: number,
): ((key: number, weight: number) => ShareInterval) | null {
  const event = opened.eventIndex();
  const weights = opened.weights('events', event);
  const estimator = opened.shareEstimator(weights, event);
  if (estimator === null || !(allWeight > 0)) return null;
  const sums = finish(sumStepsByKey(estimator.steps, phaseOfSample, phases));
  const total = weights.values.reduce((sum, value) => sum + value, 0);
  return (key, weight) => {
    const { low, high } = estimator.intervalOf(weight / total, sums, key);
    return { low: (low * total) / allWeight, high: Math.min(1, (high * total) / allWeight) };
  };
}

function sumOf(phaseOfSample: Int32Array, key: number, weights: Float64Array) {
  let weight = 0;
  let largest = 0;
  for (let i = 0; i < weights.length; i++) {
    if (phaseOfSample[i] !== key) continue;
    weight += weights[i];
    largest = Math.max(largest, weights[i]);
  }
  return { weight, largest };
}
