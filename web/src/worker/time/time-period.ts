// Hot: once per sample.

import { firstNotBelow } from '../../../../src/base/bisect.ts';
import { formatCount } from '../../../../src/base/numbers.ts';
import { ComputedOnce, finish, type Slices } from '../../../../src/base/slices.ts';
import type { PageProfile } from '../../../../src/formats/export/page-profile.ts';
import { median } from '../../../../src/period/distribution.ts';
import { groupsByEvent } from '../../../../src/period/report/event-report.ts';
import { followThreads } from '../../../../src/period/report/migrations.ts';
import {
  analyseStream,
  describeStream,
  type StreamAnalysis,
  type StreamContext,
  type StreamReport,
} from '../../../../src/period/report/stream-report.ts';
import { throttlesOf } from '../../../../src/period/report/throttled-time.ts';
import {
  MAX_STREAMS,
  type PeriodColumns,
  type PeriodParams,
  type PeriodResult,
  type RateColumns,
  type ShownStream,
  type Stretch,
} from '../messages/time-messages.ts';
import { timeFactsOf } from './time-facts.ts';

/** More points than a screen has pixels show nothing more. */
const MAX_POINTS = 4000;
const MAX_SLICES = 300;
/** Fewer samples than this in a slice would show chance, not a rate. */
const SAMPLES_PER_SLICE = 4;

/** One stream's period and rates over time, and which streams there are. */
export function* computePeriods(page: PageProfile, params: PeriodParams): Slices<PeriodResult> {
  const { groups } = (yield* timeFactsOf(page)).alignment;
  const bySize = groupsByEvent(groups, page.periodInput.events.length)[params.event] ?? [];
  const listed = bySize.slice(0, MAX_STREAMS);
  const wanted = bySize.includes(params.stream ?? -1) ? params.stream : bySize[0];
  const streams = listed.map((stream) => ({ stream, label: labelOf(page, stream) }));
  yield;
  const analysed = wanted == null ? null : yield* analysedOf(page, params.event, wanted).get();
  return {
    streams,
    streamCount: bySize.length,
    shown: analysed && (yield* showStream(page, params, analysed, bySize.indexOf(analysed.stream))),
  };
}

/** Named by its first sample: an instance that is handed on has sampled others, too. */
function labelOf(page: PageProfile, group: number): string {
  const { groups } = finish(timeFactsOf(page)).alignment;
  const { thread, cpu } = page.profile.samples;
  const first = groups.offsets[group];
  const row = groups.rows[first];
  const { comm, tid } = page.profile.threads[thread[row]];
  const where = cpu[row] < 0 ? '' : `, CPU ${cpu[row]}`;
  const samples = formatCount(groups.offsets[group + 1] - first);
  return `${comm} ${tid}${where}: ${samples} samples`;
}

/** The facts known of a stream whatever part of it is shown. */
type Analysed = {
  readonly stream: number;
  readonly analysis: StreamAnalysis;
  readonly report: StreamReport;
};

/** The stream that was looked at last: moving about in it need not begin from the samples. */
const lastAnalysed = new WeakMap<PageProfile, { key: string; once: ComputedOnce<Analysed> }>();

function analysedOf(page: PageProfile, event: number, stream: number): ComputedOnce<Analysed> {
  const key = `${event} ${stream}`;
  const last = lastAnalysed.get(page);
  if (last?.key === key) return last.once;
  const once = new ComputedOnce(() => analyse(page, event, stream));
  lastAnalysed.set(page, { key, once });
  return once;
}

function* analyse(page: PageProfile, event: number, stream: number): Slices<Analysed> {
  const { periodInput: input } = page;
  const { groups, elapsedEvents, arrivedEvents } = finish(timeFactsOf(page)).alignment;
  const { cameFrom } = yield* followThreads(input, groups);
  const context: StreamContext = {
    input,
    groups,
    elapsedEvents,
    arrivedEvents,
    cameFrom,
    throttles: throttlesOf(input, event),
  };
  const analysis = yield* analyseStream(context, stream);
  const report = yield* describeStream(context, analysis, {
    withModel: false,
    grid: null,
    ledger: null,
    pairs: 0,
  });
  return { stream, analysis, report };
}

