import { NONE } from '../base/brand.ts';
import { PERF_TYPE } from '../base/event-type.ts';
import { primeFrom, primeUpTo } from '../base/primes.ts';
import type { SamplePlaces } from '../profile/sample-places.ts';
import { type AlikeTasks, findAlikeTasks } from './alike-tasks.ts';
import { median } from './distribution.ts';
import { type EventLoop, findEventLoop, shareOfOthers } from './event-loop.ts';
import {
  differing,
  differingShare,
  type FuncSequence,
  findRegularWork,
  type RegularWork,
} from './regular-work.ts';
import { rowsOfStreams, type StreamGroups } from './streams.ts';
import type { PeriodInput, PeriodSamples } from './types.ts';

// Hot: some hundred times per sample of a part of the samples.

/**
 * Samples that fall on the same places of the work again and again, so that they show these and no others:
 *
 *     loop of 300 events  │A····A····A··B│A····A····A··B│…
 *     every 100th         ●    ●    ●    ●    ●    ●          A A B A A B …
 *
 * - `cycle`: the functions of a stream's samples come again every `every` samples, `repeats` times in a row
 *   and more. `atRate`: though the intervals are not equal.
 * - `clock`: functions come again every `everyNs`, at which timers tick, and samples fall on few places of
 *   that time; or they do although their rate would move on. `cycles` is how often.
 * - `one-place`: samples of equal intervals have one stack, all but `others` of them. It may be all that
 *   the program does, or the one place of a loop of as many events: the samples don't tell. `places` is how
 *   many there are where it is another one after a move to another CPU.
 * - `loop`: functions come again after a fixed number of events, through which samples at uneven intervals
 *   move slowly (`event-loop.ts`).
 * - `tasks`: many tasks that do the same are sampled at the same events each (`alike-tasks.ts`).
 * - `regular`: the work is nearly the same each time, but no cycle of samples lasts (`regular-work.ts`).
 */
export type InStep =
  | Cycle
  | { readonly kind: 'clock'; readonly everyNs: number; readonly cycles: number }
  | OnePlace
  | EventLoop
  | AlikeTasks
  | RegularWork;

type Cycle = {
  readonly kind: 'cycle';
  readonly every: number;
  readonly repeats: number;
  /** The kernel moves the period, and the work holds it: errors at the places that it shows may all be one way. */
  readonly atRate?: true;
};

type OnePlace = {
  readonly kind: 'one-place';
  readonly samples: number;
  readonly others: number;
  readonly places: number;
};

/**
 * How samples of an event fall in step with the work; null where nothing is to be seen of it. Where intervals are
 * equal, with a fixed period or one that came to rest, some cycles are enough; where the kernel moves the period
 * work that merely repeats would soon have drifted. Where all samples are in one function, its callers may come again.
 */
export function findInStep(
  input: PeriodInput,
  groups: StreamGroups,
  event: number,
  arrived: Float64Array,
  places: SamplePlaces,
): InStep | null {
  const { mode, type, fixedPeriod, frequencyHz } = input.events[event];
  if (mode === 'clock' || fixedPeriod === 1) return null;
  const streams = rowsOfStreams(groups, event);
  const longest = streams.reduce((a, b) => (b.length > a.length ? b : a), new Int32Array(0));
  const begun = fixedPeriod === null ? null : placeOfTasks(type, places);
  const alike = findAlikeTasks(streams, arrived, begun);
  if (longest.length < LEAST_SAMPLES) return alike;
  // A parent that was sampled for longer than each of its children says nothing of them.
  if (alike !== null && alike.repeats > 0 && !hasMost(longest, streams)) return alike;
  const settled = longest.subarray(longest.length >> 3);
  const areEqual = hasEqualIntervals(longest, arrived);
  const sequence = sequenceOf(settled, places.func) ?? sequenceOf(settled, places.stack);
  const place = isOfOnePlace(type) ? places.caller : places.stack;
  return (
    (areEqual && sequence !== null ? findCycle(sequence, OF_EQUAL) : null) ??
    (areEqual && hasMost(longest, streams) ? findOnePlace(settled, event, input, place) : null) ??
    (sequence === null ? null : findClock(sequence, settled, input.samples.timeNs)) ??
    findHoldingClock(
      settled,
      hasMost(longest, streams) ? places.func : null,
      input.samples.timeNs,
      frequencyHz,
    ) ??
    findLoop(settled, places.func, arrived, true) ??
    findLoop(longest, places.func, arrived, false) ??
    (areEqual || sequence === null ? null : findCycleAtRate(sequence)) ??
    (sequence === null
      ? null
      : findRegularWork(
          sequence,
          fixedPeriod === null ? Float64Array.from(settled, (row) => arrived[row]) : null,
        )) ??
    alike
  );
}

