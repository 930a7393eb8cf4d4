/**
 * The report of `perf-ts periods`: a plain document that is printed as text, as JSON and by the web
 * view alike. The keys are those of the JSON contract; null is "can't be known".
 */

import { finish } from '../../base/slices.ts';
import type { SamplePlaces } from '../../profile/sample-places.ts';
import { type Alignment, alignPeriods } from '../alignment.ts';
import { computeLedgers } from '../loss/loss-ledger.ts';
import type { KernelLimits, PeriodInput } from '../types.ts';
import type { ComparedProfile } from './disagreement.ts';
import { type EventReport, groupsByEvent, reportEvent } from './event-report.ts';
import { sumByEvent } from './event-sums.ts';
import { followThreads } from './migrations.ts';
import { throttlesOf } from './throttled-time.ts';

/** The document of `perf-ts periods --json`. */
export type PeriodsReport = {
  readonly schema: 'perf-ts/periods@1';
  readonly events: readonly EventReport[];
  readonly kernel: KernelLimits;
};

export type ReportOptions = {
  /** Streams to describe per event, the largest first. Default 20: 5 000 forks make 10 000. */
  readonly streams?: number | 'all';
  /** Pairs of samples to list per stream, the first ones. Default none. */
  readonly pairs?: number | 'all';
  /** The profile in which the weights are compared. Default: they are not. */
  readonly compared?: ComparedProfile;
  /** Functions and stacks of the samples. Default: not known, and nothing is said of samples in step. */
  readonly places?: SamplePlaces;
};

const DEFAULT_STREAMS = 20;
const UNKNOWN_LIMITS: KernelLimits = {
  maxSampleRate: null,
  maxSampleRateAfter: null,
  cpuTimeMaxPercent: null,
};

/** Analyses a recording's periods. */
export function reportPeriods(
  input: PeriodInput,
  options: ReportOptions = {},
  alignment: Alignment = finish(alignPeriods(input)),
): PeriodsReport {
  const { groups, rules, elapsedEvents, arrivedEvents } = alignment;
  const ledgers = computeLedgers(input, alignment);
  const { cameFrom } = finish(followThreads(input, groups));
  const bySize = groupsByEvent(groups, input.events.length);
  const sums = sumByEvent({ input, arrivedEvents, elapsedEvents, cameFrom });
  const events = input.events.map((_, index) =>
    reportEvent(
      {
        bySize: bySize[index],
        sums: sums[index],
        input,
        groups,
        elapsedEvents,
        arrivedEvents,
        cameFrom,
        throttles: throttlesOf(input, index),
        rule: rules[index],
        ledger: ledgers[index],
      },
      index,
      {
        streams: limitOf(options.streams ?? DEFAULT_STREAMS),
        pairs: limitOf(options.pairs ?? 0),
        compared: options.compared ?? null,
        places: options.places ?? null,
      },
    ),
  );
  return { schema: 'perf-ts/periods@1', events, kernel: input.kernel ?? UNKNOWN_LIMITS };
}

function limitOf(limit: number | 'all'): number {
  return limit === 'all' ? Number.POSITIVE_INFINITY : limit;
}
