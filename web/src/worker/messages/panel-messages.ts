import type { FrameKind, Interval, Unit } from './messages.ts';
import type { Selection } from './selection.ts';

/** The requests that the side panel, the header and the status line make of the worker. */
export type PanelRequests = {
  summary: { params: Selection; result: SummaryResult };
  /** Null where the recording does not have the function. */
  details: { params: DetailsParams; result: DetailsResult | null };
  /** Null there, too, and where the model gives none. It takes longer than all else that is known of a function. */
  selfInterval: { params: DetailsParams; result: Interval | null };
};

/** The selection as a whole. */
export type SummaryResult = {
  readonly weight: number;
  readonly samples: number;
  readonly unit: Unit;
  /** Self weight by row of `KIND_GROUPS`: whose code the innermost function is. */
  readonly byGroup: Float64Array;
  /** Weight by row of `WAIT_KINDS`; null: the samples are no waits. */
  readonly byWait: Float64Array | null;
  /** Weight of the samples with a function of the program on their stacks. */
  readonly belowOwn: number;
};

export type DetailsParams = Selection & {
  /** FuncIndex. */
  readonly func: number;
};

/** One function: its share, its neighbours and its heaviest lines. */
export type DetailsResult = {
  readonly name: string;
  readonly kind: FrameKind;
  readonly place: string;
  readonly dso: string;
  readonly self: number;
  readonly total: number;
  readonly samples: number;
  /** Weight of the whole selection. */
  readonly weight: number;
  readonly unit: Unit;
  /** Heaviest first; the weights of all add up to `total`. */
  readonly callers: readonly Neighbour[];
  readonly callees: readonly Neighbour[];
  readonly callerCount: number;
  readonly calleeCount: number;
  /** Row of the profile's strings: the file of `lines`; −1: none is known. */
  readonly file: number;
  /** Heaviest first, by self weight. */
  readonly lines: readonly { readonly line: number; readonly self: number }[];
  /** Self weight at lines that are not known, and whether it is code of a JIT. */
  readonly withoutLine: number;
  readonly isJit: boolean;
};

export type Neighbour = {
  /** FuncIndex; null: nobody, as `nobodyOf` names it. */
  readonly func: number | null;
  readonly name: string;
  readonly place: string;
  readonly weight: number;
};
