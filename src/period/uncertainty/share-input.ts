import type { StepColumns } from '../../profile/analysis/shares/share-steps.ts';
import type { LostBounds } from '../../profile/types.ts';
import type { InStep } from '../in-step.ts';
import type { StreamGroups } from '../streams.ts';

/** The samples of one event, from which an interval is estimated. */
export type ShareInput = {
  /** Per row of the sample table. */
  readonly weights: Float64Array;
  /** Samples of the event, in time order. */
  readonly rows: Int32Array;
  readonly groups: StreamGroups;
  /** Row of the event in `groups.event`. */
  readonly event: number;
  /** Present with weights of kind `events`. */
  readonly course?: EventCourse;
  /** Samples in step with the work: what is said of `InStep`, null or absent where they are not. */
  readonly inStep?: InStep | null;
  /** Events that were counted after the last samples of their streams; null or absent: not known. */
  readonly eventsAfter?: number | null;
  /** How far what was lost may be from its estimate; null or absent: it is known, or nothing was. */
  readonly lostBounds?: LostBounds | null;
  /** The place of each sample, in order to find borders that many tasks share; absent: these are not looked for. */
  readonly place?: ArrayLike<number>;
  /** Weight that samples have more in the other reading of their periods; absent: there is one reading. */
  readonly shift?: StepColumns;
};

/** Columns from which weights of kind `events` are made, by rows of the sample table. */
export type EventCourse = {
  /** Events since the stream's previous sample, before they were divided among the two. */
  readonly arrivedEvents: Float64Array;
  /** Each interval was divided between its two samples (`interval-split.ts`); else the later one has all of it. */
  readonly isHalved: boolean;
  /** All intervals are of one period. */
  readonly isFixed?: boolean;
  /** Reported periods: often that of the interval which the sample begins. */
  readonly periodEvents: ArrayLike<number>;
  /** The part of the weights for events after the last samples of streams (`tail-events.ts`). */
  readonly tails?: Float64Array | undefined;
};
