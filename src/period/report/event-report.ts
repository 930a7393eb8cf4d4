import { primeFrom } from '../../base/primes.ts';
import { finish } from '../../base/slices.ts';
import type { SamplePlaces } from '../../profile/sample-places.ts';
import type { EventUnit, SamplingMode } from '../../profile/types.ts';
import { findInStep, type InStep } from '../in-step.ts';
import type { EventLedger, StreamLedger } from '../loss/loss-ledger.ts';
import type { TickGrid } from '../model/ticks.ts';
import type { StreamGroups } from '../streams.ts';
import type { ReportedPeriod } from '../types.ts';
import { type ComparedProfile, compareWeights, type WeightDisagreement } from './disagreement.ts';
import type { EventSums } from './event-sums.ts';
import { type RateCourse, rateCourseOf } from './rate-course.ts';
import { type ReportedLedger, reportLedger } from './reported-ledger.ts';
import {
  analyseStream,
  describeStream,
  rampShareOf,
  type StreamAnalysis,
  type StreamContext,
  type StreamReport,
} from './stream-report.ts';
import { reportThrottles, type Throttled } from './throttled-time.ts';
import type { Verdict } from './verdict.ts';

export type EventReport = {
  readonly event: string;
  readonly mode: SamplingMode;
  /** The unit of a period. */
  readonly unit: EventUnit;
  /** The rate asked, null in period mode. */
  readonly targetHz: number | null;
  readonly fixedPeriod: number | null;
  readonly reportedPeriod: ReportedPeriod;
  readonly samples: number;
  /** The counter's final value, or as far as the samples read it; null where they did not. */
  readonly eventsCounted: number | null;
  /** `coverage`: share of the samples taken that arrived. */
  readonly lost: { readonly samples: number; readonly coverage: number | null };
  /** The counter's value in events, and where it went. */
  readonly ledger: ReportedLedger;
  readonly throttled: Throttled;
  readonly streamCount: number;
  /** All streams by verdict. */
  readonly verdicts: Verdicts;
  /** (Σw)²/Σw² of the elapsed events over all streams; null without events. */
  readonly effectiveSamples: number | null;
  /** Over all streams that are long enough to tell; null if none is. */
  readonly rampShare: { readonly samples: number; readonly events: number } | null;
  /** Streams that began because a thread came from another instance, and what they ramped up with. */
  readonly migrations: Migrated;
  /** Over all streams: samples per second against the rate asked, times the streams. */
  readonly rate: RateCourse | null;
  /** Largest first. */
  readonly streams: readonly StreamReport[];
  /** The streams that were left out; null if none was. */
  readonly restOfStreams: { readonly streams: number; readonly samples: number } | null;
  /** How samples fall in step with the work; null where that is not seen. */
  readonly inStep: InStep | null;
  /** `-c`, a prime, for the rate asked, at the event rate while settled; null where that is not known. */
  readonly suggestedPeriod: number | null;
  /** How far apart the weights are; null without a profile to compare in. */
  readonly weights: WeightDisagreement | null;
};

export type Verdicts = Readonly<
  Partial<Record<Verdict, { readonly streams: number; readonly samples: number }>>
>;

export type Migrated = {
  /** Times that a thread was met by another instance than before. */
  readonly count: number;
  /** Streams that started this way, and the samples of their first ramps. */
  readonly streams: number;
  readonly rampSamples: number;
};

/** Facts besides the streams that the report of one event needs. */
export type EventContext = StreamContext & {
  /** Groups of its streams, largest first. */
  readonly bySize: readonly number[];
  readonly sums: EventSums;
  readonly rule: ReportedPeriod;
  readonly ledger: EventLedger;
};

export type EventOptions = {
  /** Streams to describe, the largest first. */
  readonly streams: number;
  readonly pairs: number;
  readonly compared: ComparedProfile | null;
  readonly places: SamplePlaces | null;
};

/** Number of streams that are compared with the kernel's algorithm. */
const MAX_MODELLED = 20;

