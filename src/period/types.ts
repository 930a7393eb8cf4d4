import type {
  EventLoss,
  ProfileEvent,
  ProfileStream,
  ProfileThread,
  SampleTable,
} from '../profile/types.ts';

/** The columns of a `SampleTable` that say how the sampling went, in time order. */
export type PeriodSamples = Pick<
  SampleTable,
  'length' | 'event' | 'stream' | 'thread' | 'cpu' | 'timeNs' | 'periodEvents' | 'count'
> & {
  /**
   * The event's running time when the sample was taken (`PERF_FORMAT_TOTAL_TIME_RUNNING` in READ),
   * nanoseconds since the event was created, NaN where it was not read. Absent: never read.
   */
  readonly runningNs?: Float64Array;
  /**
   * Recorded threads that were on a CPU when the sample was taken, its own among them, as switch records tell; NaN at
   * waits. Absent: the recording has no such records.
   */
  readonly threadsRunning?: Float64Array;
};

/** A stretch in which the kernel had paused an event: THROTTLE to UNTHROTTLE. */
export type ThrottleInterval = {
  /** Row of `PeriodInput.events`. */
  readonly event: number;
  /** Row of `PeriodInput.streams`, −1 if unknown: then it is held against every stream. */
  readonly stream: number;
  readonly startNs: number;
  readonly endNs: number;
};

/**
 * The count of one event instance when it was closed: `PERF_RECORD_READ`, which the kernel
 * writes for inherited instances (`inherit_stat`) and the recorder for those that it opened itself.
 */
export type StreamFinal = {
  /** Row of `PeriodInput.events`. */
  readonly event: number;
  /** Row of `PeriodInput.streams`, −1 where the record does not tell: then of the event only. */
  readonly stream: number;
  readonly count: number;
  /** The instance's running time, nanoseconds; NaN if it was not read. */
  readonly runningNs: number;
};

/** A `PERF_RECORD_LOST`: where in time, and in which CPU's ring, something did not fit. */
export type LossGap = {
  /** Row of `PeriodInput.events`, −1 where the record does not tell. */
  readonly event: number;
  /** −1 if not recorded. */
  readonly cpu: number;
  /** When the kernel wrote it: at the first record that fitted again. */
  readonly timeNs: number;
  readonly samples: number;
};

/** The kernel's own limits, as sysctls; null where they were not stored. */
export type KernelLimits = {
  /** `kernel.perf_event_max_sample_rate` when the recording began, Hz. */
  readonly maxSampleRate: number | null;
  /** `kernel.perf_event_max_sample_rate` when the recording ended, Hz: the kernel lowers it when interrupts take too long. */
  readonly maxSampleRateAfter: number | null;
  /** `kernel.perf_cpu_time_max_percent`. */
  readonly cpuTimeMaxPercent: number | null;
};

/** The input of this folder. A `Profile` is one. */
export type PeriodInput = {
  readonly samples: PeriodSamples;
  readonly events: readonly ProfileEvent[];
  readonly streams: readonly Pick<ProfileStream, 'streamId'>[];
  readonly threads: readonly Pick<ProfileThread, 'tid'>[];
  readonly losses?: readonly EventLoss[];
  readonly throttles?: readonly ThrottleInterval[];
  /** Per event: the counter's final value over all its instances, null where it was not read. */
  readonly eventTotals?: readonly (number | null)[];
  /** Per event instance, where it is known. */
  readonly finals?: readonly StreamFinal[];
  /** Sorted by time. */
  readonly lossGaps?: readonly LossGap[];
  readonly kernel?: KernelLimits;
};

/**
 * The interval that the period in a sample measures. Sample i ends the interval (i−1, i) and starts
 * the interval (i, i+1):
 *
 *     sample        0         1             2
 *     events      ──●────2────●──────4──────●───
 *     'elapsed'    P=1       P=2           P=4      reported when it has passed
 *     'next'       P=2       P=4           P=…      reported when it begins
 */
export type PeriodRule = 'next' | 'elapsed' | 'unknown';

/** A rule, how it was found out, and how sure that is (0…1; 0 for 'unknown'). */
export type ReportedPeriod = {
  readonly rule: PeriodRule;
  /** The last source that was asked, for 'unknown'. */
  readonly from: 'counts' | 'probe' | 'table' | 'fit';
  readonly confidence: number;
  /** The driver that the table has a rule for; absent: it has none, or the event needs none. */
  readonly driver?: string;
  /** Source that contradicts the table; the rule is then that of counts or probe, or 'unknown'. */
  readonly contradiction?: {
    readonly table: 'next' | 'elapsed';
    readonly by: 'counts' | 'probe' | 'fit';
  };
  /** The count in a sample lacks the interval that the sample ends (`count-lag.ts`). */
  readonly countsLag?: true;
};
