import type { StreamReport } from '../../../../src/period/report/stream-report.ts';
import type { Selection } from './selection.ts';

/** Requests of the heat map and the period view. */
export type TimeRequests = {
  heatmap: { params: HeatMapParams; result: HeatMapResult };
  period: { params: PeriodParams; result: PeriodResult };
};

/** Which samples are counted over time. */
export type TimeFilter = Pick<
  Selection,
  'event' | 'weight' | 'threads' | 'pid' | 'cpu' | 'inTurnsOver'
>;

/** Equal cells of time: cell i is [firstNs + i · cellNs, firstNs + (i + 1) · cellNs). */
export type TimeGrid = {
  readonly firstNs: number;
  readonly cellNs: number;
  readonly length: number;
};

/** Counts of what happened in each cell of a grid. Columns. */
export type TimeCells = {
  /** Samples that arrived, and their weight. */
  readonly samples: Float64Array;
  readonly weight: Float64Array;
  /** Samples that the kernel took while it searched for the period. */
  readonly ramp: Float64Array;
  /**
   * Samples that the kernel could not write. It says so with the next record that fits; they are
   * spread from the last one before that did, at the rate of the samples before.
   */
  readonly lost: Float64Array;
  /** Share of the cell, 0…1, in which the kernel had paused a stream; pauses of several add up. */
  readonly throttled: Float64Array;
};

/** A map whose columns are as wide as `columnNs`, each cut into `rows` cells from the top down. */
export type HeatMapParams = TimeFilter & {
  readonly columnNs: number;
  readonly rows: number;
};

export type HeatMapResult = {
  /** Column by column; begins at the recording's start. */
  readonly grid: TimeGrid;
  readonly columns: number;
  readonly rows: number;
  readonly cells: TimeCells;
  /** The column width asked for would have made more than `MAX_COLUMNS`: this is what was taken. */
  readonly columnNs: number;
};

export const MAX_COLUMNS = 1200;

export type PeriodParams = {
  readonly event: number;
  /** Row of `groupByStream`; null: the event's largest. */
  readonly stream: number | null;
  /** Window, nanoseconds since the recording's start; null: the whole stream. */
  readonly fromNs: number | null;
  readonly toNs: number | null;
};

export type PeriodResult = {
  /** Largest first, at most `MAX_STREAMS`. */
  readonly streams: readonly StreamChoice[];
  readonly streamCount: number;
  /** The stream that is shown; null for an event without samples. */
  readonly shown: ShownStream | null;
};

export const MAX_STREAMS = 500;

export type StreamChoice = {
  readonly stream: number;
  /** `tid 4711, CPU 3 · 12 345 samples`. */
  readonly label: string;
};

export type ShownStream = {
  readonly stream: number;
  /** Its place among the streams of the event, the largest first. */
  readonly rank: number;
  /** The report as `perf-ts periods` has it, without the model and the ledger. */
  readonly report: StreamReport;
  readonly period: PeriodColumns;
  readonly rate: RateColumns;
  /** When the period settled first; null if it never did, or is not adapted. */
  readonly settleNs: number | null;
  /** Stretches in which the kernel searched for the period, the first ramp included. */
  readonly ramps: readonly Stretch[];
  readonly throttles: readonly Stretch[];
};

export type Stretch = { readonly startNs: number; readonly endNs: number };

/** Periods over time: of each sample, or of slices of as many as do not fit. */
export type PeriodColumns = {
  readonly timeNs: Float64Array;
  readonly low: Float64Array;
  readonly middle: Float64Array;
  readonly high: Float64Array;
  /** Samples behind each row: 1 where each is shown. */
  readonly samplesPerRow: number;
};

/** Rates in equal slices of time; NaN where the slice has no sample. */
export type RateColumns = {
  /** Middle of the slice. */
  readonly timeNs: Float64Array;
  /** Length of each slice. */
  readonly sliceNs: number;
  /** Samples per second. */
  readonly hz: Float64Array;
  /** Events per second. */
  readonly eventHz: Float64Array;
};
