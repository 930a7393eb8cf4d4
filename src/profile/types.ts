/**
 * The profile model: what a recording says, as tables.
 *
 * A table is one object with one typed array per column and a `length`; a row is an integer. Rows
 * refer to each other by index, −1 (`NONE`) is "no row".
 *
 *   sample ──> stack ──> frame ──> func ──> name (string)
 *     │          └─> prefix (the caller's stack row, always a smaller index)
 *     ├──> thread, comm, event, stream
 *     └──> timeNs, cpu, period
 *
 * A stack row is a path from the root: its frame, and the row of the path without that frame. So a
 * sample needs one integer, shared callers are stored once, and any column derived over stacks
 * (self, total, inverted) is one pass without recursion, because parents come before children.
 */

import type { Brand } from '../base/brand.ts';
import type { IntColumn, NumberColumn } from '../base/int-column.ts';
import type { RingFacts } from '../base/lost-samples.ts';
import type { MarkTable } from './mark-table.ts';
import type { TimeRange } from './time-range.ts';
import type { TurnTable } from './turn-table.ts';

/** Row of `Profile.events`. */
export type EventIndex = Brand<number, 'EventIndex'>;
/** Row of `Profile.dsos`. */
export type DsoIndex = Brand<number, 'DsoIndex'>;
/** Row of `Profile.threads`. */
export type ThreadIndex = Brand<number, 'ThreadIndex'>;
/** Row of `Profile.funcs`. */
export type FuncIndex = Brand<number, 'FuncIndex'>;
/** Row of `Profile.frames`. */
export type FrameIndex = Brand<number, 'FrameIndex'>;
/** Row of `Profile.stacks`. */
export type StackIndex = Brand<number, 'StackIndex'>;
/** Row of `Profile.samples`. */
export type SampleIndex = Brand<number, 'SampleIndex'>;
/** Row of `Profile.streams`. */
export type StreamIndex = Brand<number, 'StreamIndex'>;

/** The kind of a DSO by its owner; drives colours and the order of report sections. */
export type DsoKind = 'user' | 'kernel' | 'module' | 'vdso' | 'jit' | 'guest' | 'unknown';

/** One mapped object: executable, library, vDSO, kernel, module, or a process's JIT code. */
export type Dso = {
  readonly kind: DsoKind;
  /** Shown name: file name, `[kernel.kallsyms]`, `[vdso]`, `[JIT] tid 123`, `[unknown]`. */
  readonly name: string;
  /** Path as the process mapped it; equals `name` where there is no file. */
  readonly path: string;
  /** Content id from the ELF note as lower-case hex, or null if unknown. */
  readonly buildId: string | null;
};

/** The unit of a period. */
export type EventUnit = 'events' | 'nanoseconds' | 'bytes';

/** How an event was sampled. A clock's period is fixed by the kernel, whatever was asked. */
export type SamplingMode = 'frequency' | 'period' | 'clock';

/** One sampled event (side-band events are not listed). */
export type ProfileEvent = {
  /** Name as opened, modifiers included: `cpu-clock`, `cycles:u`, `sched:sched_switch`. */
  readonly name: string;
  /** `perf_event_attr.type`: 0 hardware, 1 software, 2 tracepoint, 3 cache, 4 raw, 5 breakpoint,
   * larger: a PMU of this machine. */
  readonly type: number;
  readonly mode: SamplingMode;
  /** Asked rate in Hz; null outside frequency mode. */
  readonly frequencyHz: number | null;
  /** Asked events per sample; null in frequency mode, and where samples report other periods. */
  readonly fixedPeriod: number | null;
  /** Unit of the period: `events`, `nanoseconds` for clock events, `bytes` of memory and of system calls. */
  readonly unit: EventUnit;
  /** Samples have no period, as in a text that lacks the field, and count as 1 each. */
  readonly lacksPeriods?: true;
  /** Samples were drawn one by one, as V8 draws bytes of its heap, and not by a counter. */
  readonly areDrawn?: true;
  /**
   * perf's generic name of what is counted, whatever PMU counts it, empty where it has none; and the modifiers
   * that choose the part of the program (`u`, `k`). Absent where a text was read.
   */
  readonly role?: string;
  readonly domain?: string;
  /** The event whose samples read this one's counter, as member of its group; absent: it has samples of its own. */
  readonly leader?: EventIndex;
  /** The interval that the driver that sampled it reports; absent where the recording leaves the driver open. */
  readonly driverRule?: DriverRule;
  /** The rule that was measured when the recording was made; absent where nothing was. */
  readonly probedRule?: ProbedRule;
};

