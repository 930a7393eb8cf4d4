import type { ClockName } from '../kernel/perf-event/clock-ids.ts';
import type { UserOptions } from '../system/accounts/run-as.ts';
import type { CallGraph } from './call-graph.ts';

export type { CallGraph } from './call-graph.ts';

/**
 * Options of `record()` and of `perf-ts record` alike. Exactly one of `command`, `pids`, `tids` and
 * `systemWide` names the target, as `RecordTarget` has it; `systemWide` may be combined with a
 * command, which then bounds the recording.
 */
export type RecordOptions = UserOptions & {
  /** The program and its arguments; leading `NAME=value` words go into its environment. */
  readonly command?: readonly string[];
  /** Running processes, with all their threads. */
  readonly pids?: readonly number[];
  /** Single running threads. */
  readonly tids?: readonly number[];
  /** Everything that runs on the CPUs. */
  readonly systemWide?: boolean;
  /** CPUs to record on; absent: all that are online. */
  readonly cpus?: readonly number[];

  /** Events in perf's syntax; absent: `cycles`, or `cpu-clock` where there is no PMU. */
  readonly events?: readonly string[];
  /** Frequency mode: samples per second to aim for, or the most the kernel allows. */
  readonly freq?: number | 'max';
  /** Period mode: one sample every `count` events. */
  readonly count?: number;
  /** Refuse a frequency above the kernel's limit instead of lowering it. */
  readonly strictFreq?: boolean;
  /**
   * How call stacks are recorded: `fp` by frame pointer, `dwarf` or `dwarf,BYTES` by copying that
   * much of the user stack with each sample, for unwinding when it is read. Default `none`.
   */
  readonly callGraph?: CallGraph;
  /** Record the counter's value with each sample, so that weights are what was counted. */
  readonly counts?: boolean;
  /**
   * With `counts`: have the kernel also write the final count of every thread and child when it
   * exits. Not the default, because on several CPUs this can destroy the rings (see
   * `docs/decisions/0007-final-counts.md`).
   */
  readonly exitCounts?: boolean;
  /**
   * Count beside sampling: the sampled events, each by itself, and the default events of `stat`. The
   * totals go into the recording and into the file.
   */
  readonly stat?: boolean;
  /** Kernel code is left out, or user code; absent: what each event says. */
  readonly only?: 'user' | 'kernel';
  /** What samples carry beside what they always have. */
  readonly fields?: SampleFieldOptions;
  /** False: nothing is sampled, only what stands beside samples is recorded. */
  readonly samples?: boolean;
  /**
   * Also how long threads were off the CPU, by the stack with which they left it: an event `off-cpu`
   * in nanoseconds. `only`: nothing else.
   */
  readonly offCpu?: boolean | 'only';
  /** With `offCpu`: false leaves out when waiting threads were woken, and by whom. Default true. */
  readonly wakeUps?: boolean;
  /** Records of threads coming onto a CPU and leaving it. */
  readonly switches?: boolean;
  /** Records of the namespaces of processes. Needs CAP_PERFMON. */
  readonly namespaces?: boolean;
  /** Records of control groups, and in each sample the one that it is of. */
  readonly cgroups?: boolean;
  /**
   * The samples of the last moments only: rings are written over until the recording ends or a
   * snapshot is asked for. Not for `live`.
   */
  readonly overwrite?: boolean;
  /**
   * The threads that the target has at the start and no others, each with rings of its own, on
   * whatever CPU it runs.
   */
  readonly perThread?: boolean;
  /** With `systemWide`: what runs in this control group, by its path below the hierarchy's root. */
  readonly cgroup?: string;
  /** Build IDs of what is mapped, in the records of mappings. Default true. */
  readonly buildIds?: boolean;
  /**
   * Keep the symbols of recorded programs in the file, so that it has names after the next build: of files
   * that no package installed. Default true.
   */
  readonly programSymbols?: boolean;
  /**
   * Remember the kernel's own symbols until the machine starts again, below `$XDG_CACHE_HOME/perf-ts`, on
   * x86-64. Default false; the command does, unless PERF_TS_NO_CACHE is set.
   */
  readonly cache?: boolean;
  /** Follow the threads and children that the target starts. Default true. */
  readonly inherit?: boolean;

  /** Path of the recording; default `perf.data`, `-` for standard output; FIFOs and devices get a stream. */
  readonly output?: string;
  /**
   * Compress the records with zstd while they are written: 1, the fastest, to 22. Needs libzstd. Not for
   * `live`.
   */
  readonly compressionLevel?: number;
  /** Stop when the file has this many bytes. */
  readonly maxBytes?: number;
  /** Stop after this many milliseconds of recording. */
  readonly durationMs?: number;
  /** Let the target run this many milliseconds before sampling starts. */
  readonly delayMs?: number;
  /** Nothing is sampled before `enable()` or a command of `control` asks for it. */
  readonly startDisabled?: boolean;
  /** Commands from others while it runs: `fd:COMMANDS[,ACK]` or `fifo:COMMANDS[,ACK]`. */
  readonly control?: string;
  /**
   * Begin a new file whenever one has so many bytes, after so many milliseconds, or when
   * `switchOutput()` asks for it. Complete files have the time in their names.
   */
  readonly switchOutput?: 'asked' | { readonly bytes: number } | { readonly ms: number };
  /** Complete files that are kept; absent: all. */
  readonly switchMaxFiles?: number;
  /** Data pages of each sample ring, a power of two; absent: chosen by what the kernel grants. */
  readonly ringPages?: number;
  /** Clock of the record times; default `monotonic`. */
  readonly clock?: ClockName;

  /**
   * Add to NODE_OPTIONS what makes V8 name its code. Default: where the command runs Node; true:
   * always; false: never. Bun and Deno get what they take instead.
   */
  readonly nodeFlags?: boolean;
  /**
   * The file is read while it is written: V8 writes maps then, where readers find its names at once;
   * otherwise they come into the file when it is complete. Default false.
   */
  readonly readMeanwhile?: boolean;
  /**
   * With `pids`: make Node processes that were started without V8's flags name their functions. Their
   * inspector is opened for some milliseconds, on a port of this machine that every user can reach
   * meanwhile. Default: only processes that have imported `perf-ts/register`, without an inspector.
   */
  readonly attachJs?: boolean;
  /**
   * Have V8 write a jitdump in place of a perf map: functions that V8 inlined, the line of each sample
   * in optimized code, and exact times of code. It is stored with the recording. Default false.
   */
  readonly jitdump?: boolean;
  /** The command's environment; default: this process's. */
  readonly env?: Readonly<Record<string, string | undefined>>;

  /** Told, in one sentence each, what was substituted, lowered or left out. */
  readonly onNotice?: (notice: string) => void;
  /**
   * When aborted, the command gets SIGTERM and the recording ends: promises reject with an
   * `AbortError`, as in Node. The file is complete and has what was recorded until then. `durationMs`
   * and `stop()` end a recording in order.
   */
  readonly signal?: AbortSignal;
};

