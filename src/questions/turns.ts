import { firstNotBelow } from '../base/bisect.ts';
import { NONE } from '../base/brand.ts';
import { memoize } from '../base/memoize.ts';
import { finish } from '../base/slices.ts';
import { groupSamples } from '../profile/analysis/select/filter.ts';
import { categoryRow } from '../profile/func-table.ts';
import { isInRanges, type TimeRange } from '../profile/time-range.ts';
import { middleOfBucket, SHORT_TURN_BUCKETS, type TurnTable } from '../profile/turn-table.ts';
import type { FuncIndex, Profile, Weights } from '../profile/types.ts';
import { isRunnableLabel, isWaitEvent } from '../profile/wait-event.ts';
import { Lengths } from './lengths.ts';
import { ownersOfSamples } from './request-owners.ts';
import { ownersOfStacks, type StackOwners } from './stack-owners.ts';

/** Lengths of turns of event loops, nanoseconds. The first one, in which a program starts, is in none of it. */
export type TurnLengths = {
  readonly turns: number;
  /** Half of the turns took no longer, 90 and 99 of 100; below a millisecond they are known to 6 %. */
  readonly p50Ns: number;
  readonly p90Ns: number;
  readonly p99Ns: number;
  readonly longestNs: number;
  /** Sums: of all turns, and of the waits before them. */
  readonly busyNs: number;
  readonly waitedNs: number;
};

/** Sums of one loop. */
export type LoopSummary = TurnLengths & {
  /** Row of `TurnTable.loops`. */
  readonly loop: number;
};

/** The loops that had a turn, the one with the longest turn first. */
export function summarizeLoops(turns: TurnTable, times?: readonly TimeRange[]): LoopSummary[] {
  return sumsOfLoops(turns, turns.loops.length, (loop) => loop, times)
    .map((sums, loop) => ({ loop, ...sums.finish() }))
    .filter((summary) => summary.turns > 0)
    .sort((a, b) => b.longestNs - a.longestNs);
}

/** The turns of all loops together; null where none had one. */
export function summarizeTurns(turns: TurnTable, times?: readonly TimeRange[]): TurnLengths | null {
  const lengths = sumsOfLoops(turns, 1, () => 0, times)[0].finish();
  return lengths.turns === 0 ? null : lengths;
}

function sumsOfLoops(
  turns: TurnTable,
  count: number,
  rowOf: (loop: number) => number,
  times: readonly TimeRange[] | undefined,
): LoopSums[] {
  const isIn = isInTimes(times);
  const all = Array.from({ length: count }, () => new LoopSums());
  for (let row = 0; row < turns.length; row++) {
    if (turns.isFirst[row] === 1 || !isIn(turns.fromNs[row], turns.toNs[row])) continue;
    const length = turns.toNs[row] - turns.fromNs[row];
    all[rowOf(turns.loop[row])].add(length, 1, length, turns.waitedNs[row]);
  }
  const { short } = turns;
  for (let row = 0; row < short.length; row++) {
    if (!isIn(short.fromNs[row], short.toNs[row])) continue;
    const sums = all[rowOf(short.loop[row])];
    sums.add(0, 0, short.lengthNs[row], short.waitedNs[row]);
    for (let bucket = 0; bucket < SHORT_TURN_BUCKETS; bucket++) {
      const count = short.counts[bucket][row];
      if (count > 0) sums.add(middleOfBucket(bucket), count, 0, 0);
    }
  }
  return all;
}

class LoopSums {
  readonly #lengths = new Lengths();
  #busyNs = 0;
  #waitedNs = 0;

  add(ns: number, count: number, busyNs: number, waitedNs: number): void {
    this.#lengths.add(ns, count);
    this.#busyNs += busyNs;
    this.#waitedNs += waitedNs;
  }

