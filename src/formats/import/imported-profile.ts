import { NONE } from '../../base/brand.ts';
import { knownCpu } from '../../base/cpu-number.ts';
import { Diagnostics } from '../../base/diagnostics.ts';
import { PERF_TYPE } from '../../base/event-type.ts';
import { getOrMake } from '../../base/group-by.ts';
import { memoize } from '../../base/memoize.ts';
import { printable } from '../../base/printable.ts';
import { ProfileBuilder } from '../../profile/profile-builder.ts';
import type {
  Dso,
  DsoKind,
  EventUnit,
  Profile,
  ProfileEvent,
  ProfileMeta,
  ProfileThread,
} from '../../profile/types.ts';
import { type ImportedSample, ImportedSamples } from './imported-samples.ts';

/** The files that are imported; which one a text is, `detectText` finds out. */
export type ImportFormat =
  | 'perf-script'
  | 'folded'
  | 'cpuprofile'
  | 'heapprofile'
  | 'speedscope'
  | 'firefox'
  | 'pprof';

/** A profile out of a text. */
export type ImportedProfile = {
  readonly format: ImportFormat;
  readonly profile: Profile;
  readonly diagnostics: Diagnostics;
};

/** A frame as a text has it. */
export type ImportedFrame = {
  readonly name: string;
  /** The DSO as printed: path, `[kernel.kallsyms]`, `[unknown]`; null where the text has none. */
  readonly dso: string | null;
  /** Signed form; null where the text has none. */
  readonly address: number | null;
  /** 0 for the function itself, 1… for calls inlined into it. */
  readonly inlineDepth: number;
};

const UNKNOWN_NAME = '[unknown]';
/** Frame tables distinguish positions by address; this many names may share one. */
const MAX_NAMES_AT_ADDRESS = 255;
/** Weights and times of a kernel have 64 bits. */
const MOST_OF_NUMBER = 2 ** 64;
const MOST_OF_TIME = 2n ** 64n;
/** Characters of a line that was not understood. */
const LINE_SHOWN = 60;
/**
 * Addresses below every plain address and above the kernel segments, so that names without one don't meet
 * code.
 */
const NO_ADDRESS_BASE = -(2 ** 52);
/** Addresses below those: there are fewer names than that. */
const ON_LINE_BASE = NO_ADDRESS_BASE - 2 ** 32;

/** Makes a name as a text has it the one that is shown. */
export type ShowName = (name: string) => string;

/** Each gets a count of what was met so far, and throws where that is too much. */
export type ImportLimits = {
  readonly checkEvents: (events: number) => void;
  readonly checkStacks: (stacks: number, frames: number) => void;
  readonly checkThreads: (threads: number) => void;
  /** The characters of a line. */
  readonly checkLine: (characters: number) => void;
  /** Bytes of memory that a JSON value may take. */
  readonly checkJson: (bytes: number) => void;
};

export const NO_LIMITS: ImportLimits = {
  checkEvents: () => {},
  checkStacks: () => {},
  checkThreads: () => {},
  checkLine: () => {},
  checkJson: () => {},
};

/** Collects samples of a text; `finish` sorts them by time. */
export class ImportedProfileBuilder {
  readonly diagnostics = new Diagnostics();
  readonly #builder = new ProfileBuilder();
  readonly #dsos: Dso[] = [];
  readonly #dsoByPath = new Map<string, number>();
  readonly #threads: { pid: number; tid: number; generation: number; comm: string }[] = [];
  readonly #threadByKey = new Map<string, number>();
  /** Keys of the threads that samples were met of so far. */
  readonly #metThreads = new Set<string>();
  readonly #frameName = new Map<number, number>();
  readonly #samples = new ImportedSamples();
  readonly #events: ProfileEvent[] = [];
  readonly #eventRows = new Map<string, number>();
  /** Frames with lines so far. */
  #onLine = 0;
  #skipped = 0;
  #firstSkipped = '';
  readonly #shown: ShowName;

  readonly limits: ImportLimits;

  constructor(showName: ShowName = (name) => name, limits: ImportLimits = NO_LIMITS) {
    this.#shown = memoize(showName);
    this.limits = limits;
  }

