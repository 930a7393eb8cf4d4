import { lostSamplesOf } from '../../base/lost-samples.ts';
import { finish } from '../../base/slices.ts';
import { type Alignment, alignPeriods } from '../alignment.ts';
import { isCountedInSoftware } from '../controller.ts';
import type { StreamGroups } from '../streams.ts';
import type { PeriodInput } from '../types.ts';
import { computeConcentration, type LossConcentration } from './loss-concentration.ts';

/**
 * The ledger of one event: what arrived and what did not.
 *
 * The ledger is kept in events and closes:
 *
 *     eventsCounted = arrivedEvents      Σ weights of the samples that arrived
 *                   + gapEvents          between two samples of a stream, in samples that were lost
 *                   + tailEvents         after the last sample of a stream
 *                   + unsampledEvents    of streams of which no sample arrived
 *                   + undividedEvents    one of the three above: the file does not tell which
 *                   + unaccounted        0
 *
 * Ramps are part of what arrived; a throttled event does not count, so throttling is time and no
 * events. Without counts in the samples, gaps and tails can't be told apart and are `undivided`,
 * unless nothing was lost or the period was fixed.
 */
export type EventLedger = {
  readonly samples: number;
  /** Samples lost; `lostSamplesOf` says by which figure. */
  readonly lostSamples: number;
  /** Share of the samples taken that arrived, 0…1; null if none was taken. */
  readonly coverage: number | null;
  /** The counter's value over all instances; null if it was not read. */
  readonly eventsCounted: number | null;
  readonly arrivedEvents: number;
  /** Share of the events counted that the samples stand for, 0…1; null if that is not known. */
  readonly eventCoverage: number | null;
  readonly gapEvents: number;
  /** This and the next three: null if the counter was not read. */
  readonly tailEvents: number | null;
  readonly unsampledEvents: number | null;
  readonly undividedEvents: number | null;
  /**
   * The remainder. Not 0 for a clock, whose timer and counter are two clocks, nor where a period was
   * taken for what it does not measure (rule unknown, hardware that counts on while it interrupts).
   */
  readonly unaccounted: number | null;
  /** Places of the losses; null if there are none. */
  readonly concentration: LossConcentration | null;
  /** Streams with samples, in the order of the groups, then those of which none arrived. */
  readonly streams: readonly StreamLedger[];
};

/** The ledger of one event instance. */
export type StreamLedger = {
  /** Row of `PeriodInput.streams`; −1 where the recording does not tell streams apart. */
  readonly stream: number;
  readonly samples: number;
  readonly arrivedEvents: number;
  readonly gapEvents: number;
  /** The instance's own final value; null if it is not known. */
  readonly eventsCounted: number | null;
  /** After the last sample; null if the final value is not known, or gaps can't be told from it. */
  readonly tailEvents: number | null;
};

/** The ledger of each event of the input. */
export function computeLedgers(
  input: PeriodInput,
  { groups, arrivedEvents, lostBefore }: Alignment = finish(alignPeriods(input)),
): EventLedger[] {
  const streams = sumStreams(input, groups, arrivedEvents, lostBefore);
  return input.events.map((_, index) => computeLedger(input, index, streams));
}

type StreamSums = Omit<StreamLedger, 'tailEvents'> & {
  readonly event: number;
  /** Row of `PeriodInput.threads` of its first sample, −1 if unknown. */
  readonly thread: number;
  /** Every sample has the counter's value, so gaps are known. */
  readonly isCounted: boolean;
};

