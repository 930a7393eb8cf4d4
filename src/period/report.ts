/**
 * The report of `perf-ts periods`: a plain document that is printed as text, as JSON and by the web
 * view alike. The keys are those of the JSON contract; null is "can't be known".
 */

import type { SamplingMode } from '../profile/types.ts';
import { computeElapsedEvents } from './elapsed-events.ts';
import { computeLedgers } from './loss-ledger.ts';
import { findRules } from './realign.ts';
import { reportStream, type StreamReport } from './stream-report.ts';
import { groupByStream, type StreamGroups } from './streams.ts';
import type { KernelLimits, PeriodInput, ReportedPeriod } from './types.ts';

export type EventReport = {
  readonly event: string;
  readonly mode: SamplingMode;
  /** What one unit of a period is. */
  readonly unit: 'events' | 'nanoseconds';
  /** The rate asked, null in period mode. */
  readonly targetHz: number | null;
  readonly fixedPeriod: number | null;
  readonly reportedPeriod: ReportedPeriod;
  readonly samples: number;
  /** The counter's final value, or as far as the samples read it; null where they did not. */
  readonly eventsCounted: number | null;
  /** `coverage`: share of the samples taken that arrived. */
  readonly lost: { readonly samples: number; readonly coverage: number | null };
  readonly throttled: { readonly count: number; readonly ns: number };
  readonly streamCount: number;
  /** Largest first. */
  readonly streams: readonly StreamReport[];
  /** The streams that were left out; null if none was. */
  readonly restOfStreams: { readonly streams: number; readonly samples: number } | null;
  /** `-c` for the rate asked, at the event rate met at rest; null where that is not known. */
  readonly suggestedPeriod: number | null;
};

export type PeriodsReport = {
  readonly schema: 'perf-ts/periods@1';
  readonly events: readonly EventReport[];
  readonly kernel: KernelLimits;
};

export type ReportOptions = {
  /** Streams to describe per event, the largest first. Default 20: 5 000 forks make 10 000. */
  readonly streams?: number | 'all';
};

const DEFAULT_STREAMS = 20;
const UNKNOWN_LIMITS: KernelLimits = {
  maxSampleRate: null,
  maxSampleRateAfter: null,
  cpuTimeMaxPercent: null,
};

/** Analyses a recording's periods. */
export function reportPeriods(input: PeriodInput, options: ReportOptions = {}): PeriodsReport {
  const groups = groupByStream(input);
  const rules = findRules(input, groups);
  const elapsedEvents = computeElapsedEvents(input, groups, rules);
  const ledgers = computeLedgers(input);
  const limit = options.streams === 'all' ? Infinity : (options.streams ?? DEFAULT_STREAMS);

  const events = input.events.map((event, index): EventReport => {
    const ledger = ledgers[index]!;
    const bySize = groupsOf(groups, index);
    const shown = bySize.slice(0, limit);
    const streams = shown.map((group) => reportStream(input, groups, group, elapsedEvents));
    const throttles = (input.throttles ?? []).filter((throttle) => throttle.event === index);
    return {
      event: event.name,
      mode: event.mode,
      unit: event.unit,
      targetHz: event.frequencyHz,
      fixedPeriod: event.fixedPeriod,
      reportedPeriod: rules[index]!,
      samples: ledger.samples,
      eventsCounted: ledger.eventsCounted ?? sumCounted(input, index, elapsedEvents),
      lost: { samples: ledger.lostSamples, coverage: ledger.coverage },
      throttled: {
        count: throttles.length,
        ns: throttles.reduce((sum, { startNs, endNs }) => sum + (endNs - startNs), 0),
      },
      streamCount: bySize.length,
      streams,
      restOfStreams: summarizeRest(groups, bySize.slice(shown.length)),
      suggestedPeriod:
        event.mode === 'frequency' && event.frequencyHz !== null
          ? suggestPeriod(streams, event.frequencyHz)
          : null,
    };
  });
  return { schema: 'perf-ts/periods@1', events, kernel: input.kernel ?? UNKNOWN_LIMITS };
}

/** The groups of one event, most samples first. */
function groupsOf(groups: StreamGroups, event: number): number[] {
  const found: number[] = [];
  for (let g = 0; g < groups.length; g++) if (groups.event[g] === event) found.push(g);
  return found.sort((a, b) => sizeOf(groups, b) - sizeOf(groups, a) || a - b);
}

function sizeOf(groups: StreamGroups, group: number): number {
  return groups.offsets[group + 1]! - groups.offsets[group]!;
}

function summarizeRest(
  groups: StreamGroups,
  rest: readonly number[],
): { streams: number; samples: number } | null {
  if (rest.length === 0) return null;
  const samples = rest.reduce((sum, group) => sum + sizeOf(groups, group), 0);
  return { streams: rest.length, samples };
}

/** Σ elapsed events if every sample of the event carries the counter's value, else null. */
function sumCounted(input: PeriodInput, index: number, elapsedEvents: Float64Array): number | null {
  const { length, event, count } = input.samples;
  let sum = 0;
  let samples = 0;
  for (let i = 0; i < length; i++) {
    if (event[i] !== index) continue;
    if (Number.isNaN(count[i])) return null;
    sum += elapsedEvents[i] as number;
    samples++;
  }
  return samples > 0 ? sum : null;
}

/**
 * Events per sample at `frequencyHz`: every stream's rate λ while at rest, weighted by the samples
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
  if (samples === 0) return null;
  return Math.max(1, Math.round(rates / samples / frequencyHz));
}
