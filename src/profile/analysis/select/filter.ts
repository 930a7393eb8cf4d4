import { NONE } from '../../../base/brand.ts';
import { type IntColumn, rowNumbers } from '../../../base/int-column.ts';
import { eachSlice, SLICE_ITEMS, type Slices } from '../../../base/slices.ts';
import { RAN_FOR, ranFor } from '../../request-of-sample.ts';
import { isInRanges, type TimeRange } from '../../time-range.ts';
import type { EventIndex, Profile } from '../../types.ts';
import { isWaitEvent } from '../../wait-event.ts';
import { findFunctions } from './find-functions.ts';
import { selectedSpans } from './selected-spans.ts';

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
  /**
   * While a mark of the sample's thread was open that is called so: its name, a glob of it, or its kind. Of requests, where
   * the recording has that of each sample, only what ran for these.
   */
  readonly inMark?: string;
  /** The innermost frame's DSO, by file name or path. */
  readonly dsos?: ReadonlySet<string>;
  /** The innermost frame's function, as people name it (`readFunctionPattern`). */
  readonly symbols?: ReadonlySet<string>;
};

/**
 * Indexes of the samples that `selection` admits, in time order. Those of all of an event are in memory once, however often
 * they are selected: they are not to be changed.
 */
export function* selectSamples(
  profile: Profile,
  selection: SampleSelection = {},
): Slices<Int32Array> {
  const { samples } = profile;
  const event = selection.event ?? (profile.events.length === 1 ? 0 : NONE);
  const ofEvent = event === NONE ? null : yield* rowsOfEvent(profile, event);
  if (!isRestricting(selection)) return ofEvent ?? rowNumbers(samples.length);
  const fromNs = selection.fromNs ?? Number.NEGATIVE_INFINITY;
  const toNs = selection.toNs ?? Number.POSITIVE_INFINITY;
  const { times, cpus } = selection;
  const threadAdmits = admittedThreads(profile, selection);
  const commAdmits = admittedComms(profile, selection.comms);
  const stackAdmits = admittedStacks(profile, selection);
  const spans = selectedSpans(profile, selection);
  const { inMark, inTurnsOver } = selection;
  const ran = inMark === undefined ? null : ranFor(profile, inMark);
  const { event: events, thread, timeNs: sampleTimes, periodEvents, cpu, comm, stack } = samples;
  const isAnyTime = toNs === Number.POSITIVE_INFINITY && fromNs === Number.NEGATIVE_INFINITY;
  const isWait =
    isAnyTime && times === undefined && spans === null
      ? null
      : admitted(profile.events.length, (row) => isWaitEvent(profile.events[row]));
  const { length } = ofEvent ?? samples;
  const selected = new Int32Array(length);
  let count = 0;
  // Hot: once per sample.
  for (let i = 0; i < length; i++) {
    if (i % SLICE_ITEMS === SLICE_ITEMS - 1) yield;
    const sample = ofEvent === null ? i : ofEvent[i];
    if (threadAdmits !== null && threadAdmits[thread[sample]] === 0) continue;
    if (ran !== null && ran[sample] === RAN_FOR.others) continue;
    if (isWait !== null) {
      const timeNs = sampleTimes[sample];
      const lasted = isWait[events[sample]] === 1 ? periodEvents[sample] : 0;
      if (timeNs >= toNs || (timeNs < fromNs && timeNs + lasted <= fromNs)) continue;
      if (times !== undefined && !isInRanges(times, timeNs, lasted)) continue;
      // Work that such a request gave to libuv's pool is on a thread that has no marks.
      const isTheirs = ran !== null && ran[sample] === RAN_FOR.them && inTurnsOver === undefined;
      if (spans !== null && !isTheirs && !spans.has(thread[sample], timeNs, lasted)) continue;
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

/** Rows by event, kept by that column: thousands of events asked in turn may not take as many passes. */
const groupsByEvent = new WeakMap<IntColumn, SampleGroups>();

/** The samples of one event, in time order. */
function* rowsOfEvent({ samples, events }: Profile, event: number): Slices<Int32Array> {
  let groups = groupsByEvent.get(samples.event);
  // A fold of frames looks at the first rows alone.
  if (groups?.samples.length !== samples.length) {
    groups = yield* groupSamples(rowNumbers(samples.length), samples.event, events.length);
    groupsByEvent.set(samples.event, groups);
  }
  const { starts } = groups;
  // An event that the profile does not have has no samples.
  return groups.samples.subarray(starts[event] ?? 0, starts[event + 1] ?? 0);
}

/** Whether `selection` could leave out any sample of one event. */
export function isRestricting(selection: SampleSelection): boolean {
  return Object.entries(selection).some(([key, value]) => key !== 'event' && value !== undefined);
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

/** The event that outputs of one event show: event 0, which answers are about, or the next one that has samples. */
export function firstEvent({ samples }: Pick<Profile, 'samples'>): EventIndex {
  let first = Number.POSITIVE_INFINITY;
  for (let row = 0; row < samples.length && first > 0; row++) {
    first = Math.min(first, samples.event[row]);
  }
  return (Number.isFinite(first) ? first : 0) as EventIndex;
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
