import type { Unit } from './messages.ts';
import type { Selection } from './selection.ts';
import type { TimeGrid } from './time-messages.ts';

/** Requests of the thread tracks. */
export type TrackRequests = {
  tracks: { params: TracksParams; result: TracksResult };
  span: { params: SpanParams; result: SpanResult };
};

/** Tracks of all threads of a process or of all processes: those that are not chosen are drawn, too. */
export type TracksParams = Omit<Selection, 'threads' | 'fromNs' | 'toNs'> & {
  /** FuncIndex: only samples with the function on their stacks are drawn; null: all. */
  readonly only: number | null;
  /** FuncIndex: the part of each track with the function on the stack is told apart in `lit`; null: nothing is. */
  readonly lit: number | null;
  /** The time that is drawn: a cell per pixel. */
  readonly grid: TimeGrid;
  /** Tracks of threads and of programs, at most; what has none shares one. */
  readonly own: number;
  /** ThreadIndexes that are among them in any case. */
  readonly chosen: readonly number[];
  /** Keys of the open branches of the tree of programs, processes and threads; absent: tracks are no tree. */
  readonly tree?: readonly string[];
};

export type TracksResult = {
  readonly grid: TimeGrid;
  readonly unit: Unit;
  /** The event's samples are waits: nothing of them is in `groups`. */
  readonly areWaits: boolean;
  /** Whether the weight is time on a CPU: other profilers take samples by time that passes. */
  readonly isCpuTime: boolean;
  /** Heaviest first; then that of the other threads; then that of idle CPUs. */
  readonly tracks: readonly Track[];
  /** Samples that the kernel could not write, per cell; null: none. See `TimeCells`. */
  readonly lost: Float64Array | null;
  /** Share of each cell in which no event was enabled; null: none that is known. */
  readonly unsampled: Float64Array | null;
};

export type Track = {
  /** One thread; several of one name, whatever numbers are in it, or of one process; all that have no track; idle CPUs. */
  readonly kind: 'thread' | 'program' | 'merged' | 'idle';
  /** ThreadIndex, −1 of several. */
  readonly thread: number;
  /** ThreadIndexes of all that it has, heaviest first. */
  readonly rows: readonly number[];
  /** The place in the tree; null where tracks are none. */
  readonly branch: TrackBranch | null;
  /** Weight within the grid, and samples at any time. */
  readonly weight: number;
  readonly samples: number;
  /** Weight per group and cell: that of group g in cell c is at g · grid.length + c. */
  readonly groups: Float32Array;
  /** The part of `groups` with the function `TracksParams.lit` on its stacks; null where none was asked for. */
  readonly lit: Float32Array | null;
  /** Nanoseconds per cell for which the threads waited off the CPU; null: none did. */
  readonly waits: Float32Array | null;
  readonly waitNs: number;
  /** Share of each cell in which the kernel had paused the event; null: never. */
  readonly paused: Float64Array | null;
  /** The first and the last moment with weight, within the grid; NaN without any. */
  readonly busyFromNs: number;
  readonly busyToNs: number;
};

export type TrackBranch = {
  /** The program, or the process; empty of other tracks, which cannot be opened. */
  readonly name: string;
  /** ` 4711` of a process; else empty. */
  readonly which: string;
  readonly key: string;
  readonly depth: number;
  readonly isOpen: boolean;
};

/** Samples from one moment on, until before another one. */
export type SpanParams = Selection & { readonly fromNs: number; readonly toNs: number };

export type SpanResult = {
  readonly samples: number;
  readonly weight: number;
  readonly unit: Unit;
};