/** More samples than all others together. */
function hasMost(longest: Int32Array, streams: readonly Int32Array[]): boolean {
  return 2 * longest.length > streams.reduce((sum, { length }) => sum + length, 0);
}

/** The place of a sample of one of many tasks, to be compared with the other tasks'. */
export function placeOfTasks(type: number, places: SamplePlaces): SamplePlaces['func'] {
  return isOfOnePlace(type) ? places.caller : places.func;
}

/**
 * Functions may change seldom: samples that move through a loop slowly see few of its turns. Where they are at rest only
 * the first ones tell (`event-loop.ts`).
 */
function findLoop(
  rows: Int32Array,
  place: ArrayLike<number>,
  arrived: Float64Array,
  isSettled: boolean,
): InStep | null {
  const part = rows.subarray(0, MOST_SAMPLES_OF_LOOP);
  const states = Int32Array.from(part, (row) => place[row]);
  const least = isSettled ? LEAST_CHANGES_AT_REST : LEAST_CHANGES_OF_LOOP;
  if (differing(states, 1, states.length) < least) return null;
  if (!haveAlikeIntervals(part, states, arrived)) return null;
  let sum = 0;
  const counted = Float64Array.from(part, (row) => {
    sum += arrived[row];
    return sum;
  });
  return findEventLoop(counted, states, isSettled);
}

/**
 * Whether the two commonest functions are seen after as many events each, to a twentieth. Phases of rates of
 * their own have intervals, and so places, of their own; in a loop shorter than an interval they don't.
 */
function haveAlikeIntervals(rows: Int32Array, states: Int32Array, arrived: Float64Array): boolean {
  const ofState = new Map<number, number[]>();
  for (let k = 0; k < rows.length; k++) {
    const known = ofState.get(states[k]);
    if (known === undefined) ofState.set(states[k], [arrived[rows[k]]]);
    else known.push(arrived[rows[k]]);
  }
  const commonest = [...ofState.values()].sort((a, b) => b.length - a.length);
  if (commonest.length < 2) return false;
  const first = median(commonest[0]);
  const second = median(commonest[1]);
  return Math.abs(first - second) <= 0.05 * Math.max(first, second);
}

/** Null where they change too seldom for anything to come again. */
function sequenceOf(rows: Int32Array, place: ArrayLike<number>): FuncSequence | null {
  const states = Int32Array.from(rows.subarray(0, MOST_SAMPLES), (row) => place[row]);
  if (differing(states, 1, states.length) < LEAST_CHANGES) return null;
  return { states, byChance: 1 - chanceOfEqual(states) };
}

/**
 * A shorter period, by the golden section, at which samples of a loop of `period` events soon have been
 * everywhere. The next prime would move by one event a sample, and begin anew each time the thread moves.
 */
export function periodOffStep(period: number): number {
  return period < 8 ? primeFrom(period + 1) : primeUpTo(period / GOLDEN);
}

/**
 * A lower rate, at which samples come to few places of no clock that `hz` is in step with: as far as one may
 * be from ratios of small numbers. Rates near to `hz` are drawn to the same places.
 */
export function rateOffStep(hz: number): number {
  return primeUpTo(hz / (3 - GOLDEN));
}

const GOLDEN = (1 + Math.sqrt(5)) / 2;

