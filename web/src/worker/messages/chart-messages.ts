import type { ChartWindow, Lane } from './lane-messages.ts';
import type { TreeLabels, Unit } from './messages.ts';
import type { Selection } from './selection.ts';

/** The requests of the flame chart: what one thread did, in the order of time. */
export type ChartRequests = {
  chart: { params: ChartParams; result: ChartResult };
};

/** `fromNs` and `toNs`: the window; null: the whole. */
export type ChartParams = Selection & {
  /** ThreadIndex; null: of the threads that are selected the one with the most weight. */
  readonly thread: number | null;
  /** Width of the picture: what is narrower than one of these is no box of its own. */
  readonly pixels: number;
};

export type ChartResult = {
  /** ThreadIndex; −1: no sample is admitted. */
  readonly thread: number;
  readonly window: ChartWindow;
  readonly boxes: ChartBoxes;
  readonly labels: TreeLabels;
  /** Unit of `ChartBoxes.weight`. */
  readonly unit: Unit;
  readonly precision: ChartPrecision;
  /** Time in the window. The rest of it is not known: not sampled, or filtered away. */
  readonly sampledNs: number;
  readonly waitingNs: number;
  readonly lostNs: number;
  readonly lanes: readonly Lane[];
};

/** How exact times are. */
export type ChartPrecision = {
  /** Nanoseconds that a sample usually stands for: edges of boxes are not known better. 0: instants. */
  readonly stepNs: number;
  /** False: the event does not count time; a sample is given the time since the one before it. */
  readonly isTimed: boolean;
  /** Waits are recorded, with both of their edges. */
  readonly hasWaits: boolean;
};

/**
 * Boxes by depth: those of depth d are rows `starts[d]` … `starts[d + 1] − 1`, in the order of time,
 * and do not overlap. A box lies below the one of depth d − 1 at its time.
 */
export type ChartBoxes = {
  /** One more than there are depths. */
  readonly starts: Int32Array;
  /** Start and end of the whole box, also where it is longer than the window. */
  readonly fromNs: Float64Array;
  readonly toNs: Float64Array;
  /** Row of `TreeLabels`; of merged boxes the function with the most time among them. */
  readonly label: Int32Array;
  /** Boxes narrower than a pixel that this one stands for; 0: it is a box. */
  readonly merged: Int32Array;
  /** Samples and waits. */
  readonly samples: Float64Array;
  readonly weight: Float64Array;
  /** The part of the box in which the thread waited. */
  readonly waitNs: Float64Array;
  /** The part of it of which nothing is known: gaps too narrow to be drawn. */
  readonly gapNs: Float64Array;
};