type Absent<Keys extends string> = { readonly [key in Keys]?: undefined };

/** The target of a recording, exactly one. CPUs alone mean everything that runs on them. */
export type RecordTarget =
  | ({ readonly command: readonly string[] } & Absent<'pids' | 'tids'>)
  | ({ readonly pids: readonly number[]; readonly systemWide?: false } & Absent<'command' | 'tids'>)
  | ({ readonly tids: readonly number[]; readonly systemWide?: false } & Absent<'command' | 'pids'>)
  | ({ readonly systemWide: true } & Absent<'pids' | 'tids'>)
  | ({ readonly cpus: readonly number[] } & Absent<'pids' | 'tids'>);

/** Sampling begins later than the target: after a time, or when it is asked for. */
export function isDelayed({
  delayMs,
  startDisabled,
}: Pick<RecordOptions, 'delayMs' | 'startDisabled'>): boolean {
  return delayMs !== undefined || startDisabled === true;
}

/** Optional fields of samples. */
export type SampleFieldOptions = {
  /** The address of the data that was touched, and where it came from; mappings of data too. */
  readonly dataAddresses?: boolean;
  /** The physical one. */
  readonly physicalAddresses?: boolean;
  readonly dataPageSizes?: boolean;
  readonly codePageSizes?: boolean;
  /** The cost of the event, such as the latency of a load, where the CPU reports it. */
  readonly weights?: boolean;
  /** The kernel's raw data of every event; tracepoints have theirs anyway. */
  readonly raw?: boolean;
  /** Registers of user code by their names in lower case; `[]`: all. */
  readonly userRegs?: readonly string[];
  /** Registers where the event happened; `[]`: all. */
  readonly interruptRegs?: readonly string[];
  /** Which of the branches before the event, by perf's names: `any`, `any_call`, `u` … */
  readonly branches?: readonly string[];
};