/** Fewer samples show no cycle. */
const LEAST_SAMPLES = 64;
/** A cycle is looked for among so many samples of a stream. */
const MOST_SAMPLES = 20_000;
const LEAST_REPEATS = 5;

/** Bounds that tell a cycle: shares are of the samples that would differ by chance. */
type CycleBar = {
  /** Samples of a cycle; the longer, the more of it they see. */
  readonly longest: number;
  readonly repeats: number;
  /** Most samples one cycle apart … */
  readonly once: number;
  /** … and of those `repeats` cycles apart, so many may differ. */
  readonly still: number;
  /**
   * Samples one cycle apart that may differ for each change of functions: a third of one does where the change is
   * anywhere between two samples, however regular the work.
   */
  readonly perChange: number;
};
const OF_EQUAL: CycleBar = { longest: 512, repeats: 8, once: 0.1, still: 0.3, perChange: 1 };
/** A rate that is not held drifts by a sample within some cycles; one that is held slips now and then. */
const AT_A_RATE: CycleBar = { longest: 16, repeats: 16, once: 0.15, still: 0.7, perChange: 0.15 };

const LEAST_CHANGES = 12;
const MOST_SAMPLES_OF_LOOP = 2048;
const LEAST_CHANGES_OF_LOOP = 4;
/** Some line of many fits fewer changes by chance, better than their own slow one. */
const LEAST_CHANGES_AT_REST = 20;

/** Most intervals are as long as the one before, to a hundredth. */
function hasEqualIntervals(rows: Int32Array, arrived: Float64Array): boolean {
  let equal = 0;
  for (let k = 2; k < rows.length; k++) {
    const before = arrived[rows[k - 1]];
    if (Math.abs(arrived[rows[k]] - before) <= before / 100) equal++;
  }
  return equal >= 0.8 * (rows.length - 2);
}

/**
 * The least lag at which functions come again although they differ at shorter ones, if they still do many
 * times that later.
 */
function findCycle({ states, byChance }: FuncSequence, bar: CycleBar): Cycle | null {
  const { length } = states;
  const longest = Math.min(bar.longest, Math.floor(length / LEAST_REPEATS));
  const changes = differing(states, 1, length);
  let hasDiffered = false;
  for (let lag = 1; lag <= longest; lag++) {
    const drawn = byChance * (length - lag);
    if (!hasDiffered) {
      hasDiffered = differing(states, lag, 0.5 * drawn) >= 0.5 * drawn;
      continue;
    }
    const most = Math.min(bar.once * drawn, bar.perChange * changes);
    if (differing(states, lag, most) > most) continue;
    const every = bestLag(states, lag, Math.min(longest, Math.ceil(1.2 * lag)));
    const repeats = countRepeats(states, every, bar.still * byChance);
    return repeats >= bar.repeats ? { kind: 'cycle', every, repeats } : null;
  }
  return null;
}

function findCycleAtRate(sequence: FuncSequence): Cycle | null {
  const found = findCycle(sequence, AT_A_RATE);
  return found && { ...found, atRate: true };
}

/**
 * The number of cycles for which functions come again at the same samples: the greatest multiple of the cycle, by
 * powers of two, at which they still do but for a share of `still`; all if they do to the end. Work that merely
 * repeats drifts.
 */
function countRepeats(states: Int32Array, every: number, still: number): number {
  let repeats = 1;
  for (let times = 2; every * times <= states.length / 2; times *= 2) {
    const lag = every * times;
    const least = still * (states.length - lag);
    if (differing(states, lag, least) > least) return repeats;
    repeats = times;
  }
  return states.length / every;
}

/** The lag from `first` to `last` at which the fewest samples differ, the least of several. */
function bestLag(states: Int32Array, first: number, last: number): number {
  let best = first;
  let fewest = Number.POSITIVE_INFINITY;
  for (let lag = first; lag <= last && fewest > 0; lag++) {
    const count = differing(states, lag, fewest);
    if (count >= fewest) continue;
    fewest = count;
    best = lag;
  }
  return best;
}