  /** The row of the event of that name which counts time, or something else. */
  event(name: string, unit: EventUnit, frequencyHz: number | null = null): number {
    const key = `${unit} ${name}`;
    const known = this.#eventRows.get(key);
    if (known !== undefined) return known;
    this.limits.checkEvents(this.#events.length + 1);
    const row = this.#events.push({ ...importedEvent(name, unit), frequencyHz }) - 1;
    this.#eventRows.set(key, row);
    return row;
  }

  /** A line that is left out: not one of the format's. */
  skipLine(line: string): void {
    this.diagnostics.count('text-line-malformed', line.slice(0, LINE_SHOWN));
    if (this.#skipped++ === 0) this.#firstSkipped = line;
  }

  dso(path: string): number {
    if (path === UNKNOWN_NAME || path === '') return NONE;
    return getOrMake(
      this.#dsoByPath,
      path,
      () => this.#dsos.push({ kind: dsoKind(path), name: dsoName(path), path, buildId: null }) - 1,
    );
  }

  /** `prefix` −1 for the outermost frame. */
  stack(
    prefix: number,
    name: string,
    dso: string | null,
    address: number | null,
    inlineDepth: number,
  ): number {
    const dsoIndex = dso === null ? NONE : this.dso(dso);
    const func = this.#func(name, dsoIndex);
    // Garbage that a broken stack left is printed like an address, and may be larger than any.
    const isAddress = address !== null && Number.isSafeInteger(address);
    const at = isAddress ? address : NO_ADDRESS_BASE - func;
    // Texts may have several functions at one address: code of two processes, or JIT code that
    // replaced other code. A further one takes the next free depth.
    for (let depth = inlineDepth; depth < MAX_NAMES_AT_ADDRESS; depth++) {
      const frame = this.#builder.frames.intern(dsoIndex, at, depth);
      const known = this.#frameName.get(frame);
      if (known === undefined) {
        this.#frameName.set(frame, func);
        this.#builder.frames.setFunc(frame, func);
      } else if (known !== func) continue;
      return this.extend(prefix, frame);
    }
    this.diagnostics.count('text-functions-at-one-address', name);
    return prefix;
  }

  /**
   * A new frame of the function `name` of `dso`, on `line` and `column` of the source, which is `dso` where
   * nothing else is given; 0: not known. With an `inlineDepth` above 0 it is inlined into the frame made before.
   */
  frameOnLine(
    name: string,
    dso: string | null,
    line: number,
    column: number,
    {
      source = dso,
      inlineDepth = 0,
    }: { readonly source?: string | null; readonly inlineDepth?: number } = {},
  ): number {
    const dsoIndex = dso === null ? NONE : this.dso(dso);
    if (inlineDepth === 0) this.#onLine++;
    const frame = this.#builder.frames.intern(dsoIndex, ON_LINE_BASE - this.#onLine, inlineDepth);
    this.#builder.frames.setFunc(frame, this.#func(name, dsoIndex));
    if (source && line > 0) {
      this.#builder.frames.setLocation(frame, this.#builder.strings.intern(source), line, column);
    }
    return frame;
  }

  /** The path `prefix`, −1 for none, with `frame` behind it. */
  extend(prefix: number, frame: number): number {
    const stack = this.#builder.stacks.intern(prefix, frame);
    this.limits.checkStacks(this.#builder.stacks.length, this.#builder.frames.length);
    return stack;
  }

  addSample(sample: ImportedSample, stack: number): void {
    // Before the samples of too many threads take memory.
    this.#metThreads.add(threadKey(sample.pid, sample.tid, sample.comm));
    this.limits.checkThreads(this.#metThreads.size);
    const { period } = sample;
    if (period >= 0 && period <= MOST_OF_NUMBER) this.#samples.add(this.#inRange(sample), stack);
    else this.diagnostics.count('number-out-of-range', `a sample that weighs ${period}`);
  }

  /** The sample without a thread, CPU and time that none can have. */
  #inRange(sample: ImportedSample): ImportedSample {
    const { pid, tid, cpu, time } = sample;
    const place = { pid: asId(pid), tid: asId(tid), cpu: knownCpu(cpu) };
    const isTime = time === null || (time > -MOST_OF_TIME && time < MOST_OF_TIME);
    if (pid === place.pid && tid === place.tid && cpu === place.cpu && isTime) return sample;
    const shown = `thread ${pid}/${tid} on CPU ${cpu} at ${time} ns`;
    this.diagnostics.count('number-out-of-range', shown.slice(0, LINE_SHOWN));
    return { ...sample, ...place, time: isTime ? time : null };
  }

  /** A sample with a period of n is n samples with a period of 1. */
  takePeriodsAsCounts(): void {
    this.#samples.takePeriodsAsCounts();
  }

  /** Takes raw nanoseconds for the recording's begin: its first sample may stand for time before it. */
  beginAt(time: bigint): void {
    if (time > -MOST_OF_TIME && time < MOST_OF_TIME) this.#samples.beginAt(time);
  }

  /** `events`: where they are not made by `event`. */
  finish(
    format: ImportFormat,
    meta: Partial<ProfileMeta>,
    events: readonly ProfileEvent[] = this.#events,
  ): ImportedProfile {
    const { start } = this.#samples;
    const { NaN: noCount } = Number;
    this.#samples.forEachInTimeOrder((sample, stack, timeNs, times) => {
      const { comm, pid, tid, cpu, event, period } = sample;
      const thread = this.#thread(pid, tid, comm);
      const name = this.#builder.strings.intern(comm);
      for (let i = 0; i < times; i++) {
        this.#builder.samples.add(stack, thread, name, event, NONE, cpu, timeNs, period, noCount);
      }
    });
    const profile = this.#builder.finish({
      meta: {
        commandLine: [],
        hostname: null,
        kernel: null,
        arch: null,
        startTime: (start ?? 0n).toString(),
        clock: 'perf',
        ...meta,
        notes: [...(meta.notes ?? []), ...this.#skippedNote()],
      },
      events,
      dsos: this.#dsos,
      threads: this.#threads as ProfileThread[],
      streams: [],
      losses: [],
    });
    return { format, profile, diagnostics: this.diagnostics };
  }

