import { NONE } from '../../../../src/base/brand.ts';
import type { Slices } from '../../../../src/base/slices.ts';
import { KIND_GROUPS } from '../../../../src/formats/export/kind-group.ts';
import { isCpuTime } from '../../../../src/profile/cpu-time.ts';
import { unsampledWithin } from '../../../../src/profile/sampled-time.ts';
import type { Profile, ProfileThread } from '../../../../src/profile/types.ts';
import { isWaitEvent } from '../../../../src/profile/wait-event.ts';
import type { Selection } from '../messages/selection.ts';
import type { TimeFilter, TimeGrid } from '../messages/time-messages.ts';
import type {
  SpanParams,
  SpanResult,
  Track,
  TracksParams,
  TracksResult,
} from '../messages/track-messages.ts';
import type { LoadedRecording } from '../recording/recording.ts';
import type { SelectedCache } from '../recording/selected.ts';
import { foldDigits } from '../recording/thread-names.ts';
import { addLosses, addShares } from './time-cells.ts';
import { timeFactsOf } from './time-facts.ts';
import {
  addToLines,
  type Lines,
  type Stretches,
  sumByThread,
  type ThreadTotals,
} from './track-cells.ts';
import { type Planned, plan, sumBranches, TrackTree } from './track-tree.ts';

const GROUPS = KIND_GROUPS.length;
const UNKNOWN = KIND_GROUPS.indexOf('unknown');

/** A recording, and selections of its samples. */
type TrackSource = {
  readonly recording: LoadedRecording;
  readonly selected: SelectedCache;
};

/** Weight of each thread over time by kind, with waits and what is missing. */
export function* computeTracks(
  { recording, selected }: TrackSource,
  params: TracksParams,
): Slices<TracksResult> {
  const { profile } = recording;
  const { grid, event } = params;
  const selection: Selection = { ...params, threads: [], fromNs: null, toNs: null };
  const { unit } = recording.weights(params.weight, event);
  const part = yield* selected.get(selection);
  const rows = params.only === null ? part.samples : yield* part.samplesWith(params.only);
  const stretches = stretchesOf(recording, params);
  const totals = yield* sumByThread(grid, rows, stretches, profile.threads.length);
  const waits = yield* selectWaits(recording, selected, selection, params.only);
  const plan = planTracks(profile.threads, totals, waits, params);
  const isOfWaits = isWaitEvent(profile.events[event]);
  const groups = new Float32Array(plan.length * GROUPS * grid.length);
  const trackOf = tracksOfThreads(plan, profile.threads.length);
  const lit = params.lit === null ? null : new Float32Array(groups.length);
  if (!isOfWaits) {
    const lines = {
      ofThread: trackOf.map((track) => (track === NONE ? NONE : track * GROUPS)),
      below: groupsOfStacks(recording),
      withoutStack: UNKNOWN,
    };
    yield* addToLines(groups, grid, rows, stretches, lines);
    if (lit !== null && params.lit !== null) {
      yield* addToLines(lit, grid, yield* part.samplesWith(params.lit), stretches, lines);
    }
  }
  for (const cells of lit === null ? [groups] : [groups, lit]) {
    sumBranches(cells, plan, GROUPS * grid.length);
  }
  const waited = yield* sumWaits(grid, waits, trackOf, plan.length);
  if (waited !== null) sumBranches(waited, plan, grid.length);
  const paused = yield* findPaused(recording, params, plan);
  const cellsOf = (cells: Float32Array, index: number) =>
    cells.slice(index * GROUPS * grid.length, (index + 1) * GROUPS * grid.length);
  return {
    grid,
    unit,
    areWaits: isOfWaits,
    isCpuTime: isCpuTime(profile.events[event]),
    tracks: plan.map((planned, index) => ({
      ...planned,
      ...totalsOf(planned.rows, totals),
      groups: cellsOf(groups, index),
      lit: lit && cellsOf(lit, index),
      ...waitsOf(waited, index, grid),
      paused: paused === null ? null : paused[index],
    })),
    lost: yield* findLost(recording, selection, grid),
    unsampled: findUnsampled(profile, grid),
  };
}

/** The weight of the samples between two moments. */
export function* computeSpan(
  { selected }: Pick<TrackSource, 'selected'>,
  params: SpanParams,
): Slices<SpanResult> {
  const { samples, weight, weights } = yield* selected.get(params);
  return { samples: samples.length, weight, unit: weights.unit };
}

