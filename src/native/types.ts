import type { NativeLibpfm } from './libpfm-types.ts';

/**
 * The typed shape of the addon, by hand. `binding.ts` is the only file that loads it; everything
 * else takes a `NativeBinding`, so that tests can hand in a fake.
 *
 * Events go in as the bytes of a `perf_event_attr` (`kernel/perf-event/attr.ts` writes them): one place
 * knows that layout, and what the kernel was given is what the file states.
 */

/** The threads or CPUs that the events are attached to. */
export type SamplerTarget =
  /** A new command, held before exec until `start`; events are enabled by its exec. */
  | { readonly kind: 'command'; readonly command: CommandSpec }
  /** All threads of running processes, and what they start later unless `inherit` is off. */
  | { readonly kind: 'processes'; readonly pids: readonly number[] }
  /** Single threads. */
  | { readonly kind: 'threads'; readonly tids: readonly number[] }
  /** Everything on `cpus`; a command may run beside it and then bounds the recording. */
  | { readonly kind: 'system'; readonly command?: CommandSpec };

/** Everything that the child needs, resolved before fork. */
export type CommandSpec = {
  /** Absolute or relative path of the executable, found on PATH beforehand. */
  readonly path: string;
  readonly argv: readonly string[];
  /** `NAME=value` strings. */
  readonly env: readonly string[];
  /** The user to become; absent: unchanged. Each set*id is checked, also that 0 can't come back. */
  readonly user?: {
    readonly uid: number;
    readonly gid: number;
    readonly groups: readonly number[];
  };
  /** Send the command's stdout to stderr (`-o -`). */
  readonly stdoutToStderr?: boolean;
  /**
   * Descriptors above 2 that the command gets although they are marked close-on-exec. Whatever lacks
   * the mark it gets in any case.
   */
  readonly inheritedFds?: readonly number[];
  /** Descriptors of stdio whose open file description is made blocking right before exec. */
  readonly blockingFds?: readonly number[];
  /** Numbers of the signals that it ignores from its start; absent: none. */
  readonly ignoredSignals?: readonly number[];
  /** Its soft limit of open files; absent or 0: that of this process. */
  readonly softFdLimit?: number;
};

export type SamplerOptions = {
  /**
   * The events to sample, attr bytes in the order of the file's attrs. `leader` is the index of the
   * group's leader in this list, −1 for a leader or a single event. The core sets the `disabled` and
   * `enable_on_exec` bits itself; all other bits are taken as given. `ofCpus`: opened once per CPU for
   * all that runs there, whatever the target is; not with the CPU −1. `cpus`: the only CPUs that the
   * event's PMU counts on, absent for all. `filter`: the records of a tracepoint that are sampled, in the kernel's syntax. It is opened on those of them that are among the sampler's
   * `cpus`; with −1 once for each task, and the kernel schedules it where it can.
   */
  readonly events: readonly {
    readonly attr: Uint8Array;
    readonly leader: number;
    readonly ofCpus?: boolean;
    readonly cpus?: readonly number[];
    readonly filter?: string;
  }[];
  /** Attr bytes of the dummy event that carries FORK, EXIT, COMM, MMAP2 … in rings of its own. */
  readonly sideband: Uint8Array;
  /**
   * CPUs to open on (online ones, or `-C`). −1 by itself: on whatever CPU a task runs, with rings of
   * its own for each task; the events must not be inherited then.
   */
  readonly cpus: readonly number[];
  /** CPUs on which the side-band is opened as well: all that are online. Without effect with −1. */
  readonly sidebandCpus: readonly number[];
  /** System target: the open directory of the control group that the sampled events count in. */
  readonly cgroupFd?: number;
  readonly target: SamplerTarget;
  /** Data pages per sample ring, a power of two; halved until the kernel grants them. */
  readonly ringPages: number;
  /** Data pages per side-band ring, a power of two. */
  readonly sidebandPages: number;
  /** Longest time that a record stays in a ring, milliseconds. */
  readonly latencyMs: number;
  /**
   * True: the sampled events stay disabled until `enable()`. Known here and not at the start,
   * because a command's events are told at their opening whether its exec enables them.
   */
  readonly delayed?: boolean;
};

/** The result of `new Sampler(...)`. Ids are in the order CPU-major within each event. */
export type SamplerOpened = {
  /** Per event of `options.events`: the kernel's id of each instance. */
  readonly ids: readonly BigUint64Array[];
  readonly sidebandIds: BigUint64Array;
  readonly ringPages: number;
  readonly sidebandPages: number;
  /** Pid of the held command, −1 without one. */
  readonly childPid: number;
  /**
   * False: threads were started faster than they could be attached to, and some of them may be missing
   * together with what they start.
   */
  readonly isSettled: boolean;
  /** Threads attached to (processes and threads targets). */
  readonly tids: Int32Array;
};

