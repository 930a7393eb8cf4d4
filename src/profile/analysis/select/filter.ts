import { lastAtMost } from '../../../base/bisect.ts';
import { NONE } from '../../../base/brand.ts';
import { UsageError } from '../../../base/errors.ts';
import { globMatcher, isGlob } from '../../../base/glob.ts';
import { GrowableFloat64 } from '../../../base/growable-columns.ts';
import type { IntColumn } from '../../../base/int-column.ts';
import { printable } from '../../../base/printable.ts';
import { eachSlice, SLICE_ITEMS, type Slices } from '../../../base/slices.ts';
import { MARK_KINDS } from '../../mark-table.ts';
import { isInRanges, type TimeRange } from '../../time-range.ts';
import type { EventIndex, Profile } from '../../types.ts';
import { isWaitEvent } from '../../wait-event.ts';
import { findFunctions } from './find-functions.ts';

/**
 * Selects the samples that every given part admits. A wait is inside of a time of which it is a part, however
 * small, and `clipWaits` weighs that part. Other weights stay those of the whole recording: what a sample stands
 * for does not depend on who looks at it.
 */
export type SampleSelection = {
  readonly event?: number;
  readonly thread?: number;
  /** Rows of the profile's threads: samples of any of them. */
  readonly threads?: ReadonlySet<number>;
  /** Nanoseconds since the recording's start; the first moment inside. */
  readonly fromNs?: number;
  /** Nanoseconds since the recording's start; the first moment no longer inside. */
  readonly toNs?: number;
  /** Inside one of them, and inside of `fromNs` and `toNs`. */
  readonly times?: readonly TimeRange[];
  readonly cpus?: ReadonlySet<number>;
  readonly pids?: ReadonlySet<number>;
  readonly tids?: ReadonlySet<number>;
  /** Names that the thread had at the time of the sample. */
  readonly comms?: ReadonlySet<string>;
  /** Milliseconds: inside of a turn of the thread's event loop that took as long or longer. */
  readonly inTurnsOver?: number;
  /** While a mark of the sample's thread was open that is called so: its name, a glob of it, or its kind. */
  readonly inMark?: string;
  /** The innermost frame's DSO, by file name or path. */
  readonly dsos?: ReadonlySet<string>;
  /** The innermost frame's function, as people name it (`readFunctionPattern`). */
  readonly symbols?: ReadonlySet<string>;
};

/** Indexes of the samples that `selection` admits, in time order. */
export function* selectSamples(
  profile: Profile,
  selection: SampleSelection = {},
): Slices<Int32Array> {
  const { samples } = profile;
  const event = selection.event ?? NONE;
  const fromNs = selection.fromNs ?? Number.NEGATIVE_INFINITY;
  const toNs = selection.toNs ?? Number.POSITIVE_INFINITY;
  const { times, cpus } = selection;
  const threadAdmits = admittedThreads(profile, selection);
  const commAdmits = admittedComms(profile, selection.comms);
  const stackAdmits = admittedStacks(profile, selection);
  const turns =
    selection.inTurnsOver === undefined ? null : turnsOver(profile, selection.inTurnsOver);
  const marks = selection.inMark === undefined ? null : marksCalled(profile, selection.inMark);
  const { event: events, thread, timeNs: sampleTimes, periodEvents, cpu, comm, stack } = samples;
  const isAnyTime = toNs === Number.POSITIVE_INFINITY && fromNs === Number.NEGATIVE_INFINITY;
  const isWait =
    isAnyTime && times === undefined && turns === null && marks === null
      ? null
      : admitted(profile.events.length, (row) => isWaitEvent(profile.events[row]));
  const ofEvent = event === NONE ? null : yield* rowsOfEvent(profile, event);
  const { length } = ofEvent ?? samples;
  const selected = new Int32Array(length);
  let count = 0;
  // Hot: once per sample.
  for (let i = 0; i < length; i++) {
    if (i % SLICE_ITEMS === SLICE_ITEMS - 1) yield;
    const sample = ofEvent === null ? i : ofEvent[i];
    if (threadAdmits !== null && threadAdmits[thread[sample]] === 0) continue;
    if (isWait !== null) {
      const timeNs = sampleTimes[sample];
      const lasted = isWait[events[sample]] === 1 ? periodEvents[sample] : 0;
      if (timeNs >= toNs || (timeNs < fromNs && timeNs + lasted <= fromNs)) continue;
      if (times !== undefined && !isInRanges(times, timeNs, lasted)) continue;
      if (turns !== null && !isInSpan(turns.get(thread[sample]), timeNs, lasted)) continue;
      if (marks !== null && !isInSpan(marks.get(thread[sample]), timeNs, lasted)) continue;
    }
    if (cpus !== undefined && !cpus.has(cpu[sample])) continue;
    if (commAdmits !== null && commAdmits[comm[sample]] === 0) continue;
    if (stackAdmits !== null) {
      const row = stack[sample];
      if (row === NONE || stackAdmits[row] === 0) continue;
    }
    selected[count++] = sample;
  }
  return count === selected.length ? selected : selected.slice(0, count);
}