/** Meaning of the period in samples, as measured on the recording's machine (`period/probed-rule.ts`). */
export type ProbedRule = {
  /** Whether the period of sample i is that of the interval after it, or of the one before it. */
  readonly rule: 'next' | 'elapsed';
  /** The count in a sample lacks the interval that the sample ends. */
  readonly countsLag: boolean;
  /** Samples that the probe took, and pairs of them that told. */
  readonly samples: number;
  readonly votes: number;
  /** Share of the votes that are for `rule`, 0.9…1. */
  readonly majority: number;
};

/** Meaning of the period in samples, by the sources of the kernel driver that took them (`period/driver-rules.ts`). */
export type DriverRule = {
  /** `Intel PEBS, Linux 5.18`. */
  readonly driver: string;
  /** Whether the period of sample i is that of the interval after it, or of the one before it. */
  readonly rule: 'next' | 'elapsed';
  /** The count in a sample may lack the interval that the sample ends. */
  readonly countsLag: boolean;
};

/** One thread in one process generation; a new comm does not make a new thread. */
export type ProfileThread = {
  readonly pid: number;
  readonly tid: number;
  /** 0 for the first use of this pid, +1 after each exec or reuse. */
  readonly generation: number;
  /** The last comm seen. */
  readonly comm: string;
};

/**
 * Functions, the unit that people read: one row per (name, DSO). A function of JavaScript has its
 * file and line in its name, `handle src/server.ts:12`, since so many have no other: it is one row
 * in whatever way V8 ran it (`FrameTable.tier`) and in whatever process (`joinSameCode`).
 */
export type FuncTable = {
  readonly length: number;
  /** Index into `strings`: demangled name, or `[unknown]`. */
  readonly name: Int32Array;
  /** DsoIndex, −1 if no mapping covered the address. */
  readonly dso: Int32Array;
  /** Row of `FUNC_CATEGORIES`: whose code it is. */
  readonly category: Uint8Array;
  /** 1: a function of JavaScript. */
  readonly isScript: Uint8Array;
  /** Index into `strings`: path or URL of the source where the function begins; −1: not known. */
  readonly file: Int32Array;
  /** Line on which it begins, from 1; 0 where it is not known. */
  readonly line: Int32Array;
  /** Column at which it begins, from 1; 0 where it is not known. */
  readonly column: Int32Array;
  /**
   * Index into `strings`: V8's name of the function, `(anonymous)`, where `name` is a description from its source,
   * `api.get('/users')`; −1 elsewhere.
   */
  readonly v8Name: Int32Array;
};

/**
 * The owner of a function's code, the program's author first. `code/javascript/owners.ts` decides it, once for each
 * function of a profile.
 */
export const FUNC_CATEGORIES = [
  /** The program's: JavaScript outside node_modules, the functions of an executable. */
  'user code',
  /** JavaScript and native code below node_modules. */
  'dependency',
  /** JavaScript and C++ of Node, Deno and Bun, and their libraries: libuv, OpenSSL. */
  'node internal',
  /** V8's work for a program: compilers, parser, built-ins, runtime. */
  'V8',
  /** V8's garbage collector. */
  'GC',
  /** The standard libraries of C++, Rust and Go, in the program's file or in a library. */
  'standard library',
  /** The C library, the dynamic loader, the vDSO. */
  'libc',
  /** Other shared libraries and programs, WebAssembly, add-ons: compiled code whose owner is not known. */
  'native',
  'kernel',
  /** Functions without names, guests, and what was lost. */
  'unknown',
] as const;
/** One of `FUNC_CATEGORIES`. */
export type FuncCategory = (typeof FUNC_CATEGORIES)[number];

/**
 * How a frame of JavaScript was run, by V8 and then by JavaScriptCore (whose first tier is `baseline`
 * too), slowest first; `none` is code that is not JavaScript.
 */
