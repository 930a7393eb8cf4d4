// Hot: once per frame.

import { NONE } from '../../base/brand.ts';
import type { Diagnostics } from '../../base/diagnostics.ts';
import { GrowableFloat64 } from '../../base/growable-columns.ts';
import type { SectionDecoders } from '../../code/elf/section-bytes.ts';
import type { JitCode } from '../../code/jit/jit-code.ts';
import type { ProcessTable } from '../../code/process/process-table.ts';
import type { DsoIndex, MappingIndex } from '../../code/process/types.ts';
import { dsoText } from '../../code/symbols/dso-symbols.ts';
import type { SymbolProvider } from '../../code/symbols/symbol-request.ts';
import type { UnwindArchitecture } from '../../code/unwind/module-input.ts';
import type { ModuleLookup } from '../../code/unwind/types.ts';
import { UnwindModule } from '../../code/unwind/unwind-module.ts';
import type { PerfData } from '../../formats/perf-data/reader.ts';
import { debugLog } from '../../system/debug-log.ts';
import { boundedDecoders } from '../files/unpack-budget.ts';
import { JitModules } from '../jit/jit-modules.ts';
import { openUnwindFile, segmentBias, type UnwindFile } from './unwind-sections.ts';

const debug = debugLog('unwind');

/** More code mappings than a recording changes; jitdumps have fewer rows than 2^53 divided by it. */
const MOST_GENERATIONS = 2 ** 30;

/**
 * The modules of one architecture of the process at hand, as the process table has them at the moment. Files are opened
 * once each, when the first frame lies in them; biases are kept per mapping.
 */
export class MappedModules implements ModuleLookup {
  generation = 0;
  module: UnwindModule | null = null;
  loadBias = 0;
  readonly #processes: ProcessTable;
  readonly #provider: SymbolProvider;
  readonly #diagnostics: Diagnostics;
  /** Build IDs of the recording's own list, for mappings that carry none: by path. */
  readonly #buildIds: ReadonlyMap<string, string>;
  readonly #architecture: UnwindArchitecture;
  readonly #decoders: SectionDecoders;
  #pid = NONE as number;
  readonly #jit: JitModules | null;
  /** Modules by DSO; null where there is no file, as for JIT code: of that, a code object is a module. */
  readonly #modules: (UnwindModule | null | undefined)[] = [];
  readonly #files: (UnwindFile | null | undefined)[] = [];
  /** Load biases by mapping; NaN where not yet known. */
  readonly #biases = new GrowableFloat64();
  /** `MappingTable.sweeps` when the biases were computed. */
  #sweeps = 0;

  constructor(
    processes: ProcessTable,
    provider: SymbolProvider,
    buildIds: ReadonlyMap<string, string>,
    data: Pick<PerfData, 'diagnostics' | 'mostUnpacked'>,
    jit: JitCode | null,
    architecture: UnwindArchitecture,
  ) {
    this.#architecture = architecture;
    this.#jit = jit && new JitModules(jit);
    this.#buildIds = buildIds;
    this.#processes = processes;
    this.#provider = provider;
    this.#diagnostics = data.diagnostics;
    this.#decoders = boundedDecoders(data.mostUnpacked);
  }

  /** Makes what follows be about the process `pid`, as of now. */
  enter(pid: number): void {
    this.#pid = pid;
    const changes = this.#jit === null ? 0 : this.#jit.changes;
    this.generation = changes * MOST_GENERATIONS + this.#processes.generationOf(pid);
  }

  find(address: number): boolean {
    this.module = null;
    if (address < 0) return false;
    const mapping = this.#processes.findUserMapping(this.#pid, address);
    const { mappings } = this.#processes;
    if (mapping === NONE || !mappings.isCode(mapping)) return false;
    const dso = mappings.dso(mapping);
    let module = this.#modules[dso];
    if (module === undefined) module = this.#makeModule(dso);
    if (module === null) {
      this.module = this.#jit?.find(dso, address) ?? null;
      this.loadBias = 0;
      return true;
    }
    this.module = module;
    if (mappings.sweeps !== this.#sweeps) {
      this.#sweeps = mappings.sweeps;
      this.#biases.length = 0;
    }
    let bias = mapping < this.#biases.length ? this.#biases.array[mapping] : Number.NaN;
    if (Number.isNaN(bias)) bias = this.#computeBias(mapping, dso);
    this.loadBias = bias;
    return true;
  }

  /** Closes the files. */
  close(): void {
    for (const file of this.#files) file?.source.close?.();
  }

  #makeModule(dso: DsoIndex): UnwindModule | null {
    const key = this.#processes.dsos.key(dso);
    const hasFile = key.kind === 'user-file' || key.kind === 'vdso';
    const module = hasFile
      ? new UnwindModule(
          dsoText(key),
          () => this.#fileOf(dso)?.sections ?? null,
          undefined,
          key.kind === 'vdso',
        )
      : null;
    this.#modules[dso] = module;
    return module;
  }

  #fileOf(dso: DsoIndex): UnwindFile | null {
    let file = this.#files[dso];
    if (file === undefined) {
      const { dsos } = this.#processes;
      const key = dsos.key(dso);
      const buildId = dsos.buildId(dso) ?? this.#buildIds.get(dsoText(key)) ?? null;
      file = openUnwindFile(
        key,
        buildId,
        this.#provider,
        this.#diagnostics,
        this.#architecture,
        this.#decoders,
      );
      this.#files[dso] = file;
      debug?.(`${dsoText(key)}: ${describeTables(file)}`);
    }
    return file;
  }

  /** Absolute minus file address. */
  #computeBias(mapping: MappingIndex, dso: DsoIndex): number {
    const { mappings } = this.#processes;
    const file = this.#fileOf(dso);
    const fileOffset = mappings.fileOffset(mapping);
    const inFile = file === null ? 0 : segmentBias(file.elf, fileOffset);
    const bias = mappings.start(mapping) - fileOffset - inFile;
    while (this.#biases.length <= mapping) this.#biases.push(Number.NaN);
    this.#biases.array[mapping] = bias;
    return bias;
  }
}

/** The unwind tables that a file has, for the debug log. */
function describeTables(file: UnwindFile | null): string {
  if (file === null) return 'no file';
  const { ehFrame, debugFrame, armIndex } = file.sections;
  const tables = { '.eh_frame': ehFrame, '.debug_frame': debugFrame, '.ARM.exidx': armIndex };
  const found = Object.entries(tables).flatMap(([name, table]) => (table === null ? [] : [name]));
  return `${file.source.file?.path ?? 'bytes in memory'}: ${found.join(', ') || 'no unwind table'}`;
}
