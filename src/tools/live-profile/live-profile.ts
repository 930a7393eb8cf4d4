import { addToList } from '../../base/group-by.ts';
import type { StringIndex } from '../../base/string-table.ts';
import { toRawTime } from '../../base/u64.ts';
import { nameScripts } from '../../code/javascript/name-scripts.ts';
import { withOwners } from '../../code/javascript/owners.ts';
import { simplifyStacks } from '../../code/javascript/simplify.ts';
import type { DsoIndex } from '../../code/process/types.ts';
import { type LoadedSymbols, Symbolizer } from '../../code/symbols/symbolizer.ts';
import type { PerfData } from '../../formats/perf-data/reader.ts';
import { PERF_RECORD } from '../../kernel/perf-event/constants.ts';
import { decodeRecord } from '../../kernel/perf-event/record.ts';
import type { RecordView } from '../../kernel/perf-event/record-view.ts';
import type { OpenProfileOptions } from '../../options/reading.ts';
import type { LossGap } from '../../period/types.ts';
import type { ProfileBuilder } from '../../profile/profile-builder.ts';
import type { Dso, Profile, ProfileThread } from '../../profile/types.ts';
import { demangler } from '../../read/code/demangler.ts';
import { describeEvents } from '../../read/facts/event-description.ts';
import { type Provenance, readProvenance } from '../../read/facts/provenance.ts';
import { SymbolFiles } from '../../read/files/symbol-files.ts';
import { inflateXz } from '../../read/files/xz.ts';
import { placeFrame } from '../../read/jit/place-frame.ts';
import { ScriptMaps } from '../../read/jit/script-maps.ts';
import { Pipeline } from '../../read/pipeline.ts';
import { openUnwinder } from '../../read/unwind/open-unwinder.ts';
import type { UserRooms } from '../../system/strangers/user-rooms.ts';
import { type LiveCodeSource, LiveJit } from './live-jit.ts';
import { LiveRecords, type MeetRecord } from './live-records.ts';

const DEFAULT_MOST_ROWS = 400_000;
/** Source maps are the largest part of memory, and dear to read: they are kept for some minutes. */
const SLICES_OF_SCRIPTS = 60;

export type LiveProfileOptions = Pick<OpenProfileOptions, 'symbols'> & {
  /**
   * Frames, stacks, files, mappings and strings after which another object should take over: tables of frames, files and
   * strings only grow, and a machine that starts other programs all day would fill memory with those that are gone.
   * Default 400 000.
   */
  readonly mostRows?: number;
  /** True: slices have no rows but those that their samples refer to, and stacks are forgotten with them. Default false. */
  readonly hasSmallSlices?: boolean;
  /** True: large tables of names stay in their files, which stay open until `close` or `handOver`. Default false. */
  readonly holdsFiles?: boolean;
  /** A source of the code that processes announce; without, their perf maps are read. */
  readonly liveCode?: LiveCodeSource;
  /** How much is kept of the code that processes of each user name. */
  readonly rooms?: UserRooms;
  /** The folder in which the program was started, from which its scripts are named; absent: not known. */
  readonly directory?: string;
  /** Told each process that begins, and that runs another program, when the record arrives; `comm` is null at a fork. */
  readonly onBegun?: (pid: number, comm: string | null) => void;
  /** Symbols that the object before this one has read (`handOver`). */
  readonly loadedSymbols?: LoadedSymbols;
};

/**
 * Records that keep coming, as profiles of what came since the last one.
 *
 *   feed ─▶ order ─▶ pipeline ─▶ samples ─┐
 *                                takeSlice ┴▶ names of new frames ─▶ Profile
 *
 * The pipeline is the one that reads files; frames, stacks, mappings and symbol tables stay from slice to
 * slice, so that each address is looked up once. Only JIT code is named again when its map has grown.
 */
