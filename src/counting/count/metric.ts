/** An event of a group, as far as rates and shares are derived from it. */
export type GroupMember = {
  /** perf's generic name, whatever PMU counts it: `cycles`, `L1-dcache-load-misses`. */
  readonly role: string;
  /** The modifiers that choose what is counted (`u`, `k`): only like is divided by like. */
  readonly domain: string;
  /** Scaled count; null if it was not counted. */
  readonly value: number | null;
  /** Nanoseconds on a counter, of all instances together. */
  readonly runningNs: number;
  /** Σ as counted, not scaled: what belongs to `runningNs`. */
  readonly counted: number;
};

/** The metrics that are derived from a group's counts. */
export type MetricName =
  | 'cpus-utilised'
  | 'per-second'
  | 'ghz'
  | 'ipc'
  | 'stall-lower-bound'
  | 'stalled-share'
  | 'miss-share'
  | 'mpki'
  | 'watts'
  | 'topdown-retiring'
  | 'topdown-bad-speculation'
  | 'topdown-frontend-bound'
  | 'topdown-backend-bound';

/** A number that follows from the counts of one group, and from no other counter. */
export type Metric = {
  readonly name: MetricName;
  /** Shares are 0…1. Null: unknown, `reason` says why. */
  readonly value: number | null;
  /** A possible meaning of the number: a hint, not a finding. */
  readonly hint: string | null;
  readonly reason: string | null;
};

/** Facts beside the group that some metrics need. */
export type MetricContext = {
  /** Wall time, nanoseconds. */
  readonly elapsedNs: number;
  /** Micro-operations that the CPU can issue in a cycle, where the PMU says so (arm64). */
  readonly slotsPerCycle?: number;
};