/** Why a recording ended. */
export type EndReason = 'stopped' | 'target-exited' | 'write-error' | 'size-limit';

/** Mappings of code that were written since `sinceNs`, and the number of those that are in the file alone. */
export type CodeMapped = {
  readonly records: Uint8Array;
  readonly leftOut: number;
  readonly sinceNs: bigint;
};

/** Counts kept by the drain thread; exact after 'recording-ended'. */
export type SamplerTotals = {
  readonly rounds: number;
  /** Bytes of records written to the sink, round markers included. */
  readonly bytes: number;
  /**
   * Bytes that these take in the file: less where they are compressed, and then somewhat behind.
   */
  readonly writtenBytes: number;
  /** Times that the sink had no room for all that the rings held, so that records waited there. */
  readonly heldRounds: number;
  readonly samples: number;
  /** Σ PERF_RECORD_LOST of the sample rings. */
  readonly lostRecords: number;
  /**
   * Σ over the sampled events of the counter's own lost count; null while the recording runs, and
   * where the events have no PERF_FORMAT_LOST.
   */
  readonly lostSamples: number | null;
  /**
   * Side-band records (FORK, EXIT, COMM, MMAP2 …) that did not fit their rings: while the recording
   * runs those that LOST records announced, then the better of these and the counters' own figure.
   */
  readonly lostSideband: number;
  readonly throttles: number;
  /** Bytes of rings given up because a record header made no sense; 0 in a sane world. */
  readonly skippedBytes: number;
};

export type SamplerEvent =
  | {
      readonly kind: 'recording-ended';
      readonly reason: EndReason;
      /** errno of the failed write, 0 otherwise. */
      readonly errno: number;
      readonly totals: SamplerTotals;
      /**
       * Per event index: lost count, and final value, summed over its instances. The times are
       * sums too: a task's event is enabled on every CPU while it runs on one, so they don't scale
       * the value.
       */
      readonly finals: readonly {
        readonly lost: bigint;
        readonly value: bigint;
        readonly enabledNs: bigint;
        readonly runningNs: bigint;
      }[];
      /** File sink: where the data ends (data offset + data size). */
      readonly dataEnd: number;
      /**
       * Places where its data could end earlier, with whole records and whole rounds, and the clock of the recording then:
       * 2048 rounds at most. Empty where the sink writes no file.
       */
      readonly roundEnds: { readonly ends: Float64Array; readonly atNs: BigUint64Array };
      /** The command has ended, and processes that it started run on. */
      readonly tasksLeft: boolean;
    }
  /** The content of overwritten rings is written. `isWhole`: all that came since the snapshot before is in it. */
  | { readonly kind: 'snapshot-written'; readonly isWhole: boolean }
  | {
      readonly kind: 'file-switched';
      /** Sum over all files so far. */
      readonly totals: SamplerTotals;
      /** End of the data of the file that is complete now. */
      readonly dataEnd: number;
    }
  | { readonly kind: 'child-exited'; readonly status: number; readonly signal: number }
  /** The command never ran; 'recording-ended' follows and no 'child-exited'. */
  | { readonly kind: 'exec-failed'; readonly step: string; readonly code: string }
  /**
   * File sink: the whole MMAP2 records of executable user mappings that were written since, all later than `sinceNs` of the
   * recording's clock. `leftOut`: the number of those that came faster than they were taken, and are in the file alone.
   */
  | ({ readonly kind: 'code-mapped' } & CodeMapped)
  /** Live sink: chunks wait to be taken. */
  | { readonly kind: 'chunks' };

export type FileSinkOptions = {
  /** Open for writing, positioned anywhere; the core duplicates it. */
  readonly fd: number;
  /** Offset of the data section, and how many bytes of it JavaScript has written already. */
  readonly dataOffset: number;
  readonly dataSize: number;
  /** True: a pipe; nothing is ever sought or rewritten. */
  readonly stream: boolean;
  /** Stop after the round with which the file reaches this many bytes; 0: no limit. */
  readonly maxBytes: number;
  /** Default true. False: no markers of rounds, since later ones may hold older records. */
  readonly marksRounds?: boolean;
  /**
   * Level of zstd, 1 to 22: rounds are written in COMPRESSED records, by a thread of their own. Default
   * 0: as they are. NativeError ENOSYS where `zstdProblem` has one.
   */
  readonly compressionLevel?: number;
};