/** Arrived and lost events of every stream; those without samples come last. */
function sumStreams(
  input: PeriodInput,
  groups: StreamGroups,
  elapsed: Float64Array,
  lost: Float64Array,
): StreamSums[] {
  const { count, thread } = input.samples;
  const finals = new Map<number, { event: number; count: number }>();
  for (const final of input.finals ?? []) {
    if (final.stream >= 0) finals.set(final.stream, final);
  }
  const sums: StreamSums[] = [];
  for (let g = 0; g < groups.length; g++) {
    const start = groups.offsets[g];
    const end = groups.offsets[g + 1];
    let arrivedEvents = 0;
    let gapEvents = 0;
    let isCounted = true;
    for (let k = start; k < end; k++) {
      const row = groups.rows[k];
      arrivedEvents += elapsed[row];
      gapEvents += lost[row];
      if (count === null || Number.isNaN(count[row])) isCounted = false;
    }
    const stream = groups.stream[g];
    sums.push({
      event: groups.event[g],
      stream,
      thread: thread[groups.rows[start]],
      samples: end - start,
      arrivedEvents,
      gapEvents,
      isCounted,
      eventsCounted: finals.get(stream)?.count ?? null,
    });
    finals.delete(stream);
  }
  for (const [stream, { event, count: counted }] of finals) {
    sums.push({
      event,
      stream,
      thread: -1,
      samples: 0,
      arrivedEvents: 0,
      gapEvents: 0,
      isCounted: true,
      eventsCounted: counted,
    });
  }
  return sums;
}

function computeLedger(
  input: PeriodInput,
  index: number,
  allStreams: readonly StreamSums[],
): EventLedger {
  const streams = allStreams.filter(({ event }) => event === index);
  const lostSamples = lostSamplesOf(input.losses ?? [], index);
  const total = input.eventTotals?.[index] ?? null;
  let samples = 0;
  let arrivedEvents = 0;
  let gapEvents = 0;
  let tailEvents = 0;
  let unsampledEvents = 0;
  let undividedEvents = 0;
  // What the instances of unknown final value must have counted, together.
  let rest = total ?? 0;
  const ledgers: StreamLedger[] = [];
  for (const sums of streams) {
    const { stream, eventsCounted } = sums;
    samples += sums.samples;
    arrivedEvents += sums.arrivedEvents;
    gapEvents += sums.gapEvents;
    let tail: number | null = null;
    if (eventsCounted === null) {
      rest -= sums.arrivedEvents + sums.gapEvents;
    } else {
      rest -= eventsCounted;
      const after = Math.max(0, eventsCounted - sums.arrivedEvents - sums.gapEvents);
      if (sums.samples === 0) unsampledEvents += after;
      else if (sums.isCounted || lostSamples === 0) tail = after;
      else undividedEvents += after;
      tailEvents += tail ?? 0;
    }
    ledgers.push({
      stream,
      samples: sums.samples,
      arrivedEvents: sums.arrivedEvents,
      gapEvents: sums.gapEvents,
      eventsCounted,
      tailEvents: tail,
    });
  }
  if (total !== null && hasUnknownFinals(input, index)) undividedEvents += Math.max(0, rest);
  const inFixed = eventsInLostSamples(input, index, streams, lostSamples, undividedEvents);
  gapEvents += inFixed;
  undividedEvents -= inFixed;
  const accounted = arrivedEvents + gapEvents + tailEvents + unsampledEvents + undividedEvents;
  const taken = samples + lostSamples;
  return {
    samples,
    lostSamples,
    coverage: taken > 0 ? samples / taken : null,
    eventsCounted: total,
    arrivedEvents,
    eventCoverage: total !== null && total > 0 ? arrivedEvents / total : null,
    gapEvents,
    tailEvents: total === null ? null : tailEvents,
    unsampledEvents: total === null ? null : unsampledEvents,
    undividedEvents: total === null ? null : undividedEvents,
    unaccounted: total === null ? null : total - accounted,
    concentration: computeConcentration(input, index, streams),
    streams: ledgers,
  };
}

/** Whether some instances' final values are known as a sum only, or none is known at all. */
function hasUnknownFinals({ finals }: PeriodInput, index: number): boolean {
  const own = (finals ?? []).filter(({ event }) => event === index);
  return own.length === 0 || own.some(({ stream }) => stream < 0);
}

/**
 * Every lost sample of a software event with a fixed period stands for exactly so many events, which
 * tells them from the tails even without counts.
 */
function eventsInLostSamples(
  input: PeriodInput,
  index: number,
  streams: readonly StreamSums[],
  lostSamples: number,
  undividedEvents: number,
): number {
  const { mode, type, fixedPeriod } = input.events[index];
  if (mode !== 'period' || !isCountedInSoftware(type) || fixedPeriod === null) return 0;
  if (streams.every(({ isCounted }) => isCounted)) return 0;
  const events = lostSamples * fixedPeriod;
  return events <= undividedEvents ? events : 0;
}
