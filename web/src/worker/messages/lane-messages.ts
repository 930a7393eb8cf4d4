import type { Selection } from './selection.ts';

/** The requests of the lanes above the tracks: turns of event loops and what programs named; and the slowest turns. */
export type LaneRequests = {
  lanes: { params: LanesParams; result: readonly Lane[] };
  slowTurns: { params: SlowTurnsParams; result: SlowTurnsResult };
};

export type LanesParams = Pick<Selection, 'threads' | 'pid'> &
  ChartWindow & {
    /** Width of the picture: what is narrower than one of these is joined with its neighbours. */
    readonly pixels: number;
  };

/** Nanoseconds since the recording's start. */
export type ChartWindow = { readonly fromNs: number; readonly toNs: number };

export type LaneHead = {
  readonly kind: 'gc' | 'turns' | 'marks' | 'event' | 'lost';
  readonly title: string;
};

/** Intervals, or moments where `toNs` equals `fromNs`, in the order of their begins; those of several loops may overlap. */
export type Lane = LaneHead & {
  readonly fromNs: Float64Array;
  readonly toNs: Float64Array;
  /** Things behind each, and the longest of them. */
  readonly count: Float64Array;
  readonly longest: readonly LaneItem[];
};

export type LaneItem = ChartWindow & {
  /** ThreadIndex; −1: the thread of the picture, or one that the recording has no sample of. */
  readonly thread: number;
  /** `GET /users/17`; empty: it has none. */
  readonly name: string;
};

export type SlowTurnsParams = Pick<Selection, 'event' | 'weight'> & { readonly limit: number };

/** The longest first; `did`: words for the parts that took a twentieth of it and more, the largest first. */
export type SlowTurnsResult = readonly (LaneItem & { readonly did: readonly string[] })[];
