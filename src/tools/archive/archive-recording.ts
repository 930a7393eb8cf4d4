import { ftruncateSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { ByteSource } from '../../base/byte-source.ts';
import { Diagnostics } from '../../base/diagnostics.ts';
import { readBuildId } from '../../code/elf/build-id.ts';
import { type ElfFile, parseElf } from '../../code/elf/elf-file.ts';
import { type KeptSections, namingRanges } from '../../code/elf/naming-ranges.ts';
import type { DsoIndex, DsoKey } from '../../code/process/types.ts';
import {
  type DebugContents,
  type DebugFile,
  findAltFile,
  findDebugFile,
  has,
} from '../../code/symbols/debug-file.ts';
import type { SymbolSource } from '../../code/symbols/symbol-request.ts';
import { readAppendix } from '../../formats/perf-data/appendix.ts';
import type { ARCHIVE } from '../../options/archive.ts';
import type { OptionsOf } from '../../options/option.ts';
import { readKernelSymbols, readProvenance } from '../../read/facts/provenance.ts';
import type { FileSource } from '../../read/files/fd-source.ts';
import { archiveOf } from '../../read/files/find-archive.ts';
import { SymbolFiles } from '../../read/files/symbol-files.ts';
import { CODE_EVENTS_ATTACHMENT, PERF_MAP_ATTACHMENT } from '../../read/jit/attachment-names.ts';
import { jitdumpAttachment } from '../../read/jit/dump-name.ts';
import { openJitdump, ownersOfFile } from '../../read/jit/jit-files.ts';
import { runPipeline, scriptFilesOf } from '../../read/open-profile.ts';
import { withSource } from '../../read/open-recording.ts';
import type { Pipeline } from '../../read/pipeline.ts';
import { completesStacks } from '../../read/unwind/unwind-stacks.ts';
import { actAs, type FileIdentity } from '../../system/accounts/file-identity.ts';
import { systemAccounts } from '../../system/accounts/system-accounts.ts';
import { openRegular } from '../../system/files/open-regular.ts';
import { asWriteFailure, writeFully } from '../../system/files/output-file.ts';
import { ArchiveOutput } from './archive-output.ts';

export type ArchiveOptions = OptionsOf<typeof ARCHIVE> & {
  /** Hears of the share of the recording that was read, then of its programs that were stored, 0 … 1. */
  readonly onArchiving?: (stage: 'records' | 'files', share: number) => void;
};

/** The places of what was stored, and what could not be. */
export type Archived = {
  readonly path: string;
  readonly files: number;
  /** Bytes of the directory's files; holes count as nothing. */
  readonly bytes: number;
  /** Reasons of diagnostics, one per file that is missing. */
  readonly diagnostics: Diagnostics;
};

const DELETED = ' (deleted)';
const SCRIPT = /\.(?:[cm]?[jt]sx?|map|vue|svelte|astro|mdx?)$/;

/**
 * Stores what names the samples of the recording at `path`. An earlier archive at the same place is
 * replaced; anything else there is not.
 */
export function archiveRecording(path: string, options: ArchiveOptions = {}): Archived {
  return withSource(path, (source) => {
    const owner = ownerOfRecording(source);
    if (owner === null) return archiveSource(source, path, options, null);
    return actAs(owner, () => archiveSource(source, path, options, owner));
  });
}

function archiveSource(
  source: FileSource,
  path: string,
  options: ArchiveOptions,
  owner: FileIdentity | null,
): Archived {
  const name = options.output ?? archiveOf(path);
  const { onArchiving } = options;
  const onShare = onArchiving && ((share: number) => onArchiving('records', share));
  let output: ArchiveOutput | null = null;
  try {
    // In the tar, the name that readers look for.
    output = ArchiveOutput.create(name, basename(archiveOf(path)), owner);
    const archive = new ArchiveWriter(path, output, options);
    const pipeline = runPipeline(source, path, options, onShare);
    archive.store(pipeline);
    archive.storeScripts(scriptFilesOf(pipeline, path, options));
    output.finish(path);
    const { files, bytes } = output;
    return { path: name, files, bytes, diagnostics: archive.diagnostics };
  } catch (error) {
    throw asWriteFailure(name, error);
  } finally {
    output?.close();
  }
}

/**
 * Whom root acts for: the owner of the recording. The recording names its files, and whoever has written
 * it may have chosen them: what goes into the archive is what its owner may read. Null: ourselves.
 */
function ownerOfRecording({ owner }: FileSource): FileIdentity | null {
  if (process.geteuid?.() !== 0 || owner === undefined || owner.uid === 0) return null;
  const { uid, gid } = owner;
  return { uid, gid, groups: systemAccounts().byUid(uid)?.groups ?? [] };
}

class ArchiveWriter {
  readonly diagnostics = new Diagnostics();
  readonly #output: ArchiveOutput;
  readonly #recording: string;
  readonly #options: ArchiveOptions;

  constructor(recording: string, output: ArchiveOutput, options: ArchiveOptions) {
    this.#recording = recording;
    this.#output = output;
    this.#options = options;
  }

  store(pipeline: Pipeline): void {
    const { data, processes, builder } = pipeline;
    const { hostname, osRelease } = data.features;
    const files = new SymbolFiles({
      ...this.#options,
      diagnostics: this.diagnostics,
      mappingsOf: (dso) => processes.mappingsOf(dso),
      recordedOn: { hostname, kernel: osRelease },
      mustBeRecorded: true,
    });
    const kept: Kept = {
      all: this.#options.full === true,
      dwarf: this.#options.dwarf !== false,
      code: data.attrs.some(({ attr }) => completesStacks(attr)),
    };
    let hasKernel = readKernelSymbols(readProvenance(data)) !== null;
    for (let index = 0; index < processes.dsos.length; index++) {
      this.#options.onArchiving?.('files', index / processes.dsos.length);
      const dso = index as DsoIndex;
      if (builder.frames.addresses(dso).frames.length === 0) continue;
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
  }

  /** Stores scripts, their source maps and sources, with which functions of JavaScript are named. */
  storeScripts(paths: Iterable<string>): void {
    for (const path of paths) {
      // A recording may call any file a script.
      if (!SCRIPT.test(path)) continue;
      const file = openRegular(join(this.#options.symfs ?? '/', path));
      if (typeof file !== 'string') this.#storeBytes(path, file.source);
    }
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
      if (elf === null) {
        // A recording may say that any file was mapped as code: a key, or the passwords of the machine.
        this.diagnostics.count('archive-file-not-elf', dso.path);
        return;
      }
      const path = dso.path.endsWith(DELETED) ? dso.path.slice(0, -DELETED.length) : dso.path;
      const place = this.#output.has(path) ? placeOfBuild(buildId, '') : path;
      this.#copy(source, elf, place, kept);
      const wanted: DebugContents[] = kept.dwarf ? ['symbols', 'dwarf'] : ['symbols'];
      for (const contents of wanted) {
        if (!has(elf, contents)) this.#storeDebugFile(elf, dso, contents, files, kept);
      }
      if (kept.dwarf) this.#storePackage(`${path}.dwp`, dso, files);
    } finally {
      source.close?.();
    }
  }

  #storePackage(path: string, dso: DsoKey, files: SymbolFiles): void {
    const split = files.provide({ need: 'dwarf-package', dso, buildId: null });
    if (split !== null && parseElf(split, this.diagnostics) !== null) this.#storeBytes(path, split);
    else split?.close?.();
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
    if (buildId === null) this.diagnostics.count('archive-debug-file-without-build-id');
    else this.#copy(source, elf, placeOfBuild(buildId, '.debug'), kept);
  }

  /** Stores files of JITs that the recording does not hold itself. */
  #storeJit(pid: number, { data, processes }: Pipeline, files: SymbolFiles): void {
    const { diagnostics } = this;
    const dumps = processes.jitdumps.get(pid) ?? [];
    const names = new Set(readAppendix(data).map(({ name }) => name));
    for (const path of dumps) {
      if (names.has(jitdumpAttachment(pid, basename(path)))) continue;
      const owners = ownersOfFile(this.#recording);
      this.#storeBytes(path, openJitdump(path, pid, { ...this.#options, diagnostics, owners }));
    }
    const stored = [PERF_MAP_ATTACHMENT, CODE_EVENTS_ATTACHMENT];
    if (stored.some((kind) => names.has(`${kind}${pid}`))) return;
    if ([...dumps].some((path) => this.#output.has(path))) return;
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
    if (this.#output.has(path)) return;
    this.#output.add(path, (fd) => copyElf(source, elf, fd, kept));
  }
}

function placeOfBuild(buildId: string | null, ending: string): string | null {
  if (buildId === null) return null;
  return `/usr/lib/debug/.build-id/${buildId.slice(0, 2)}/${buildId.slice(2)}${ending}`;
}

/** Parts of a file that go into the archive, besides its symbols and unwinding tables. */
type Kept = KeptSections & {
  /** Everything, byte by byte. */
  readonly all: boolean;
};

const WINDOW_BYTES = 1 << 20;

/** Copies `source` to the new file `fd`, with holes for what is not kept. */
function copyElf(source: ByteSource, elf: ElfFile | null, fd: number, kept: Kept): void {
  const ranges = kept.all || elf === null ? null : namingRanges(elf, kept);
  if (ranges === null) {
    copyRange(source, fd, 0, source.size);
    return;
  }
  for (const { offset, size } of ranges) copyRange(source, fd, offset, size);
  ftruncateSync(fd, source.size);
}

function copyRange(source: ByteSource, fd: number, offset: number, size: number): void {
  for (let at = offset; at < offset + size; at += WINDOW_BYTES) {
    const bytes = source.read(at, Math.min(WINDOW_BYTES, offset + size - at));
    if (bytes.length === 0) return;
    writeFully(fd, bytes, at);
  }
}