export type LiveSinkOptions = {
  /** Chunks that may wait for JavaScript; when all wait, records stay in the rings. */
  readonly maxChunks: number;
  /** Capacity of a chunk, at least 65 536 so that every record fits. */
  readonly chunkBytes: number;
};

/**
 * One recording session; errors are `NativeError`. After `close` the start methods, `enable` and
 * `disable` throw ERR_CLOSED; the others do nothing and tell what was last known.
 *
 * A session that was only opened ends with its object in the garbage collector. One that was
 * started is a live handle: it keeps itself and the process alive until its last event.
 */
export type NativeSampler = {
  readonly opened: SamplerOpened;
  startFile(sink: FileSinkOptions, onEvent: (event: SamplerEvent) => void): void;
  startLive(sink: LiveSinkOptions, onEvent: (event: SamplerEvent) => void): void;
  /**
   * Ends the file written until now, and goes on in `sink`. 'file-switched' reports when; it does not
   * come if the recording ends first. One at a time.
   */
  switchFile(sink: FileSinkOptions): void;
  /**
   * True: from now on side-band records are kept for the file of the next `switchFile` as well, whose
   * first round they are. Call it before the machine is described for that file, and with false where
   * there will be no switch.
   */
  keepSideband(keep: boolean): void;
  /** Events that are overwritten (`write_backward`): what their rings hold goes into the sink; 'snapshot-written' follows. */
  snapshot(): void;
  enable(): void;
  disable(): void;
  /**
   * Sends SIGURG to a thread with each of its samples of the first event, or no more, until `close`. Events that others
   * inherit signal one thread alone. False where none of the events is the thread's, or they signal another.
   */
  signalSamples(tid: number, on: boolean): boolean;
  /** Ends the recording (events disabled, rings drained, losses read). Idempotent. */
  stop(): void;
  /** Next whole chunk of records, or null. Live sink only. */
  takeChunk(): Uint8Array | null;
  totals(): SamplerTotals;
  /** Sends a signal to the command. False if it is gone. */
  kill(signal: number): boolean;
  /** Stops, joins the thread, closes fds and mappings; a held command never runs. Idempotent. */
  close(): void;
};

/** Thrown by the addon: which operation failed, on what. */
export type NativeError = Error & {
  /** errno name, `EACCES`; for misuse `ERR_CLOSED` (after `close`), `ERR_STARTED` (twice). */
  readonly code: string;
  readonly errno: number;
  /** `perf_event_open`, `mmap`, `fork` … */
  readonly operation: string;
  /** Index into `options.events`, −1 for the side-band event or none. */
  readonly eventIndex: number;
  readonly cpu: number;
  readonly pid: number;
};

/** How a held command ended. */
export type CommandEnd = {
  /** The step before the command ran that failed (`execve`, `setresuid` …); empty where it ran. */
  readonly failedStep: string;
  /** Errno name of that step, `ENOENT`; empty otherwise. */
  readonly failedCode: string;
  /** Exit status; −1 where somebody else has taken it. */
  readonly status: number;
  /** That it died of; 0 otherwise. */
  readonly signal: number;
  /** CLOCK_MONOTONIC, nanoseconds, taken as it ended. */
  readonly endNs: bigint;
  /** CPU time that it and what it waited for have used. */
  readonly userUs: number;
  readonly systemUs: number;
};

/**
 * A command that is forked and waits before its exec, so that counters can be opened on `pid` and
 * nothing before its exec is counted (`enable_on_exec`). Errors are `NativeError`.
 */
export type NativeHeldCommand = {
  readonly pid: number;
  /**
   * Lets it exec and returns at once, with CLOCK_MONOTONIC in nanoseconds right before. Once. Until
   * `onEnd` the object is a live handle.
   */
  release(onEnd: (end: CommandEnd) => void): bigint;
  /** False if it is gone. */
  kill(signal: number): boolean;
  /** A held command never runs, one that was released runs on unobserved. Idempotent. */
  close(): void;
};

/** Events that are scheduled together and counted. */
export type CounterGroupOptions = {
  /**
   * Attr bytes; the first event is the leader. All bits are taken as given: `disabled` belongs on the
   * leader only, since the leader alone is switched; `read_format` is to be the same everywhere.
   */
  readonly events: readonly Uint8Array[];
  /** A thread; 0: the calling one; −1: all tasks on `cpu`. */
  readonly pid: number;
  /** −1: wherever the thread runs. */
  readonly cpu: number;
  /** Directory of a control group, open; `cpu` must be one then, and `pid` has no meaning. */
  readonly cgroupFd?: number;
};