export const TIERS = [
  'none',
  'interpreter',
  'baseline',
  'Maglev',
  'TurboFan',
  'DFG',
  'FTL',
] as const;
/** One of `TIERS`. */
export type Tier = (typeof TIERS)[number];

/**
 * Positions in code: one row per (DSO, lookup address, inline depth). In JIT code, whose addresses are
 * used again for other code, one per code object met there: rows that differ in their func only.
 */
export type FrameTable = {
  readonly length: number;
  readonly func: Int32Array;
  /**
   * DsoIndex, −1 if no mapping covered the address. That of its func, or another one with the same code: JIT
   * code of one process of several, the same file at another path. A frame that only states something of
   * what lies below it, such as why a thread waits, has −1.
   */
  readonly dso: Int32Array;
  /**
   * Lookup address: instruction pointer of the innermost frame, return address − 1 of the others.
   * File-relative where the DSO is a file, absolute (signed form) in the kernel, in JIT code and
   * where there is no DSO. Exact, except without a DSO: an address of a corrupt stack may be rounded.
   */
  readonly address: Float64Array;
  /** 0: the function that exists in machine code; 1…: calls inlined into it. */
  readonly inlineDepth: Uint8Array;
  /** Index into `strings`: path of the source file; −1 where it is not known, and for evaluated code. */
  readonly file: Int32Array;
  /** Line in `file`, or in the text that was evaluated, from 1; 0 where it is not known. */
  readonly line: Int32Array;
  /** Column in `line`, from 1; 0 where it is not known. */
  readonly column: Int32Array;
  /** Row of `TIERS`. */
  readonly tier: Uint8Array;
};

/** Paths from the root; see the head of this file. */
export type StackTable = {
  readonly length: number;
  readonly frame: Int32Array;
  /** StackIndex of the caller's path, −1 at the root. Always smaller than the row's own index. */
  readonly prefix: Int32Array;
};

/** One row per sample, in time order. */
export type SampleTable = {
  readonly length: number;
  /** StackIndex, −1 for a sample without any frame. */
  readonly stack: IntColumn;
  readonly thread: IntColumn;
  /** Index into `strings`: the thread's comm when the sample was taken. */
  readonly comm: IntColumn;
  readonly event: IntColumn;
  /** Index into `streams`, −1 where the recording does not tell streams apart. */
  readonly stream: IntColumn;
  /** CPU number, −1 if not recorded. */
  readonly cpu: IntColumn;
  /** Nanoseconds since the recording's first timestamp; NaN in all rows where none was recorded. */
  readonly timeNs: Float64Array;
  /** Period as the kernel reported it; the fixed period where the mode implies it. */
  readonly periodEvents: NumberColumn;
  /** The counter's value (`PERF_SAMPLE_READ`), NaN where it was not read; null: in no sample. */
  readonly count: Float64Array | null;
};

/**
 * An event instance with its own period controller, told apart by `PERF_SAMPLE_STREAM_ID` or, where
 * that was not recorded, by the event's id.
 */
export type ProfileStream = {
  /** The kernel's number as a decimal string. */
  readonly streamId: string;
  readonly event: EventIndex;
};

/** Losses of one event. The two figures count the same losses; never add them. */
export type EventLoss = {
  readonly event: EventIndex;
  /** Σ `PERF_RECORD_LOST`: announced in the ring; misses what came after the last record. */
  readonly lostRecords: number;
  /** Σ `PERF_RECORD_LOST_SAMPLES`: the counter's own figure, read when the event closed. */
  readonly lostSamples: number;
};

/** One of several kinds of core: those that share a PMU. */
export type CoreType = {
  /** The PMU's name: `cpu_core`, `cpu_atom`, `armv8_cortex_a72`. */
  readonly name: string;
  /** CPU numbers, ascending. */
  readonly cpus: readonly number[];
};

