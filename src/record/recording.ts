import type { RingFacts } from '../base/lost-samples.ts';
import type { ConcurrentCount } from '../counting/stat/concurrent-counters.ts';
import type { SamplerTotals } from '../native/types.ts';

/** How the command ended: its exit status, or the signal it died of. */
export type CommandExit = { readonly status: number; readonly signal: number };

/** A finished recording. */
export type Recording = {
  /** Path of the perf.data file, `-` for standard output. */
  readonly path: string;
  readonly fileBytes: number;
  /** True: others removed or replaced the file while it was written, and nothing of it is at `path`. */
  readonly isOutputGone: boolean;
  /** Earlier files of `switchOutput` that others have removed, or that could not be completed. */
  readonly lostFiles: number;
  /** Size of the file when the recording ended: more than `fileBytes` if stacks were unwound since. */
  readonly recordedBytes: number;
  readonly totals: SamplerTotals;
  /** Level of zstd; null: records were written as they are. */
  readonly compressionLevel: number | null;
  /** Names of the events as opened, fallbacks included. */
  readonly events: readonly string[];
  /** Whether samples of any event have stacks. */
  readonly hasStacks: boolean;
  /** Whether every event leaves kernel code out, as all do where the kernel refuses it. */
  readonly isUserOnly: boolean;
  /** Time in which the events were enabled, milliseconds. */
  readonly sampledMs: number;
  /** CPU time of the target's threads in that time; null for a whole system. */
  readonly onCpuMs: number | null;
  /** Mean number of CPUs of the machine that had nothing to run meanwhile; null where it is not known. */
  readonly idleCpus: number | null;
  readonly notices: readonly string[];
  readonly endReason: 'stopped' | 'target-exited' | 'write-error' | 'size-limit';
  /** errno of the failed write, 0 otherwise. */
  readonly writeErrno: number;
  readonly rings: RingFacts;
  /** The rate that the first event was asked for, Hz; null where it has a period. */
  readonly frequencyHz: number | null;
  /** Counts alongside the samples, with `stat`; null without. */
  readonly counted: readonly ConcurrentCount[] | null;
};

/** Work of a recording besides sampling, or after it, which may take seconds. */
export type RecordingWork =
  /** A running Node process was asked to report its JavaScript, and has not answered yet. */
  | { readonly kind: 'attach'; readonly pid: number }
  /** Stack dumps are unwound into callchains in the finished file; `share`: 0 … 1. */
  | { readonly kind: 'unwind'; readonly share: number };

/** A recording that runs. */
export type RunningRecording = {
  /** Pid of the command, −1 without one. */
  readonly childPid: number;
  /** Settles when sampling has ended and the file is complete; the command may still run. */
  readonly finished: Promise<Recording>;
  /** Settles when the command has ended; null at once where there is none. */
  readonly exited: Promise<CommandExit | null>;
  /** Ends the sampling; the command runs on. Idempotent. */
  stop(): void;
  /** Takes samples from now on. */
  enable(): void;
  /** Takes no samples until `enable`. */
  disable(): void;
  /** Writes to the file what the rings hold, with `overwrite`. */
  snapshot(): void;
  /** Ends the file and begins another, with `switchOutput`. */
  switchOutput(): void;
  /** Sends a signal to the command; false if it is gone. */
  kill(signal: number): boolean;
  /** False once nothing is sampled any more; its file may not be complete yet. */
  readonly isSampling: boolean;
  /** Null: nothing but sampling, or writing the end of its file. */
  readonly work: RecordingWork | null;
  /** Counts so far. */
  totals(): SamplerTotals;
  /**
   * Ends the recording and a command that still runs, by SIGTERM and 2 s later by SIGKILL. Resolves when the
   * command has ended and the file is complete.
   */
  [Symbol.asyncDispose](): Promise<void>;
};