/** Chance that two samples drawn at random are in one state. */
function chanceOfEqual(states: Int32Array): number {
  const counts = new Map<number, number>();
  for (const state of states) counts.set(state, (counts.get(state) ?? 0) + 1);
  let squares = 0;
  for (const count of counts.values()) squares += count * count;
  return squares / (states.length * states.length);
}

/** A tracepoint and a breakpoint lie in one place themselves: where they were called from may differ. */
function isOfOnePlace(type: number): boolean {
  return type === PERF_TYPE.TRACEPOINT || type === PERF_TYPE.BREAKPOINT;
}

/**
 * Each stretch has one stack, but for few samples: of the program's end, say, or of a library. After a
 * move the counter goes on where it stood, the work does not: so it is another place of a loop.
 */
function findOnePlace(
  rows: Int32Array,
  event: number,
  { samples }: PeriodInput,
  placeOf: ArrayLike<number>,
): OnePlace | null {
  const bounds = stretchesOf(rows, event, samples);
  const places = new Set<number>();
  let others = 0;
  let unsure = 0;
  for (let i = 1; i < bounds.length; i++) {
    const stretch = rows.subarray(bounds[i - 1], bounds[i]);
    const { place, count } = commonestOf(stretch, placeOf);
    others += stretch.length - count;
    if (stretch.length < LEAST_STRETCH || place === NONE) unsure += stretch.length;
    else places.add(place);
  }
  if (others > MOST_OTHERS * rows.length || unsure > 0.5 * rows.length) return null;
  return { kind: 'one-place', samples: rows.length, others, places: places.size };
}

/** The number of samples below which one place means nothing. */
const LEAST_STRETCH = 16;
const MOST_OTHERS = 0.01;

function commonestOf(
  rows: Int32Array,
  placeOf: ArrayLike<number>,
): { place: number; count: number } {
  const counts = new Map<number, number>();
  for (const row of rows) counts.set(placeOf[row], (counts.get(placeOf[row]) ?? 0) + 1);
  let commonest = { place: NONE, count: 0 };
  for (const [place, count] of counts) if (count > commonest.count) commonest = { place, count };
  return commonest;
}

/** Times at which timers tick: the kernel's own (CONFIG_HZ), and those that programs ask for. */
const CLOCKS_NS = [1e6, 2e6, 4e6, 5e6, 10e6, 20e6];
/** Parts of a clock's time: so many at least, … */
const LEAST_PARTS = 64;
/** … so many for each sample that comes in it, so that they are shorter than intervals, … */
const PARTS_PER_SAMPLE = 16;
/** … and none with fewer samples than this on average, which would tell by chance. */
const SAMPLES_PER_PART = 4;

function partsFor(samples: number, cycles: number): number {
  const wanted = (PARTS_PER_SAMPLE * samples) / cycles;
  return Math.max(LEAST_PARTS, Math.floor(Math.min(wanted, samples / SAMPLES_PER_PART)));
}

/**
 * The clock by whose time a sample's function is all but certain, though by a time near to it it is
 * not; null also where samples are spread evenly over that time, so that they see all of it. */
function findClock(
  { states, byChance }: FuncSequence,
  rows: Int32Array,
  timeNs: Float64Array,
): InStep | null {
  const times = Float64Array.from(rows.subarray(0, states.length), (row) => timeNs[row]);
  const duration = timeNs[rows[rows.length - 1]] - timeNs[rows[0]];
  for (const everyNs of CLOCKS_NS) {
    const cycles = duration / everyNs;
    if (cycles < LEAST_REPEATS) break;
    const parts = partsFor(rows.length, cycles);
    const othersIn = (ns: number) =>
      shareOfOthers(states, parts, (k) => partOf(times[k], ns, parts));
    if (othersIn(everyNs) > 0.25 * byChance) continue;
    if (crowdingOf(times, everyNs, parts) < LEAST_CROWDING) continue;
    if (othersIn(everyNs * BESIDE) < 0.5 * byChance) continue;
    return { kind: 'clock', everyNs, cycles };
  }
  return null;
}

/** Samples fill this many times fewer parts of the time than if they were spread evenly. */
const LEAST_CROWDING = 2.5;
/** No clock's time, for comparison. */
const BESIDE = 1.0618;