function stretchesOf(recording: LoadedRecording, { weight, event }: TracksParams): Stretches {
  const { values, unit } = recording.weights(weight, event);
  const { timeNs, thread } = recording.profile.samples;
  const isTime = unit === 'nanoseconds';
  const isWait = isWaitEvent(recording.profile.events[event]);
  return {
    timeNs,
    thread,
    values,
    reach: isTime ? (isWait ? 'after' : 'before') : 'moment',
  };
}

/** The group of each stack, that of the innermost frame, and the stack of each sample. */
function groupsOfStacks(recording: LoadedRecording): Lines['below'] {
  const { groups } = recording;
  const { samples, stacks, frames } = recording.profileOfOwners();
  const ofStack = new Uint8Array(stacks.length);
  for (let row = 0; row < stacks.length; row++) {
    ofStack[row] = groups[frames.func[stacks.frame[row]]];
  }
  return { stack: samples.stack, ofStack };
}

/** Samples that are waits, of the event that has them; null without one. */
type WaitRows = { readonly rows: Int32Array; readonly stretches: Stretches };

function* selectWaits(
  { profile }: LoadedRecording,
  selected: SelectedCache,
  selection: Selection,
  only: number | null,
): Slices<WaitRows | null> {
  const event = profile.events.findIndex(isWaitEvent);
  if (event === NONE) return null;
  // A wait has one weight here: its nanoseconds.
  const part = yield* selected.get({ ...selection, event });
  const rows = only === null ? part.samples : yield* part.samplesWith(only);
  const { timeNs, thread, periodEvents } = profile.samples;
  const stretches: Stretches = {
    timeNs,
    thread,
    values: periodEvents,
    reach: 'after',
  };
  return { rows, stretches };
}

/**
 * Tracks in the order of their weight, without any within the grid behind the others. Where there are more threads than
 * tracks, light ones share a track with those of the same name: a thousand short processes are the work of a few
 * programs.
 */
function planTracks(
  threads: readonly ProfileThread[],
  { weight, samples }: ThreadTotals,
  waits: WaitRows | null,
  { own, chosen, tree }: TracksParams,
): Planned[] {
  const isWaiting = new Uint8Array(threads.length);
  for (const row of waits?.rows ?? []) isWaiting[waits?.stretches.thread[row] ?? 0] = 1;
  const byWeight = (a: number, b: number) =>
    weight[b] - weight[a] || samples[b] - samples[a] || a - b;
  const all = [...threads.keys()]
    .filter((row) => samples[row] > 0 || isWaiting[row] === 1)
    .sort(byWeight);
  const idle = all.filter((row) => isIdle(threads[row]));
  const busy = all.filter((row) => !isIdle(threads[row]));
  const idleTracks = idle.length === 0 ? [] : [plan('idle', idle)];
  if (tree !== undefined)
    return [...new TrackTree(threads, weight, tree).plan(busy, own), ...idleTracks];
  const items = itemsOf(busy, threads, weight, own, chosen);
  const isChosen = (rows: readonly number[]) => rows.every((row) => chosen.includes(row));
  const tracks = items.length <= own + 1 ? items.length : own;
  const first = [...new Set([...items.filter(isChosen), ...items])].slice(0, tracks);
  const shown = new Set(first);
  const rest = items
    .filter((rows) => !shown.has(rows))
    .flat()
    .sort(byWeight);
  return [
    ...items
      .filter((rows) => shown.has(rows))
      .map((rows) => plan(rows.length === 1 ? 'thread' : 'program', rows)),
    ...(rest.length === 0 ? [] : [plan('merged', rest)]),
    ...idleTracks,
  ];
}

/**
 * Groups threads, heaviest first: those that are heavy or chosen stay by themselves, light ones join others of their
 * program. Where that leaves tracks empty, threads of programs stay by themselves, too.
 */
function itemsOf(
  busy: readonly number[],
  threads: readonly ProfileThread[],
  weight: Float64Array,
  own: number,
  chosen: readonly number[],
): number[][] {
  const weightOf = (rows: readonly number[]) => rows.reduce((sum, row) => sum + weight[row], 0);
  const least = weightOf(busy) / (2 * own);
  const programs = new Map<string, number[]>();
  const single: number[] = [];
  for (const row of busy) {
    if (busy.length <= own || weight[row] >= least) single.push(row);
    else {
      const name = foldDigits(threads[row].comm);
      programs.set(name, [...(programs.get(name) ?? []), row]);
    }
  }
  for (const [name, rows] of programs) {
    const picked = rows.filter((row) => chosen.includes(row));
    if (picked.length === rows.length) continue;
    single.push(...picked);
    programs.set(
      name,
      rows.filter((row) => !chosen.includes(row)),
    );
  }
  // Room that is left shows threads of programs by themselves.
  for (let left = own + 1 - single.length - programs.size; left > 0; left--) {
    const [first] = [...programs.values()]
      .filter(({ length }) => length > 1)
      .sort((a, b) => weight[b[0]] - weight[a[0]]);
    const row = first?.shift();
    if (row === undefined) break;
    single.push(row);
  }
  return [...single.map((row) => [row]), ...programs.values()].sort(
    (a, b) => weightOf(b) - weightOf(a) || a[0] - b[0],
  );
}