/** The machine, the command line and the clock of a recording. */
export type ProfileMeta = {
  /** Command line of the recorder, empty if not stored. */
  readonly commandLine: readonly string[];
  readonly hostname: string | null;
  readonly kernel: string | null;
  readonly arch: string | null;
  /** Raw time of `timeNs` 0, nanoseconds on `clock`, as a decimal string. */
  readonly startTime: string;
  /** `monotonic`, `realtime` …, or `perf` for the kernel's scheduler clock. */
  readonly clock: string;
  /** Notes about what was substituted or guessed, one sentence each: the event that replaced another, … */
  readonly notes: readonly string[];
  /**
   * Side-band records that were lost: forks, execs and mappings, so that samples may be named wrongly.
   * Absent: none, as far as the recording knows.
   */
  readonly lostSideband?: number;
  /** Absent where the recording does not tell. */
  readonly rings?: RingFacts;
  /** The kinds of cores of a machine that has several; absent for all others. */
  readonly coreTypes?: readonly CoreType[];
  /**
   * When the events were enabled, nanoseconds since the start, in order and apart from each other: outside of them
   * nothing could be sampled, which is no sign of idleness. Of rings that are overwritten they begin with the oldest
   * sample of any CPU, after each snapshot that lacks some. Absent: not known, which is most likely all the time.
   */
  readonly sampled?: readonly TimeRange[];
  /** Program and version that recorded; absent where the recording does not say. */
  readonly recorder?: string;
};

/** The profile: tables that refer to each other by row; see the head of this file. */
export type Profile = {
  readonly meta: ProfileMeta;
  readonly strings: readonly string[];
  readonly events: readonly ProfileEvent[];
  readonly dsos: readonly Dso[];
  readonly threads: readonly ProfileThread[];
  readonly streams: readonly ProfileStream[];
  readonly funcs: FuncTable;
  readonly frames: FrameTable;
  readonly stacks: StackTable;
  readonly samples: SampleTable;
  readonly losses: readonly EventLoss[];
  /** Turns of event loops; absent where nothing in the recorded programs wrote them. */
  readonly turns?: TurnTable;
  /** Spans of time that programs named, and collections of their garbage; absent where nothing in them wrote any. */
  readonly marks?: MarkTable;
  /**
   * The stack that stands for what no sample shows (`Weights.lostBefore`): one frame, `[lost]`.
   * −1 where nothing was lost.
   */
  readonly lostStack: StackIndex | -1;
  /** While a recording is read: stacks in which work of libuv's pool was asked for, which need not be those of samples. */
  readonly askedIn?: Int32Array;
};

/** The quantity that a sample counts for: `--weight` of docs/contract.md. */
export type WeightKind = 'samples' | 'period' | 'events' | 'time' | 'wall';

/** How far what was lost may be from its estimate, as factors: `least` ≤ 1 ≤ `most`. */
export type LostBounds = { readonly least: number; readonly most: number };

/** One weight per sample, with what it means. Made by `src/period/`, consumed by exporters. */
export type Weights = {
  readonly kind: WeightKind;
  /** `samples`, or the unit that all events have; `events` where they differ. */
  readonly unit: 'samples' | EventUnit;
  /** Parallel to `SampleTable`. */
  readonly values: Float64Array;
  /** Weights come from an imported text; their unit is unknown. */
  readonly areOfText?: true;
  /**
   * Each item of the text is the sum of several samples (folded stacks, heap profiles, speedscope, pprof): what the
   * samples were, and in which order, is gone, so that shares have no intervals.
   */
  readonly areSums?: true;
  /** Weights of one event only, whose samples weigh how long their threads were off the CPU. */
  readonly areWaits?: true;
  /** Weights of one event only, whose samples weigh what each measured: system calls and new memory. */
  readonly areMeasured?: true;
  /**
   * Parallel to `SampleTable`: the part of `values` that was counted after the last samples of their
   * streams. Absent: there is none, or the recording can't tell.
   */
  readonly tails?: Float64Array;
  /**
   * Parallel to `SampleTable`: weight of the loss gap that ended at each sample, in no sample's
   * value. What shows the weights shows it as an item of its own, under `Profile.lostStack`.
   * Absent: there is none, or the recording can't tell.
   */
  readonly lostBefore?: Float64Array;
  /** Per event: of `lostBefore`. Null or absent: it is known exactly, or there is none. */
  readonly lostBounds?: readonly (LostBounds | null)[];
};