/** Rows by event, kept by sample table: thousands of events asked in turn may not take as many passes. */
const groupsByEvent = new WeakMap<Profile['samples'], SampleGroups>();

/** The samples of one event, in time order. */
function* rowsOfEvent({ samples, events }: Profile, event: number): Slices<Int32Array> {
  let groups = groupsByEvent.get(samples);
  if (groups === undefined) {
    const rows = Int32Array.from({ length: samples.length }, (_, row) => row);
    groups = yield* groupSamples(rows, samples.event, events.length);
    groupsByEvent.set(samples, groups);
  }
  const { starts } = groups;
  // An event that the profile does not have has no samples.
  return groups.samples.subarray(starts[event] ?? 0, starts[event + 1] ?? 0);
}

/** Whether `selection` could leave out any sample of one event. */
export function isRestricting(selection: SampleSelection): boolean {
  return Object.entries(selection).some(([key, value]) => key !== 'event' && value !== undefined);
}

/** Begins and ends of spans of one thread, nanoseconds since the recording's start, in time order; they do not overlap. */
type Spans = { readonly fromNs: GrowableFloat64; readonly toNs: GrowableFloat64 };

/** The turns of each thread that took `leastMs` or more. */
function turnsOver({ turns }: Profile, leastMs: number): ReadonlyMap<number, Spans> {
  const byThread = new Map<number, Spans>();
  if (turns === undefined) {
    throw new UsageError(
      'the recording has no turns of an event loop: none was in what it recorded, or nothing of perf-ts in that',
    );
  }
  const { loop, fromNs, toNs, loops } = turns;
  for (let row = 0; row < turns.length; row++) {
    if (toNs[row] - fromNs[row] < leastMs * 1e6) continue;
    const { thread } = loops[loop[row]];
    addSpan(byThread, thread, fromNs[row], toNs[row]);
  }
  return byThread;
}

/** The times of each thread in which marks were open that are called so. */
function marksCalled({ marks }: Profile, called: string): ReadonlyMap<number, Spans> {
  const byThread = new Map<number, Spans>();
  const isCalled = isGlob(called) ? globMatcher(called) : (name: string) => name === called;
  const isName = marks?.names.map((name) => isCalled(name)) ?? [];
  const isKind = MARK_KINDS.map((kind) => kind === called);
  for (let row = 0; marks !== undefined && row < marks.length; row++) {
    const isMeant = isKind[marks.kind[row]] || isName[marks.name[row]] || isName[marks.text[row]];
    if (!isMeant) continue;
    const { thread } = marks.loops[marks.loop[row]];
    addSpan(byThread, thread, marks.fromNs[row], marks.toNs[row]);
  }
  if (byThread.size === 0) {
    throw new UsageError(`no mark is called ${printable(called)}`, [
      'perf-ts report --marks lists those that the recording has',
    ]);
  }
  return byThread;
}

/** Spans come in the order of their begins. */
function addSpan(to: Map<number, Spans>, thread: number, fromNs: number, toNs: number): void {
  const own = to.get(thread) ?? {
    fromNs: new GrowableFloat64(16),
    toNs: new GrowableFloat64(16),
  };
  to.set(thread, own);
  const last = own.toNs.length - 1;
  if (last >= 0 && own.toNs.array[last] >= fromNs) {
    own.toNs.array[last] = Math.max(own.toNs.array[last], toNs);
    return;
  }
  own.fromNs.push(fromNs);
  own.toNs.push(toNs);
}

/** Whether a span has the moment, or a part of what lasts from then on. */
function isInSpan(spans: Spans | undefined, timeNs: number, lengthNs: number): boolean {
  if (spans === undefined) return false;
  const { fromNs, toNs } = spans;
  const last = lastAtMost(fromNs.array, timeNs + lengthNs, fromNs.length);
  return last >= 0 && toNs.array[last] > timeNs;
}

/** 1 for every row that `isAdmitted`. */
function admitted(length: number, isAdmitted: (row: number) => boolean): Uint8Array {
  return Uint8Array.from({ length }, (_, row) => (isAdmitted(row) ? 1 : 0));
}