const partOf = (time: number, everyNs: number, parts: number): number =>
  Math.floor(((time % everyNs) / everyNs) * parts);

/** How unevenly samples lie in a recurring time: 1 if all of its parts have as many. */
function crowdingOf(times: Float64Array, everyNs: number, parts: number): number {
  const sizes = new Float64Array(parts);
  for (const time of times) sizes[partOf(time, everyNs, parts)]++;
  const squares = sizes.reduce((sum, size) => sum + size * size, 0);
  return (squares * parts) / (times.length * times.length);
}

/**
 * A clock that holds samples at its own places against the rate that was asked for. Where that rate itself is in step
 * with the clock, a steady program's samples are as regular. Work that begins late now and then holds them in a part
 * of the clock's time, and so does any work that is done early in it; then the functions decide: those of samples that
 * are held are the same from one cycle to the next. `place` is null where the stream is one of many.
 */
function findHoldingClock(
  rows: Int32Array,
  place: ArrayLike<number> | null,
  timeNs: Float64Array,
  frequencyHz: number | null,
): InStep | null {
  if (frequencyHz === null || rows.length < LEAST_SAMPLES) return null;
  const times = Float64Array.from(rows, (row) => timeNs[row]);
  const states = Int32Array.from(rows.subarray(0, MOST_SAMPLES), (row) => place?.[row] ?? 0);
  const byChance = 1 - chanceOfEqual(states);
  const asked = times.map((_, k) => (k * 1e9) / frequencyHz);
  const duration = times[times.length - 1] - times[0];
  for (const everyNs of CLOCKS_NS) {
    const cycles = duration / everyNs;
    if (cycles < LEAST_REPEATS) break;
    const inEach = Math.max(1, rows.length / cycles);
    const parts = Math.floor(LEAST_PARTS * inEach);
    if (parts * SAMPLES_PER_PART > rows.length) continue;
    const least = LEAST_PARTS / (byChance > 0 ? MOST_HELD_PARTS : MOST_OF_ONE_FUNCTION);
    const crowding = crowdingOf(times, everyNs, parts);
    if (crowding < least) continue;
    const ifFree = crowdingOf(asked, everyNs, parts);
    if (ifFree >= LEAST_CROWDING || crowding < LEAST_ABOVE_FREE * ifFree) continue;
    if (differingShare(states, Math.round(inEach)) > MOST_DIFFERING_IF_HELD * byChance) continue;
    return { kind: 'clock', everyNs, cycles };
  }
  return null;
}

/** Parts, of `LEAST_PARTS`, that a sample moves about in from one cycle to another while it is held, … */
const MOST_HELD_PARTS = 32;
/** … and where all of them are in one function, which tells nothing. */
const MOST_OF_ONE_FUNCTION = 7;
/** Samples of a steady rate near the one asked for drift through the clock's time all but as slowly. */
const LEAST_ABOVE_FREE = 2;
/** Samples one cycle apart that are in different functions, against drawn ones. */
const MOST_DIFFERING_IF_HELD = 0.5;

/**
 * The rows at which a thread came back to a stream after it was sampled in others, that is on other CPUs:
 *
 *     CPU 0   ●●●●│     │●●│   │●●●        rows of one stream, in time order
 *     CPU 1       │●●●●●│  │●●●│
 *     bounds  0    4     6      9
 *
 * Samples `bounds[i]` … `bounds[i + 1] − 1` are one stretch; the last bound is the number of rows.
 */
function stretchesOf(
  rows: Int32Array,
  event: number,
  samples: Pick<PeriodSamples, 'event' | 'thread'>,
): number[] {
  const bounds = [0];
  const isAway = new Set<number>();
  for (let k = 1; k < rows.length; k++) {
    for (let row = rows[k - 1] + 1; row < rows[k]; row++) {
      if (samples.event[row] === event) isAway.add(samples.thread[row]);
    }
    if (isAway.delete(samples.thread[rows[k]])) bounds.push(k);
  }
  bounds.push(rows.length);
  return bounds;
}