function* showStream(
  page: PageProfile,
  params: PeriodParams,
  { stream, analysis, report }: Analysed,
  rank: number,
): Slices<ShownStream> {
  const { periodInput: input } = page;
  const isAdaptive = input.events[params.event]?.mode === 'frequency';
  const { timeNs, length } = analysis.sequence;
  const fromNs = params.fromNs ?? timeNs[0] ?? 0;
  const toNs = params.toNs ?? (timeNs[length - 1] ?? 0) + 1;
  const first = firstNotBelow(timeNs, fromNs);
  const end = firstNotBelow(timeNs, toNs);
  const { start } = analysis.convergence;
  const period = periodColumns(analysis, first, end);
  yield;
  return {
    stream,
    rank,
    report,
    period,
    rate: rateColumns(analysis, first, end, fromNs, toNs),
    settleNs: isAdaptive && start.end > 0 && start.end < length ? timeNs[start.end] : null,
    ramps: isAdaptive ? rampStretches(analysis) : [],
    throttles: analysis.throttles.map(({ startNs, endNs }) => ({ startNs, endNs })),
  };
}

function rampStretches({ convergence, sequence }: StreamAnalysis): Stretch[] {
  const { timeNs, length } = sequence;
  return [convergence.start, ...convergence.reRamps]
    .filter(({ first, end }) => end > first)
    .map(({ first, end }) => ({
      startNs: timeNs[first],
      endNs: timeNs[Math.min(end, length - 1)],
    }));
}

/** Rows [first, end) of the stream's samples. */
function periodColumns({ sequence }: StreamAnalysis, first: number, end: number): PeriodColumns {
  const samplesPerRow = Math.max(1, Math.ceil((end - first) / MAX_POINTS));
  const length = Math.ceil((end - first) / samplesPerRow);
  const timeNs = new Float64Array(length);
  const low = new Float64Array(length);
  const middle = new Float64Array(length);
  const high = new Float64Array(length);
  for (let row = 0; row < length; row++) {
    const from = first + row * samplesPerRow;
    const to = Math.min(end, from + samplesPerRow);
    let lowest = Number.POSITIVE_INFINITY;
    let highest = 0;
    for (let i = from; i < to; i++) {
      lowest = Math.min(lowest, sequence.periodEvents[i]);
      highest = Math.max(highest, sequence.periodEvents[i]);
    }
    timeNs[row] = sequence.timeNs[from];
    low[row] = lowest;
    high[row] = highest;
    middle[row] = to - from === 1 ? lowest : median(sequence.periodEvents.subarray(from, to));
  }
  return { timeNs, low, middle, high, samplesPerRow };
}

function rateColumns(
  { sequence }: StreamAnalysis,
  first: number,
  end: number,
  fromNs: number,
  toNs: number,
): RateColumns {
  const slices = Math.max(1, Math.min(MAX_SLICES, Math.floor((end - first) / SAMPLES_PER_SLICE)));
  const width = (toNs - fromNs) / slices;
  const timeNs = Float64Array.from({ length: slices }, (_, s) => fromNs + (s + 0.5) * width);
  const counts = new Float64Array(slices);
  const events = new Float64Array(slices);
  for (let i = first; i < end; i++) {
    const at = Math.floor((sequence.timeNs[i] - fromNs) / width);
    const slice = Math.max(0, Math.min(slices - 1, at));
    counts[slice]++;
    events[slice] += sequence.elapsedEvents[i];
  }
  const perSecond = (sums: Float64Array) =>
    sums.map((sum, s) => (counts[s] === 0 ? Number.NaN : (sum * 1e9) / width));
  return { timeNs, sliceNs: width, hz: perSecond(counts), eventHz: perSecond(events) };
}