/**
 * One open group: one file descriptor per event, closed by `close` or the garbage collector. Errors
 * are `NativeError`; every call after `close`, save `close`, throws ERR_CLOSED. What fails to open
 * leaves nothing open; its `eventIndex` is the event.
 */
export type NativeCounterGroup = {
  /** The kernel's ids, in the order of the events. */
  readonly ids: BigUint64Array;
  /** Switches the leader, and with it the group. */
  enable(): void;
  disable(): void;
  /**
   * One read(2) into `into`: the kernel's `struct read_format` in 64-bit words. Gives the bytes read;
   * 0: a pinned group that was not scheduled. ENOSPC where `into` is too small.
   */
  read(into: BigUint64Array): number;
  /** Maps the control pages of the events. Null where the kernel refuses. */
  mapUserPages(): NativeUserReader | null;
  close(): void;
};

/** Reads counters without a system call: only of a group on the calling thread. */
export type NativeUserReader = {
  /** One word per event, in the order of the events: what the last `read` found. */
  readonly values: BigUint64Array;
  /**
   * The values, not all at one instant and not the inherited ones. False where an event is on no
   * counter that may be read so now, and after the group's `close`: the group's `read` tells then.
   */
  read(): boolean;
};

/**
 * Decodes a zstd stream that comes in pieces, by libzstd. Errors are `NativeError`: ENOSYS where
 * `zstdProblem` has one, EBADMSG for a stream that makes no sense.
 */
export type NativeZstdDecoder = {
  /** Takes a copy. */
  push(piece: Uint8Array): void;
  /**
   * Writes what comes next; returns its bytes, fewer than `into` has once the pieces are used up.
   */
  next(into: Uint8Array): number;
};

export type OpenProbe = {
  /** 0 when it opened. */
  readonly errno: number;
  readonly code: string;
  /** The attr size that the kernel wrote back on E2BIG; otherwise 0. */
  readonly kernelAttrSize: number;
};

/** The facts that a finished recording met. */
export type RecordingScan = {
  readonly kernelAddresses: Float64Array;
  readonly codeMappings: Uint8Array;
  /** Mappings that came when `codeMappings` had 64 MiB. */
  readonly mappingsLeftOut: number;
};

