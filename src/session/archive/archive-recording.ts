import { mkdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { Diagnostics } from '../../base/diagnostics.ts';
import { readBuildId } from '../../elf/build-id.ts';
import { type ElfFile, parseElf } from '../../elf/elf-file.ts';
import { readAppendix } from '../../perf-data/appendix.ts';
import type { DsoIndex, DsoKey } from '../../process/types.ts';
import {
  type DebugContents,
  type DebugFile,
  findAltFile,
  findDebugFile,
  has,
} from '../../symbols/debug-file.ts';
import type { SymbolSource } from '../../symbols/symbol-request.ts';
import { readKernelSymbols, readProvenance } from '../read/facts/provenance.ts';
import { archiveOf } from '../read/files/find-archive.ts';
import { SymbolFiles, type SymbolSources } from '../read/files/symbol-files.ts';
import { openJitdump, ownerOf, PERF_MAP_ATTACHMENT } from '../read/jit/jit-files.ts';
import { runPipeline } from '../read/open-profile.ts';
import { withSource } from '../read/open-recording.ts';
import type { Pipeline } from '../read/pipeline.ts';
import { copiesStacks } from '../read/unwind/unwind-stacks.ts';
import { asWriteFailure } from '../record/output-file.ts';
import {
  checkReplaceable,
  isTarName,
  ownAs,
  replaceDirectory,
  writeMarker,
  writeTar,
} from './archive-output.ts';
import { copyElf, type Kept } from './copy-elf.ts';

export type ArchiveOptions = SymbolSources & {
  /** A directory, or a tar file by its ending; default: the recording's path and `.symbols`. */
  readonly output?: string;
  /** Files as they are, in place of their symbols and tables. */
  readonly full?: boolean;
  /** Leave out DWARF: names without lines and inlined calls, in a tenth of the room. */
  readonly dwarf?: boolean;
};

/** What was stored where, and what could not be. */
export type Archived = {
  readonly path: string;
  readonly files: number;
  /** As files of the directory; holes count as nothing. */
  readonly bytes: number;
  /** Reasons of diagnostics, one per file that is missing. */
  readonly diagnostics: Diagnostics;
};

const BLOCK_BYTES = 512;
const DELETED = ' (deleted)';

/**
 * Stores what names the samples of the recording at `path`. An earlier archive at the same place is
 * replaced; anything else there is not.
 */
export function archiveRecording(path: string, options: ArchiveOptions = {}): Archived {
  const output = options.output ?? archiveOf(path);
  const isTar = isTarName(output);
  checkReplaceable(output, isTar);
  // In the tar, the name that readers look for.
  const holder = `${output}.unfinished-${process.pid}`;
  const directory = isTar ? join(holder, basename(archiveOf(path))) : holder;
  rmSync(holder, { recursive: true, force: true });
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const archive = new ArchiveWriter(path, directory, options);
    withSource(path, (source) => archive.store(runPipeline(source, path, options)));
    if (isTar) writeTar(holder, output);
    else replaceDirectory(directory, output);
    ownAs(path, output, isTar ? [] : archive.paths(output));
    const { files, bytes, diagnostics } = archive;
    return { path: output, files, bytes, diagnostics };
  } catch (error) {
    throw asWriteFailure(output, error);
  } finally {
    rmSync(holder, { recursive: true, force: true });
  }
}

class ArchiveWriter {
  files = 0;
  bytes = 0;
  readonly diagnostics = new Diagnostics();
  readonly #directory: string;
  readonly #recording: string;
  readonly #options: ArchiveOptions;
  /** Relative to the directory, files and directories. */
  readonly #stored = new Set<string>();

  constructor(recording: string, directory: string, options: ArchiveOptions) {
    this.#recording = recording;
    this.#directory = directory;
    this.#options = options;
  }

  store(pipeline: Pipeline): void {
    const { data, processes, builder } = pipeline;
    const { hostname, osRelease } = data.features;
    const files = new SymbolFiles({
      ...this.#options,
      diagnostics: this.diagnostics,
      pids: () => processes.pids(),
      recordedOn: { hostname, kernel: osRelease },
    });
    const kept: Kept = {
      all: this.#options.full === true,
      dwarf: this.#options.dwarf !== false,
      code: data.attrs.some(({ attr }) => copiesStacks(attr)),
    };
    let hasKernel = readKernelSymbols(readProvenance(data)) !== null;
    for (let index = 0; index < processes.dsos.length; index++) {
      const dso = index as DsoIndex;
      if (builder.frameAddresses(dso).frames.length === 0) continue;
      const key = processes.dsos.key(dso);
      const buildId = processes.dsos.buildId(dso);
      switch (key.kind) {
        case 'user-file':
          this.#storeFile(key, buildId, files, kept);
          break;
        case 'vdso':
          this.#storeBytes('[vdso]', files.provide({ need: 'vdso', dso: key, buildId }));
          break;
        case 'jit':
          if (key.generation === undefined) this.#storeJit(key.pid, pipeline, files);
          break;
        case 'kernel':
        case 'kernel-module':
          if (hasKernel) break;
          hasKernel = true;
          this.#storeKernel(pipeline, files);
      }
    }
    this.#stored.add(writeMarker(this.#directory, this.#recording));
  }

