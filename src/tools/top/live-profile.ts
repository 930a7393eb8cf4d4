import type { StringIndex } from '../../base/string-table.ts';
import { toRawTime } from '../../base/u64.ts';
import { nameScripts } from '../../code/javascript/name-scripts.ts';
import { simplifyStacks } from '../../code/javascript/simplify.ts';
import type { DsoIndex } from '../../code/process/types.ts';
import { Symbolizer } from '../../code/symbols/symbolizer.ts';
import type { PerfData } from '../../formats/perf-data/reader.ts';
import { PERF_RECORD } from '../../kernel/perf-event/constants.ts';
import type { Profile } from '../../profile/types.ts';
import { demangler } from '../../read/code/demangler.ts';
import { describeEvent, isAuxiliaryEvent } from '../../read/facts/event-description.ts';
import { SymbolFiles } from '../../read/files/symbol-files.ts';
import { inflateXz } from '../../read/files/xz.ts';
import { ScriptMaps } from '../../read/jit/script-maps.ts';
import type { OpenProfileOptions } from '../../read/open-options.ts';
import { Pipeline } from '../../read/pipeline.ts';
import { openUnwinder } from '../../read/unwind/open-unwinder.ts';
import { LiveJit } from './live-jit.ts';
import { LiveRecords } from './live-records.ts';

const DEFAULT_MOST_ROWS = 400_000;

export type LiveProfileOptions = Pick<OpenProfileOptions, 'symbols'> & {
  /**
   * Frames, stacks, and records of processes and mappings, after which another object should take over:
   * tables only grow, and a machine that starts processes all day would fill memory with those that
   * are gone. Default 400 000.
   */
  readonly mostRows?: number;
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
  readonly #symbolizer: Symbolizer;
  readonly #jit: LiveJit;
  readonly #scripts: ScriptMaps;
  readonly #namesFrames: boolean;
  readonly #mostRows: number;
  /** Records that were no samples: processes, threads and mappings are at most as many. */
  #sideband = 0;
  /** Frames before this one were looked up. */
  #named = 0;

  /** `data` has the attrs, and the earliest time; its records are not read. */
  constructor(data: PerfData, options: LiveProfileOptions = {}) {
    this.#mostRows = options.mostRows ?? DEFAULT_MOST_ROWS;
    this.#namesFrames = options.symbols !== false;
    const pipeline = Pipeline.open(data);
    const { processes, diagnostics } = pipeline;
    pipeline.unwinder = openUnwinder(pipeline, {});
    this.#pipeline = pipeline;
    this.#records = new LiveRecords(data, (record) => {
      if (record.type !== PERF_RECORD.SAMPLE) this.#sideband++;
      pipeline.read(record);
    });
    const files = new SymbolFiles({ diagnostics, pids: () => processes.pids() });
    this.#jit = new LiveJit(processes.dsos, files.provide, diagnostics);
    this.#scripts = new ScriptMaps({ diagnostics });
    this.#symbolizer = new Symbolizer({
      dsos: processes.dsos,
      provider: files.provide,
      demangleCpp: demangler(diagnostics),
      diagnostics,
      xz: inflateXz,
      kernelReference: processes.kernelReference,
      jit: this.#jit,
    });
  }

  get events(): Profile['events'] {
    return this.#pipeline.data.attrs.filter((event) => !isAuxiliaryEvent(event)).map(describeEvent);
  }

  /** The tables have grown so large that a new object should take over. */
  get isFull(): boolean {
    const { builder } = this.#pipeline;
    return builder.frameCount + builder.stackCount + this.#sideband > this.#mostRows;
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
    const { builder, processes, streams, data } = this.#pipeline;
    if (this.#namesFrames) this.#nameFrames();
    const slice = builder.takeSlice({
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
      dsos: processes.dsos.finish(),
      threads: processes.finishThreads(),
      streams,
      // Those so far are in the recorder's totals; of which samples they were, nobody knows yet.
      losses: [],
    });
    this.#pipeline.forgetSamples();
    if (!this.#jit.hasMaps) return slice;
    const simplify = 'interpreter';
    const options = { sourceMaps: this.#scripts, directory: null, simplify } as const;
    return simplifyStacks(nameScripts(slice, options), simplify);
  }

  #nameFrames(): void {
    const { builder, processes } = this.#pipeline;
    const { frameCount } = builder;
    const hasNew = frameCount > this.#named;
    for (let row = 0; row < processes.dsos.length; row++) {
      const dso = row as DsoIndex;
      const isJit = processes.dsos.key(dso).kind === 'jit';
      if (!hasNew && !isJit) continue;
      const { frames, addresses } = builder.frameAddresses(dso);
      const isRenamed = isJit && frames.length > 0 && this.#jit.refresh(dso);
      const first = isRenamed ? 0 : firstFrom(frames, this.#named);
      if (first === frames.length) continue;
      const names = new Int32Array(frames.length - first);
      this.#symbolizer.resolveAll(dso, addresses.subarray(first), builder.strings, names);
      for (let i = 0; i < names.length; i++) {
        if (names[i] === -1) continue;
        const func = builder.internFunc(names[i] as StringIndex, dso);
        builder.setFunc(frames[first + i], func);
      }
    }
    this.#named = frameCount;
  }
}

/** Position of the first of `frames`, ascending, that is not before `least`. */
function firstFrom(frames: Int32Array, least: number): number {
  let first = frames.length;
  while (first > 0 && frames[first - 1] >= least) first--;
  return first;
}