  #skippedNote(): string[] {
    if (this.#skipped === 0) return [];
    const lines = this.#skipped === 1 ? '1 line was' : `${this.#skipped} lines were`;
    const first = printable(this.#firstSkipped.trim().slice(0, LINE_SHOWN));
    return [`${lines} not understood and left out, first: ${first}`];
  }

  #func(name: string, dso: number): number {
    // A text may leave the place of a name empty.
    const shown = name === '' ? UNKNOWN_NAME : this.#shown(name);
    return this.#builder.funcs.intern(this.#builder.strings.intern(shown), dso);
  }

  /** The last comm of a thread names it. */
  #thread(pid: number, tid: number, comm: string): number {
    const key = threadKey(pid, tid, comm);
    const known = this.#threadByKey.get(key);
    if (known !== undefined) {
      this.#threads[known].comm = comm;
      return known;
    }
    const thread = this.#threads.push({ pid, tid, generation: 0, comm }) - 1;
    this.#threadByKey.set(key, thread);
    return thread;
  }
}

/** The unit of numbers that are no time, by the name that a file has for it. */
export function countedUnit(name: string | undefined): EventUnit {
  return name === 'bytes' ? name : 'events';
}

/** An event as most files of other tools know it: time, bytes, or a number of something. */
export function importedEvent(name: string, unit: EventUnit): ProfileEvent {
  return {
    name,
    type: PERF_TYPE.SOFTWARE,
    mode: unit === 'nanoseconds' ? 'clock' : 'period',
    frequencyHz: null,
    fixedPeriod: null,
    unit,
  };
}

/** A pid or tid, −1 where no thread has such a number. */
function asId(id: number): number {
  return (id | 0) === id ? id : NONE;
}

/** A comm is a thread where there is no tid. */
function threadKey(pid: number, tid: number, comm: string): string {
  return tid < 0 ? `comm ${comm}` : `${pid}/${tid}`;
}

/** perf's texts call JIT code by the file with its names, `/tmp/perf-12.map`. */
function dsoName(path: string): string {
  const pid = /\/perf-(\d+)\.map$/.exec(path)?.[1];
  if (pid !== undefined) return `[JIT] tid ${pid}`;
  return path.startsWith('[') ? path : path.slice(path.lastIndexOf('/') + 1);
}

/** The kind of a DSO, by perf's names; a plain path is a user's. */
function dsoKind(path: string): DsoKind {
  if (/^\[(vdso|vdso32|vdsox32|vsyscall)\]$/.test(path)) return 'vdso';
  if (/^\[guest\./.test(path)) return 'guest';
  if (/^\[kernel\.|vmlinux[\w.-]*$|\bkcore$/.test(path)) return 'kernel';
  if (/^\[JIT\]|\/perf-\d+\.map$|^jitted-/.test(path)) return 'jit';
  if (/^\[(heap|stack|anon|uprobes)|^\/\/anon/.test(path)) return 'user';
  if (/^\[.*\]$|\.ko(\.\w+)?$/.test(path)) return 'module';
  return 'user';
}