export class LiveProfile {
  readonly #pipeline: Pipeline;
  readonly #records: LiveRecords;
  readonly #provenance: Provenance | null;
  readonly #symbolizer: Symbolizer;
  readonly #jit: LiveJit;
  #scripts: ScriptMaps;
  /** Slices since `#scripts` was made. */
  #slicesOfScripts = 0;
  readonly #namesFrames: boolean;
  readonly #mostRows: number;
  readonly #hasSmallSlices: boolean;
  readonly #directory: string | null;
  /** LOST records since the slice before the last one. */
  #lossGaps: readonly LossGap[] = [];
  /** Frames before this one were looked up, or are in `#fresh`. */
  #named = 0;
  /** Frames in JIT code of processes that run, which are looked up again as their maps grow. */
  readonly #jitFrames = new Map<DsoIndex, number[]>();
  /** Frames in files that are not looked up yet. */
  readonly #fresh = new Map<DsoIndex, number[]>();
  /** Frames of JITs that came since the last slice. */
  readonly #freshJit = new Map<DsoIndex, number[]>();

  /** DSOs that a process has mapped since files out of reach were looked for last. */
  readonly #mappedSince = new Set<DsoIndex>();
  /** Frames in files that could not be had, and the processes that had mapped these then. */
  readonly #absent = new Map<DsoIndex, { readonly frames: number[]; readonly pids: Set<number> }>();