  /** Paths of all that was stored, below `directory`. */
  paths(directory: string): string[] {
    return [...this.#stored].map((path) => join(directory, path));
  }

  #storeFile(
    dso: DsoKey & { kind: 'user-file' },
    buildId: string | null,
    files: SymbolFiles,
    kept: Kept,
  ): void {
    const source = files.provide({ need: 'elf', dso, buildId });
    if (source === null) return;
    try {
      const elf = parseElf(source, this.diagnostics);
      const path = dso.path.endsWith(DELETED) ? dso.path.slice(0, -DELETED.length) : dso.path;
      const place = this.#stored.has(relativePath(path)) ? placeOfBuild(buildId, '') : path;
      this.#copy(source, elf, place, kept);
      if (elf === null) return;
      const wanted: DebugContents[] = kept.dwarf ? ['symbols', 'dwarf'] : ['symbols'];
      for (const contents of wanted) {
        if (!has(elf, contents)) this.#storeDebugFile(elf, dso, contents, files, kept);
      }
      const split = files.provide({ need: 'dwarf-package', dso, buildId: null });
      if (kept.dwarf) this.#storeBytes(`${path}.dwp`, split);
      else split?.close?.();
    } finally {
      source.close?.();
    }
  }

  #storeDebugFile(
    elf: ElfFile,
    dso: DsoKey,
    contents: DebugContents,
    files: SymbolFiles,
    kept: Kept,
  ): void {
    const debug = findDebugFile(elf, dso, files.provide, this.diagnostics, contents);
    if (debug === null) return;
    const alt = kept.dwarf ? findAltFile(debug.elf, dso, files.provide, this.diagnostics) : null;
    try {
      this.#copyByBuildId(debug, kept);
      if (alt !== null) this.#copyByBuildId(alt, kept);
    } finally {
      debug.source.close?.();
      alt?.source.close?.();
    }
  }

  /** Debug files without a build ID are found by a checksum of all bytes, and so only here. */
  #copyByBuildId({ elf, source }: DebugFile, kept: Kept): void {
    const buildId = readBuildId(elf, this.diagnostics);
    if (buildId === null) this.diagnostics.count('debug file without a build ID, not stored');
    else this.#copy(source, elf, placeOfBuild(buildId, '.debug'), kept);
  }

  /** What the recording does not hold itself. */
  #storeJit(pid: number, { data, processes }: Pipeline, files: SymbolFiles): void {
    const { diagnostics } = this;
    const dumps = processes.jitdumps.get(pid) ?? [];
    for (const path of dumps) {
      const owners = ownerOf(this.#recording);
      this.#storeBytes(path, openJitdump(path, pid, { ...this.#options, diagnostics, owners }));
    }
    const isStored = readAppendix(data).some(({ name }) => name === `${PERF_MAP_ATTACHMENT}${pid}`);
    if (isStored || [...dumps].some((path) => this.#stored.has(relativePath(path)))) return;
    const dso = { kind: 'jit', pid } as const;
    const map = files.provide({ need: 'perf-map', dso, buildId: null });
    this.#storeBytes(`/tmp/perf-${pid}.map`, map);
  }

  #storeKernel({ processes }: Pipeline, files: SymbolFiles): void {
    const dso: DsoKey = { kind: 'kernel' };
    const buildId = processes.dsos.buildId(processes.dsos.intern(dso));
    this.#storeBytes('/proc/kallsyms', files.provide({ need: 'kallsyms', dso, buildId }));
  }

  #storeBytes(path: string, source: SymbolSource | null): void {
    if (source === null) return;
    try {
      this.#copy(source, null, path, { all: true, code: true, dwarf: true });
    } finally {
      source.close?.();
    }
  }

  #copy(source: SymbolSource, elf: ElfFile | null, path: string | null, kept: Kept): void {
    if (path === null) return;
    const place = relativePath(path);
    if (this.#stored.has(place)) return;
    const target = join(this.#directory, place);
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    copyElf(source, elf, target, kept);
    for (let part = place; part !== '.'; part = posix.dirname(part)) this.#stored.add(part);
    this.files++;
    this.bytes += statSync(target).blocks * BLOCK_BYTES;
  }
}

/** A path of the recorded machine below the archive; `..` leads nowhere. */
function relativePath(path: string): string {
  return posix.normalize(`/${path}`).slice(1);
}

function placeOfBuild(buildId: string | null, ending: string): string | null {
  if (buildId === null) return null;
  return `/usr/lib/debug/.build-id/${buildId.slice(0, 2)}/${buildId.slice(2)}${ending}`;
}