/** The report on the event with row `index`. */
export function reportEvent(
  context: EventContext,
  index: number,
  options: EventOptions,
): EventReport {
  const { input, groups, ledger, bySize, sums } = context;
  const event = input.events[index];
  const verdicts: Partial<Record<Verdict, { streams: number; samples: number }>> = {};
  const ramps = { samples: 0, events: 0, samplesInRamps: 0, eventsInRamps: 0 };
  const started = { streams: 0, rampSamples: 0 };
  const streams: StreamReport[] = [];
  let grid: TickGrid | null = null;
  const ledgerOfGroup = new Map<number, StreamLedger>();
  // The ledger's streams are in the order of the groups.
  for (const [k, group] of bySize.toSorted((a, b) => a - b).entries()) {
    const own = ledger.streams[k];
    if (own !== undefined) ledgerOfGroup.set(group, own);
  }
  for (const group of bySize) {
    const analysis = finish(analyseStream(context, group));
    const { verdict, totals } = analysis;
    verdicts[verdict] ??= { streams: 0, samples: 0 };
    verdicts[verdict].streams++;
    verdicts[verdict].samples += totals.samples;
    if (verdict !== 'too-short') {
      ramps.samples += totals.samples;
      ramps.events += totals.events;
      ramps.samplesInRamps += totals.samplesInRamps;
      ramps.eventsInRamps += totals.eventsInRamps;
    }
    noteStart(context, analysis, started);
    if (streams.length >= options.streams) continue;
    const report: StreamReport = finish(
      describeStream(context, analysis, {
        withModel: streams.length < MAX_MODELLED,
        grid,
        pairs: options.pairs,
        ledger: ledgerOfGroup.get(group) ?? null,
      }),
    );
    grid ??= report.model?.grid ?? null;
    streams.push(report);
  }
  return {
    event: event.name,
    mode: event.mode,
    unit: event.unit,
    targetHz: event.frequencyHz,
    fixedPeriod: event.fixedPeriod,
    reportedPeriod: context.rule,
    samples: ledger.samples,
    eventsCounted: ledger.eventsCounted ?? sums.eventsCounted,
    lost: { samples: ledger.lostSamples, coverage: ledger.coverage },
    ledger: reportLedger(ledger, input),
    throttled: reportThrottles(input, index),
    streamCount: bySize.length,
    verdicts,
    effectiveSamples: sums.effectiveSamples,
    rampShare: rampShareOf(ramps),
    migrations: { count: sums.migrations, ...started },
    rate: rateCourseOf(groups, bySize, input.samples.timeNs),
    streams,
    restOfStreams: summarizeRest(groups, bySize.slice(streams.length)),
    inStep:
      options.places === null
        ? null
        : findInStep(input, groups, index, context.arrivedEvents, options.places),
    suggestedPeriod:
      event.mode === 'frequency' && event.frequencyHz !== null && event.frequencyHz > 0
        ? suggestPeriod(streams, event.frequencyHz)
        : null,
    weights:
      options.compared === null
        ? null
        : compareWeights(options.compared, index, input.samples.event),
  };
}

function noteStart(
  { cameFrom }: StreamContext,
  { rows, convergence }: StreamAnalysis,
  started: { streams: number; rampSamples: number },
): void {
  if (rows.length === 0 || cameFrom[rows[0]] < 0) return;
  started.streams++;
  started.rampSamples += convergence.start.end;
}

/** Groups of streams by event, largest first, which is the order of `EventReport.streams`. */
export function groupsByEvent(groups: StreamGroups, events: number): number[][] {
  const found = Array.from({ length: events }, (): number[] => []);
  for (let g = 0; g < groups.length; g++) found[groups.event[g]].push(g);
  for (const ofEvent of found) {
    ofEvent.sort((a, b) => sizeOf(groups, b) - sizeOf(groups, a) || a - b);
  }
  return found;
}

function sizeOf(groups: StreamGroups, group: number): number {
  return groups.offsets[group + 1] - groups.offsets[group];
}

function summarizeRest(
  groups: StreamGroups,
  rest: readonly number[],
): { streams: number; samples: number } | null {
  if (rest.length === 0) return null;
  const samples = rest.reduce((sum, group) => sum + sizeOf(groups, group), 0);
  return { streams: rest.length, samples };
}

/** Settled streams with less than this share of the samples don't speak for the event. */
const MIN_RESTED = 0.5;

/**
 * Events per sample at `frequencyHz`: every stream's rate λ while settled, weighted by the samples
 * it rests on, over the rate asked.
 */
function suggestPeriod(streams: readonly StreamReport[], frequencyHz: number): number | null {
  let rates = 0;
  let samples = 0;
  for (const { steady, samples: size } of streams) {
    if (steady === null) continue;
    rates += steady.eventRateHz * size;
    samples += size;
  }
  const all = streams.reduce((total, stream) => total + stream.samples, 0);
  if (samples <= MIN_RESTED * all) return null;
  const period = Math.round(rates / samples / frequencyHz);
  // A multiple of nothing falls in step with the least.
  return period <= 1 ? 1 : primeFrom(period);
}