  /** `data` has the attrs, and the earliest time; its records are not read. */
  constructor(data: PerfData, options: LiveProfileOptions = {}) {
    this.#provenance = readProvenance(data);
    this.#mostRows = options.mostRows ?? DEFAULT_MOST_ROWS;
    this.#hasSmallSlices = options.hasSmallSlices === true;
    this.#directory = options.directory ?? null;
    this.#namesFrames = options.symbols !== false;
    const pipeline = Pipeline.open(data);
    const { processes, diagnostics } = pipeline;
    processes.keepsEnded = false;
    processes.mappedSince = this.#mappedSince;
    pipeline.unwinder = openUnwinder(pipeline, {});
    this.#pipeline = pipeline;
    const { onBegun } = options;
    const read = (record: RecordView) => pipeline.read(record);
    this.#records = new LiveRecords(data, read, onBegun && meetProcesses(onBegun));
    const files = new SymbolFiles({
      diagnostics,
      mappingsOf: (dso) => processes.mappingsOf(dso),
      mustBeRecorded: true,
    });
    const { liveCode = null, rooms = null } = options;
    this.#jit = new LiveJit(processes.dsos, files.provide, diagnostics, liveCode, rooms);
    this.#scripts = new ScriptMaps({ diagnostics });
    this.#symbolizer = new Symbolizer({
      dsos: processes.dsos,
      provider: files.provide,
      demangleCpp: demangler(diagnostics),
      diagnostics,
      xz: inflateXz,
      kernelReference: processes.kernelReference,
      isThisBoot: true,
      jit: this.#jit,
      holdsFiles: options.holdsFiles === true,
      ...(options.loadedSymbols && { loaded: options.loadedSymbols }),
    });
  }

  get events(): Profile['events'] {
    return describeEvents(this.#pipeline.data, this.#provenance);
  }

  /** The tables have grown so large that a new object should take over. */
  get isFull(): boolean {
    const { builder, processes } = this.#pipeline;
    const { frames, stacks, strings } = builder;
    const { dsos, mappings } = processes;
    const tables = [frames, stacks, strings.strings, dsos];
    return tables.reduce((rows, table) => rows + table.length, mappings.used) > this.#mostRows;
  }

  /** Symbols of files that were read, for the object that takes over. Nothing is asked of this one any more. */
  handOver(): LoadedSymbols {
    return this.#symbolizer.handOver();
  }

  /** Closes the files that it holds. */
  close(): void {
    this.#symbolizer.close();
  }

  /** Gaps of lost samples, as far as the last slice shows. */
  get lossGaps(): readonly LossGap[] {
    return this.#lossGaps;
  }

  /** Pid of the process that has started `pid`; −1 where no record said it. */
  parentOf(pid: number): number {
    return this.#pipeline.processes.parentOf(pid);
  }

  /** The comm with which a process began; '' where no record said it. */
  nameOf(pid: number): string {
    return this.#pipeline.processes.nameOf(pid);
  }

  /** The path of the control group in which a process was sampled last; '' where that is not known. */
  cgroupOf(pid: number): string {
    return this.#pipeline.processes.cgroupOf(pid);
  }

  /** The threads of the samples since the last slice. */
  sampledThreads(): readonly ProfileThread[] {
    return this.#pipeline.processes.finishThreads();
  }

  /** The next bytes of the recording, cut anywhere. They belong to this object from now on. */
  feed(bytes: Uint8Array): void {
    this.#records.feed(bytes);
  }

  /** No more comes; a last slice has what waited for its order. */
  finish(): void {
    this.#records.finish();
    this.#pipeline.unwinder?.close();
  }

  /** The samples since the last slice, in time order, with names. */
  takeSlice(): Profile {
    const { builder, processes, streams, data, diagnostics } = this.#pipeline;
    if (this.#namesFrames) this.#nameFrames();
    const parts = {
      meta: {
        commandLine: [],
        hostname: data.features.hostname,
        kernel: data.features.osRelease,
        arch: data.features.arch,
        startTime: toRawTime(data.startTime, 0).toString(),
        clock: 'perf',
        notes: [],
      },
      events: this.events,
      dsos: this.#dsos(),
      threads: processes.finishThreads(),
      streams,
      // Those so far are in the recorder's totals; of which samples they were, nobody knows yet.
      losses: [],
    };
    const isSmall = this.#hasSmallSlices;
    const slice = isSmall
      ? builder.takeSmallSlice(parts, (small) => this.#locate(small))
      : builder.takeSlice(parts);
    this.#lossGaps = this.#pipeline.lossGaps.slice();
    this.#pipeline.forgetSamples();
    this.#pipeline.forgetEnded();
    if (isSmall) this.#pipeline.forgetStacks();
    this.#forgetJit();
    // Nothing that takes small slices asks for the owners of functions.
    if (!this.#jit.hasMaps) return isSmall ? slice : withOwners(slice);
    // Source maps of scripts that are not sampled any more go with it.
    if (isSmall && ++this.#slicesOfScripts > SLICES_OF_SCRIPTS) {
      this.#slicesOfScripts = 0;
      this.#scripts = new ScriptMaps({ diagnostics });
    }
    const simplify = 'interpreter';
    const options = { sourceMaps: this.#scripts, directory: this.#directory, simplify } as const;
    return simplifyStacks(nameScripts(slice, options), simplify);
  }

  /** Lines and inlined calls of the JavaScript that processes announce. */
  #locate(small: ProfileBuilder): void {
    for (const dso of this.#jitFrames.keys()) {
      const { frames, addresses } = small.frames.addresses(dso);
      const lines = frames.length === 0 ? null : this.#jit.linesOf(dso, addresses);
      for (const [at, line] of lines?.entries() ?? []) {
        if (line !== null && small.isNamed(frames[at])) placeFrame(small, frames[at], line, true);
      }
    }
  }

  /** Adds the build IDs of their files, where the kernel was not asked for them. */
  #dsos(): Dso[] {
    const dsos = this.#pipeline.processes.dsos.finish();
    return dsos.map((dso, row) => ({
      ...dso,
      buildId: this.#symbolizer.buildIdOf(row as DsoIndex),
    }));
  }

  /** Maps of processes that are gone. */
  #forgetJit(): void {
    const { processes } = this.#pipeline;
    for (const dso of this.#jitFrames.keys()) {
      const key = processes.dsos.key(dso);
      if (key.kind !== 'jit' || processes.isKnown(key.pid)) continue;
      this.#jitFrames.delete(dso);
      this.#jit.forget(key.pid);
    }
  }

  #nameFrames(): void {
    this.#symbolizer.refreshFiles();
    this.nameFiles();
    for (const [dso, frames] of this.#jitFrames) {
      const isRenamed = this.#jit.refresh(dso);
      const added = isRenamed ? frames : this.#freshJit.get(dso);
      if (added !== undefined) this.#nameFramesOf(dso, added);
    }
    this.#freshJit.clear();
  }

  /**
   * Looks up the frames that came since, but for those of JIT code. To be called more often than slices are taken
   * where processes end meanwhile whose files nobody else has. False where files are left after `mostMs`: reading the
   * symbols of one takes up to a second.
   */
  nameFiles(mostMs = Number.POSITIVE_INFINITY): boolean {
    const endMs = performance.now() + mostMs;
    const { builder, processes } = this.#pipeline;
    const frameCount = builder.frames.length;
    this.#takeReachable();
    for (let frame = this.#named; frame < frameCount; frame++) {
      const dso = builder.frames.dso(frame) as DsoIndex;
      if (dso < 0) continue;
      if (processes.dsos.key(dso).kind !== 'jit') addToList(this.#fresh, dso, frame);
      else {
        addToList(this.#freshJit, dso, frame);
        addToList(this.#jitFrames, dso, frame);
      }
    }
    this.#named = frameCount;
    for (const [dso, frames] of this.#fresh) {
      this.#fresh.delete(dso);
      this.#nameFramesOf(dso, frames);
      if (processes.dsos.key(dso).kind === 'user-file') this.#noteAbsent(dso, frames);
      if (performance.now() > endMs) break;
    }
    return this.#fresh.size === 0;
  }

  /** Frames in files that could not be had before, and that another process has mapped since. */
  #takeReachable(): void {
    for (const dso of this.#mappedSince) {
      const absent = this.#absent.get(dso);
      if (absent === undefined) continue;
      const { frames, pids } = absent;
      if (this.#pidsWith(dso).every((pid) => pids.has(pid))) continue;
      this.#symbolizer.forgetAbsent(dso);
      this.#absent.delete(dso);
      for (const frame of frames) addToList(this.#fresh, dso, frame);
    }
    this.#mappedSince.clear();
  }

  #noteAbsent(dso: DsoIndex, frames: readonly number[]): void {
    const before = this.#absent.get(dso)?.frames ?? [];
    if (!this.#symbolizer.isAbsent(dso)) this.#absent.delete(dso);
    else {
      const pids = new Set(this.#pidsWith(dso));
      this.#absent.set(dso, { frames: [...before, ...frames], pids });
    }
  }

  #pidsWith(dso: DsoIndex): number[] {
    const { processes } = this.#pipeline;
    return Array.from(processes.mappingsOf(processes.dsos.key(dso)), ({ pid }) => pid);
  }

  #nameFramesOf(dso: DsoIndex, frames: readonly number[]): void {
    const { builder } = this.#pipeline;
    const addresses = Float64Array.from(frames, (frame) => builder.frames.address(frame));
    const names = new Int32Array(frames.length);
    this.#symbolizer.resolveAll(dso, addresses, builder.strings, names);
    for (let i = 0; i < names.length; i++) {
      if (names[i] === -1) continue;
      const func = builder.funcs.intern(names[i] as StringIndex, dso);
      builder.frames.setFunc(frames[i], func);
    }
  }
}

function meetProcesses(onBegun: (pid: number, comm: string | null) => void): MeetRecord {
  return (record, info) => {
    if (record.type !== PERF_RECORD.COMM && record.type !== PERF_RECORD.FORK) return;
    const found = decodeRecord(record, info);
    if (found.kind === 'comm' && found.isExec) onBegun(found.pid, found.comm);
    else if (found.kind === 'fork' && found.pid !== found.parentPid) onBegun(found.pid, null);
  };
}