/** The kernel's own task of a CPU that has nothing to do. */
function isIdle({ pid, tid, comm }: ProfileThread): boolean {
  return pid === 0 && tid === 0 && comm.startsWith('swapper');
}

/** The track of each thread, −1: none; in a tree the innermost of those that have it. */
function tracksOfThreads(plan: readonly Planned[], threadCount: number): Int32Array {
  const trackOf = new Int32Array(threadCount).fill(NONE);
  for (const [index, { rows }] of plan.entries()) {
    for (const row of rows) trackOf[row] = index;
  }
  return trackOf;
}

function totalsOf(
  rows: readonly number[],
  { weight, samples, fromNs, toNs }: ThreadTotals,
): Pick<Track, 'weight' | 'samples' | 'busyFromNs' | 'busyToNs'> {
  const busy = rows.filter((row) => weight[row] > 0);
  return {
    weight: busy.reduce((sum, row) => sum + weight[row], 0),
    samples: rows.reduce((sum, row) => sum + samples[row], 0),
    busyFromNs: busy.reduce((least, row) => earlier(least, fromNs[row]), Number.NaN),
    busyToNs: -busy.reduce((least, row) => earlier(least, -toNs[row]), Number.NaN),
  };
}

/** The smaller one; NaN is none. */
function earlier(a: number, b: number): number {
  return a <= b ? a : b;
}

function* sumWaits(
  grid: TimeGrid,
  waits: WaitRows | null,
  trackOf: Int32Array,
  trackCount: number,
): Slices<Float32Array | null> {
  if (waits === null) return null;
  const cells = new Float32Array(trackCount * grid.length);
  const lines = { ofThread: trackOf, below: null, withoutStack: 0 };
  yield* addToLines(cells, grid, waits.rows, waits.stretches, lines);
  return cells;
}

function waitsOf(
  waited: Float32Array | null,
  index: number,
  { length }: TimeGrid,
): Pick<Track, 'waits' | 'waitNs'> {
  const waits = waited?.slice(index * length, (index + 1) * length) ?? null;
  const waitNs = waits?.reduce((sum, ns) => sum + ns, 0) ?? 0;
  return { waits: waitNs > 0 ? waits : null, waitNs };
}

/** A pause is in the tracks of the threads whose streams were paused; in all if nobody knows. */
function* findPaused(
  { page }: LoadedRecording,
  { event, grid }: TracksParams,
  plan: readonly Planned[],
): Slices<Float64Array[] | null> {
  if ((page.periodInput.throttles ?? []).length === 0) return null;
  const { pauses } = yield* timeFactsOf(page);
  return plan.map(({ rows }) => {
    const shares = new Float64Array(grid.length);
    for (const pause of pauses) {
      if (pause.event !== event) continue;
      const { threads } = pause;
      if (threads !== null && !rows.some((row) => threads.has(row))) continue;
      addShares(shares, grid, pause.startNs, pause.endNs);
    }
    return shares;
  });
}

/** Finds the parts of cells in which events were off: before `--delay` is over, and while `--control` has them disabled. */
function findUnsampled({ meta }: Profile, grid: TimeGrid): Float64Array | null {
  const { firstNs, cellNs, length } = grid;
  const gaps = unsampledWithin(meta.sampled, {
    fromNs: firstNs,
    toNs: firstNs + length * cellNs,
  });
  if (gaps.length === 0) return null;
  const shares = new Float64Array(length);
  for (const { fromNs, toNs } of gaps) addShares(shares, grid, fromNs, toNs);
  return shares;
}

/** Losses are of a CPU, not of a thread. */
function* findLost(
  { page }: LoadedRecording,
  filter: TimeFilter,
  grid: TimeGrid,
): Slices<Float64Array | null> {
  if ((page.periodInput.lossGaps ?? []).length === 0) return null;
  const lost = new Float64Array(grid.length);
  addLosses(page, yield* timeFactsOf(page), filter, grid, lost);
  return lost;
}
