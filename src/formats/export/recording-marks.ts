/** Events in time that are not samples. Times are nanoseconds since the recording's start. */
export type RecordingMarks = {
  readonly losses: readonly LossMark[];
  readonly throttles: readonly ThrottleMark[];
  readonly reRamps: readonly ReRampMark[];
  readonly switches: SwitchTable;
};

/** LOST records: the kernel had no room for records. */
export type LossMark = {
  /** Row of `Profile.events`, −1 where the record does not name it. */
  readonly event: number;
  readonly cpu: number;
  readonly timeNs: number;
  /** Records that did not fit. */
  readonly lost: number;
};

/** The kernel had paused an event. */
export type ThrottleMark = {
  readonly event: number;
  /** Row of `Profile.streams`, −1 if unknown. */
  readonly stream: number;
  readonly startNs: number;
  readonly endNs: number;
};

/** The kernel was searching for the period again. */
export type ReRampMark = {
  readonly event: number;
  readonly streamId: string | null;
  readonly startNs: number;
  /** Null if it never settled. */
  readonly endNs: number | null;
  readonly samples: number;
  readonly cause: string;
  readonly lowestPeriod: number;
  readonly highestPeriod: number;
};

export const SWITCH_STATE = { IN: 0, OUT: 1, PREEMPTED: 2 } as const;

/** Context switches in time order; `PREEMPTED` is out while it could have gone on. */
export type SwitchTable = {
  readonly length: number;
  /** The pid and tid of the task that was switched. */
  readonly pid: Int32Array;
  readonly tid: Int32Array;
  readonly cpu: Int32Array;
  readonly timeNs: Float64Array;
  /** A `SWITCH_STATE`. */
  readonly state: Uint8Array;
};

export const NO_SWITCHES: SwitchTable = {
  length: 0,
  pid: new Int32Array(0),
  tid: new Int32Array(0),
  cpu: new Int32Array(0),
  timeNs: new Float64Array(0),
  state: new Uint8Array(0),
};