  finish(): TurnLengths {
    const { count: turns, ...lengths } = this.#lengths.finish();
    return { turns, ...lengths, busyNs: this.#busyNs, waitedNs: this.#waitedNs };
  }
}

/** A turn, with what it did by function of the program's author. Times are nanoseconds. */
export type SlowTurn = {
  /** Row of `TurnTable`. */
  readonly turn: number;
  /**
   * The outermost function of the author's, else of a dependency, in the turn's first sample that has one: the callback that
   * it began with, as far as samples show it. −1: none does.
   */
  readonly callback: FuncIndex | -1;
  /** Heaviest first. */
  readonly parts: readonly TurnPart[];
  /** The samples that were certainly of requests which a server answered, by route; heaviest first. */
  readonly requests: readonly TurnRequests[];
  /** Time on a CPU as sampled; null where the event counts something else. */
  readonly onCpuNs: number | null;
  /** The part of `onCpuNs` in V8's garbage collector. */
  readonly collectingNs: number | null;
  /** Time off the CPU; null where waits were not recorded. */
  readonly offCpuNs: number | null;
};

/** A thread runs on a CPU, waits for something, or could run and waits for a CPU, which others have. */
export type PartState = 'running' | 'waiting' | 'runnable';

/** The work of one function of the author's in a turn, with all that it called but other ones of his. */
export type TurnPart = {
  readonly func: FuncIndex;
  readonly state: PartState;
  /** Nanoseconds, or the unit of the event where that is another one. */
  readonly weight: number;
  readonly samples: number;
};

/** The samples of a turn that are of requests of one route. */
export type TurnRequests = {
  /** `GET /users/:id`. */
  readonly route: string;
  /** Their weight, in the unit of `TurnPart.weight`. */
  readonly weight: number;
};

/** Turns of the event loops of a recording. */
export type TurnReport = {
  /** The loop with the longest turn first. */
  readonly loops: readonly LoopSummary[];
  /** The longest first. */
  readonly slowest: readonly SlowTurn[];
};

export type TurnQuestion = {
  readonly profile: Profile;
  /** The same profile with all frames, by which the handlers of requests are known. */
  readonly recorded: Profile;
  /** Samples of the event that is shown. */
  readonly rows: Int32Array;
  readonly weights: Weights;
  readonly overNs: number;
  /** The number of turns that are described, at most. */
  readonly limit: number;
  readonly times?: readonly TimeRange[];
};

/** The slowest turns, longest first. */
export function slowestTurns(turns: TurnTable, question: TurnQuestion): SlowTurn[] {
  const { profile, recorded, overNs, limit, times } = question;
  const isIn = isInTimes(times);
  const lengthOf = (row: number) => turns.toNs[row] - turns.fromNs[row];
  const slow: number[] = [];
  for (let row = 0; row < turns.length; row++) {
    if (lengthOf(row) >= overNs && isIn(turns.fromNs[row], turns.toNs[row])) slow.push(row);
  }
  slow.sort((a, b) => lengthOf(b) - lengthOf(a));
  const samplesOf = samplesByThread(profile);
  const shown = slow.slice(0, limit).map((turn) => ({ turn, rows: samplesOf(turns, turn) }));
  const routeOf = routesOfSamples(
    recorded,
    shown.map(({ rows }) => rows),
  );
  const facts = { ...ownersOfStacks(profile), routeOf };
  return shown.map(({ turn, rows }) => describeTurn(turns, turn, rows, facts, question));
}

type SampleFacts = StackOwners & { readonly routeOf: (row: number) => string | null };

/** The route of the request for which a sample of the turns certainly ran or waited; null of others. */
function routesOfSamples(
  recorded: Profile,
  turns: readonly Int32Array[],
): (row: number) => string | null {
  const { marks } = recorded;
  if (marks === undefined || turns.length === 0) return () => null;
  const inTimeOrder = Int32Array.from(turns.flatMap((rows) => [...rows])).sort();
  const { owner, isCertain } = ownersOfSamples(recorded, marks, inTimeOrder);
  return (row) => (isCertain[row] === 1 ? marks.names[marks.name[owner[row]]] : null);
}

function describeTurn(
  turns: TurnTable,
  turn: number,
  rows: Int32Array,
  { innermost, outermost, routeOf }: SampleFacts,
  { profile, rows: asked, weights }: TurnQuestion,
): SlowTurn {
  const { samples, events, stacks, frames, funcs } = profile;
  const [fromNs, toNs] = [turns.fromNs[turn], turns.toNs[turn]];
  const shown = asked.length === 0 ? NONE : samples.event[asked[0]];
  const parts = new Map<string, TurnPart>();
  const requests = new Map<string, number>();
  const waits = events.map((each) => isWaitEvent(each));
  let callback: number = NONE;
  let [onCpu, collecting, offCpu] = [0, 0, 0];
  for (const row of rows) {
    const event = samples.event[row];
    if (!waits[event] && event !== shown) continue;
    const weight = waits[event]
      ? insideOf(fromNs, toNs, samples.timeNs[row], samples.periodEvents[row])
      : weights.values[row];
    if (!(weight > 0)) continue;
    const stack = samples.stack[row];
    const route = routeOf(row);
    if (route !== null) requests.set(route, (requests.get(route) ?? 0) + weight);
    if (waits[event]) offCpu += weight;
    else {
      onCpu += weight;
      const leaf = stack === NONE ? NONE : frames.func[stacks.frame[stack]];
      if (leaf !== NONE && funcs.category[leaf] === COLLECTOR) collecting += weight;
    }
    if (stack === NONE) continue;
    if (callback === NONE) callback = outermost[stack];
    const state = !waits[event] ? 'running' : isRunnable(profile, stack) ? 'runnable' : 'waiting';
    const func = innermost[stack] as FuncIndex;
    const key = `${state} ${func}`;
    const before = parts.get(key) ?? { func, state, weight: 0, samples: 0 };
    parts.set(key, { ...before, weight: before.weight + weight, samples: before.samples + 1 });
  }
  const isTime = weights.unit === 'nanoseconds';
  return {
    turn,
    callback: callback as FuncIndex | -1,
    parts: [...parts.values()].sort((a, b) => b.weight - a.weight),
    requests: [...requests]
      .map(([route, weight]) => ({ route, weight }))
      .sort((a, b) => b.weight - a.weight),
    onCpuNs: isTime ? onCpu : null,
    collectingNs: isTime ? collecting : null,
    offCpuNs: waits.includes(true) ? offCpu : null,
  };
}

/** The part of a wait inside of a turn. */
function insideOf(fromNs: number, toNs: number, timeNs: number, lastedNs: number): number {
  return Math.min(toNs, timeNs + lastedNs) - Math.max(fromNs, timeNs);
}

/** Whether the stack of a wait ends as that of a thread which waits for a CPU; who woke it may be on top. */
function isRunnable({ stacks, frames, funcs, strings }: Profile, leaf: number): boolean {
  return [leaf, stacks.prefix[leaf]].some(
    (row) => row !== NONE && isRunnableLabel(strings[funcs.name[frames.func[stacks.frame[row]]]]),
  );
}

const COLLECTOR = categoryRow('GC');

/** The samples of a turn's thread that lie in it, or reach into it, in time order. */
function samplesByThread(profile: Profile): (turns: TurnTable, turn: number) => Int32Array {
  const { samples, events } = profile;
  const isWait = events.map((event) => isWaitEvent(event));
  const endOf = (row: number): number =>
    samples.timeNs[row] + (isWait[samples.event[row]] ? samples.periodEvents[row] : 0);
  const all = Int32Array.from({ length: samples.length }, (_, row) => row);
  const { starts, samples: rows } = finish(
    groupSamples(all, samples.thread, profile.threads.length),
  );
  const ofThread = memoize((thread: number) => {
    const own = rows.subarray(starts[thread], starts[thread + 1]);
    const longestNs = own.reduce(
      (most, row) => Math.max(most, endOf(row) - samples.timeNs[row]),
      0,
    );
    return { own, longestNs, timeNs: Float64Array.from(own, (row) => samples.timeNs[row]) };
  });
  return (turns, turn) => {
    const { thread } = turns.loops[turns.loop[turn]];
    if (thread === NONE) return new Int32Array(0);
    const { own, longestNs, timeNs } = ofThread(thread);
    const first = firstNotBelow(timeNs, turns.fromNs[turn] - longestNs);
    const end = firstNotBelow(timeNs, turns.toNs[turn]);
    return own.subarray(first, end).filter((row) => endOf(row) >= turns.fromNs[turn]);
  };
}

/** Whether a span has a part in any of the times. */
function isInTimes(times: readonly TimeRange[] | undefined): (from: number, to: number) => boolean {
  return (from, to) => times === undefined || isInRanges(times, from, to - from);
}
