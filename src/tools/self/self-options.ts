import type { ExportFormat } from '../../read/outputs/export-profile.ts';

/** The form of a profile of the own process: one of `exportProfile`, or pprof, which is gzipped. */
export type SelfProfileFormat = ExportFormat | 'pprof';

/** Options of a profile of the own process: what is sampled, for how long, and the format. */
export type SelfProfileOptions = {
  readonly format: SelfProfileFormat;
  /** How long; absent: until `signal` is aborted or `stop` is called. */
  readonly seconds?: number;
  /**
   * Ends the sampling when it is aborted, as in `record`: the profile is of the time until then. Where it is
   * aborted before sampling has begun, or while the profile is made, that fails with `AbortError`.
   */
  readonly signal?: AbortSignal;
  /** Samples per second of each running thread. Default 999. */
  readonly freq?: number;
  /** Events in perf's syntax; absent: `cycles`, or `cpu-clock` where there is no PMU. */
  readonly events?: readonly string[];
  /** Also how long threads waited, by the stack with which they left the CPU. */
  readonly offCpu?: boolean;
  /** Title of the page of `html`. */
  readonly title?: string;
  /** Gets, in one sentence each, what was substituted, lowered or left out. */
  readonly onNotice?: (notice: string) => void;
};

/** A profile of the own process on its way. `await using` discards it at the end of the block. */
export type RunningSelfProfile = AsyncDisposable & {
  /** The bytes of the format. */
  readonly finished: Promise<Uint8Array>;
  /** Ends the sampling; the profile is of the time until now. Idempotent. */
  stop(): Promise<Uint8Array>;
};