/** One entry a thread; null: all. */
function admittedThreads(
  { threads }: Profile,
  { thread, threads: wanted, pids, tids }: SampleSelection,
): Uint8Array | null {
  const isAny =
    thread === undefined && wanted === undefined && pids === undefined && tids === undefined;
  if (isAny) return null;
  return admitted(threads.length, (row) => {
    const { pid, tid } = threads[row];
    const isAmong = (thread === undefined || thread === row) && (wanted?.has(row) ?? true);
    return isAmong && (pids?.has(pid) ?? true) && (tids?.has(tid) ?? true);
  });
}

/** One entry a string; null: all. */
function admittedComms(
  { strings }: Profile,
  comms: ReadonlySet<string> | undefined,
): Uint8Array | null {
  if (comms === undefined) return null;
  return admitted(strings.length, (row) => comms.has(strings[row]));
}

/** One entry a stack, decided by its innermost frame; null: all. */
function admittedStacks(profile: Profile, wanted: SampleSelection): Uint8Array | null {
  if (wanted.dsos === undefined && wanted.symbols === undefined) return null;
  const { stacks, frames, funcs, dsos } = profile;
  const dsoAdmits = admitted(dsos.length, (row) => {
    const { name, path } = dsos[row];
    return wanted.dsos === undefined || wanted.dsos.has(name) || wanted.dsos.has(path);
  });
  const found = [...(wanted.symbols ?? [])].flatMap((text) => findFunctions(profile, text));
  const named = wanted.symbols === undefined ? null : new Set(found);
  const isInDso = (dso: number): boolean =>
    dso === NONE ? wanted.dsos === undefined : dsoAdmits[dso] === 1;
  return admitted(stacks.length, (row) => {
    const frame = stacks.frame[row];
    const func = frames.func[frame];
    // That of all JIT code is the function's, that of one process the frame's.
    return (isInDso(funcs.dso[func]) || isInDso(frames.dso[frame])) && (named?.has(func) ?? true);
  });
}

/** The event of the first sample, event 0 if there is none: what one-event outputs show. */
export function firstEvent(profile: Profile): EventIndex {
  return (profile.samples.length === 0 ? 0 : profile.samples.event[0]) as EventIndex;
}

/** Samples sorted by a key: those of key k are `samples[starts[k] … starts[k + 1])`. */
export type SampleGroups = {
  /** One more than there are keys. */
  readonly starts: Int32Array;
  /** Rows in time order within each group. */
  readonly samples: Int32Array;
};

/**
 * Splits `samples` by a column of the sample table (`profile.samples.thread` and the like), whose
 * values are 0 … `keyCount` − 1. A counting sort: two passes whatever the number of keys.
 */
export function* groupSamples(
  samples: Int32Array,
  keyOfSample: IntColumn,
  keyCount: number,
): Slices<SampleGroups> {
  const starts = new Int32Array(keyCount + 1);
  yield* eachSlice(samples.length, (first, end) => {
    for (let i = first; i < end; i++) {
      const key = keyOfSample[samples[i]];
      starts[key + 1] = starts[key + 1] + 1;
    }
  });
  for (let key = 0; key < keyCount; key++) {
    starts[key + 1] = starts[key + 1] + starts[key];
  }
  // All of one key, as the one program of most recordings, are in order.
  if (starts.some((start, key) => key > 0 && start - starts[key - 1] === samples.length)) {
    return { starts, samples };
  }
  const next = starts.slice();
  const sorted = new Int32Array(samples.length);
  yield* eachSlice(samples.length, (first, end) => {
    for (let i = first; i < end; i++) {
      const sample = samples[i];
      const key = keyOfSample[sample];
      const position = next[key];
      sorted[position] = sample;
      next[key] = position + 1;
    }
  });
  return { starts, samples: sorted };
}

/**
 * The samples of each pair of keys that any has, by the first key and then by the second, in time order. The cost is
 * that of the samples and keys, not of all pairs: recordings may have thousands of events and of threads.
 */
export function* groupByBoth(
  samples: Int32Array,
  [first, firstCount]: readonly [IntColumn, number],
  [second, secondCount]: readonly [IntColumn, number],
): Slices<Int32Array[]> {
  const bySecond = yield* groupSamples(samples, second, secondCount);
  const { samples: rows } = yield* groupSamples(bySecond.samples, first, firstCount);
  const groups: Int32Array[] = [];
  let start = 0;
  for (let end = 1; end <= rows.length; end++) {
    const [row, next] = [rows[start], rows[end]];
    if (end < rows.length && first[row] === first[next] && second[row] === second[next]) continue;
    groups.push(rows.subarray(start, end));
    start = end;
  }
  return groups;
}