export type NativeBinding = {
  readonly Sampler: new (options: SamplerOptions) => NativeSampler;
  readonly HeldCommand: new (command: CommandSpec) => NativeHeldCommand;
  readonly CounterGroup: new (options: CounterGroupOptions) => NativeCounterGroup;
  readonly ZstdDecoder: new () => NativeZstdDecoder;
  readonly libpfm: NativeLibpfm;
  /**
   * Opens something on all threads of running processes (`pids`) and on single ones, while they go on
   * starting others: each is opened once, or has inherited from one that was. `open` gives false for a
   * thread that has ended; what it throws ends the attaching. `close` undoes it; nothing may count
   * before. `cpus`: those that are online. False: threads came too fast, some may be missing. Throws
   * NativeError ESRCH for a process that is not there.
   */
  attachThreads(
    target: {
      readonly pids: readonly number[];
      readonly tids: readonly number[];
      readonly cpus: readonly number[];
      /** Events opened on a thread count in those that it starts, too. */
      readonly inherits: boolean;
    },
    open: (tid: number) => boolean,
    close: (tid: number) => void,
  ): boolean;
  /** Opens one event and closes it again: what would happen? */
  probeEvent(attr: Uint8Array, pid: number, cpu: number): OpenProbe;
  /**
   * Opens the event on the calling thread `starts` times, each time until it has `samples` samples or
   * `maxCpuNs` of CPU time have passed, while the thread computes or touches fresh pages. One array for
   * each start: time in ns, period and count of each sample. Its sample type is TIME, PERIOD, READ, its
   * read format 0. Throws NativeError.
   */
  probePeriods(
    attr: Uint8Array,
    starts: number,
    samples: number,
    maxCpuNs: number,
    touchesPages: boolean,
  ): readonly Float64Array[];
  /**
   * Looks once through the records at bytes [from, to) of a file. `kernelAddresses`: every word from
   * `kernelFrom` on, at any multiple of 4 bytes, that may be one, each once, in signed form; at most a
   * million. `codeMappings`: the whole MMAP2 records of executable user mappings. Throws NativeError
   * where the file can't be read. `isCompressed`: COMPRESSED records may be among them, and count as
   * what they hold.
   */
  scanRecording(
    fd: number,
    from: number,
    to: number,
    isCompressed: boolean,
    kernelFrom: number,
  ): RecordingScan;
  /**
   * Which owners a word of the samples may be an address of, in the records at bytes [from, to): one
   * byte per owner, 1 for met. Range i is at addresses [starts[i], ends[i]) and of owners[i], which
   * count from 0.
   */
  findMetOwners(
    fd: number,
    from: number,
    to: number,
    isCompressed: boolean,
    starts: Float64Array,
    ends: Float64Array,
    owners: Uint32Array,
  ): Uint8Array;
  /**
   * The lines of a list as `/proc/kallsyms` that `addresses` (signed form) need, as they stand there:
   * of the kernel proper, for each address the symbol at or before it and the next one; modules' lines
   * all, unless no address can be in a module. Throws NativeError where it can't be read.
   */
  readKernelLines(path: string, addresses: Float64Array): Uint8Array;
  /**
   * The symbols of the kernel proper out of such a list, to be kept under `key`, which distinguishes one boot
   * from others. Null where the kernel hides its addresses. Throws NativeError where it can't be read.
   */
  keepKernel(path: string, key: string): Uint8Array | null;
  /**
   * Finds the lines that `readKernelLines` returns in what `keepKernel` gave; of the list only the head
   * is read. `isCurrent` is false where it was kept under another key, is damaged, or differs from the
   * list's head. `lines` is null there, and where an address may be outside of the kernel proper.
   * Throws NativeError where the list can't be read.
   */
  findKeptKernelLines(
    path: string,
    key: string,
    kept: Uint8Array,
    addresses: Float64Array,
  ): { readonly isCurrent: boolean; readonly lines: Uint8Array | null };
  /** C++ names: one result per name, null where it is not a mangled name. */
  demangle(names: readonly string[]): (string | null)[];
  /** Why libzstd can't be used; empty where it can. */
  zstdProblem(): string;
  /**
   * Ends the process at once with `status` (0–255): no destructors, no waiting for V8's threads.
   * Only for a command whose output is written.
   */
  exitNow(status: number): never;
  /**
   * Reaps commands that ran on after the sampler that started them was closed, as far as they have
   * ended. Returns how many still run.
   */
  reapOrphans(): number;
  /** Sets or clears O_NONBLOCK of the open file description of `fd`; false where that fails. */
  setNonBlocking(fd: number, on: boolean): boolean;
  /**
   * Makes `senderOfSignal` answer for this signal, until its handler is replaced; false
   * if the signal has no handler. It applies to the whole process: not for a library.
   */
  noteSignalOrigin(signal: number): boolean;
  /** Pid of who sent the last such signal; −1: the kernel (Ctrl-C in a terminal), 0: unknown. */
  senderOfSignal(signal: number): number;
  /** Raises the soft fd limit up to the hard one where `needed` asks for it. */
  raiseFdLimit(needed: number): { readonly soft: number; readonly hard: number };
  /**
   * CPUID on `cpu` (−1: wherever the thread runs): `leaves` are pairs of leaf and sub-leaf; EAX, EBX,
   * ECX and EDX of each come back in their order. Null where the processor has no CPUID (not x86).
   * Throws NativeError `EINVAL` for a CPU that this thread may not run on.
   */
  readCpuid(leaves: Uint32Array, cpu: number): Uint32Array | null;
  /**
   * Gives the calling thread, and no other, the rights of this user to files (setfsuid). All else
   * stays, so root takes its own back by the same call. Throws NativeError; the thread then has a part
   * of both, and the caller sets the earlier identity again.
   */
  setFileIdentity(uid: number, gid: number, groups: Uint32Array): void;
  /**
   * The user who holds the `peer` end of a TCP connection to `own`, both of this machine; null where no
   * process holds it, undefined where the kernel does not report it.
   */
  connectionUser(
    peerAddress: string,
    peerPort: number,
    ownAddress: string,
    ownPort: number,
  ): number | null | undefined;
  /**
   * The process at the other end of a Unix socket, as when it connected; pid 0: not of our
   * namespace.
   */
  peerOf(fd: number): { readonly pid: number; readonly uid: number } | null;
  /**
   * Makes malloc give each block of at least so many bytes back to the kernel when it is freed, in the
   * whole process; false where the C library can't be told.
   */
  mapBlocksFrom(bytes: number): boolean;
  /** One instant on two clocks: CLOCK_REALTIME and `clockId`, nanoseconds. */
  readClockPair(clockId: number): { readonly wallNs: bigint; readonly clockNs: bigint };
};
