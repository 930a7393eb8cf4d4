import type { ByteSource } from '../../base/byte-source.ts';
import type { Diagnostics } from '../../base/diagnostics.ts';
import { describeError } from '../../base/system-error.ts';
import { readBuildId } from '../elf/build-id.ts';
import { type ElfFile, findSymtab, parseElf } from '../elf/elf-file.ts';
import type { Decompress } from '../elf/section-bytes.ts';
import { heldStrings } from '../elf/symbol-strings.ts';
import { findGoTable } from '../golang/find-go-table.ts';
import type { DsoKey } from '../process/types.ts';
import { findDebugFile, readMiniDebugInfo } from './debug-file.ts';
import { type Demangle, loadElfSymbols, SegmentMap } from './elf-symbols.ts';
import { findFrameBounds } from './frame-bounds.ts';
import { OpenSymbolFile } from './open-symbol-file.ts';
import type { SymbolProvider, SymbolSource } from './symbol-request.ts';
import { SymbolTable } from './symbol-table.ts';

/** The symbols of one DSO, with what turns a frame's address into the table's terms. */
export type DsoSymbols = {
  readonly table: SymbolTable;
  /** Null where addresses are absolute on both sides. */
  readonly segments: SegmentMap | null;
  /** No list of all functions is in the file or in a debug file: only what it exports and imports has names. */
  readonly isStripped: boolean;
  /** The build ID in the file; null where it has none, or there is no file. */
  readonly buildId: string | null;
  /** Equal for files of equal content: the build ID, else which file it is. Null where others may have other symbols. */
  readonly content: string | null;
  /** Memory that the table takes, about. */
  readonly bytes: number;
  /** False: the table has the symbols at the addresses that were wanted alone. */
  readonly isWhole: boolean;
  /**
   * Files that names are read from when they are asked for; whoever has the symbols looks at them
   * and closes them.
   */
  readonly held: readonly OpenSymbolFile[];
};

/** Facts about code that is in no file. */
const NO_FILE = {
  segments: null,
  isStripped: false,
  buildId: null,
  content: null,
  bytes: 0,
  isWhole: true,
  held: [],
};

/** Bytes of a symbol in its table: begin, end, order, aliases, place of the name. */
const BYTES_OF_SYMBOL = 26;
/** Bytes beside these of a function that has no symbol: its row, and what it is named by. */
const BYTES_OF_OTHER = 12;

export type DsoSymbolsContext = {
  readonly provider: SymbolProvider;
  readonly demangle: Demangle;
  readonly diagnostics: Diagnostics;
  /** Null where there is none: `.gnu_debugdata` stays unread. */
  readonly xz: Decompress | null;
  /** The only addresses in a file that will be asked for, in the form of `Symbolizer.resolve`; null: any. */
  readonly wanted: Float64Array | null;
  /** True: large tables of names stay in their files, which stay open. */
  readonly holdsFiles: boolean;
  /** Symbols that were loaded of a file with `content`. */
  readonly sameContent: (content: string) => DsoSymbols | undefined;
  /** Kernel and modules share one list, loaded at the first need. */
  readonly kallsyms: () => SymbolTable | null;
};

/** Loads the symbols of `dso`; null, with the reason counted, if there are none to be had. */
export function loadDsoSymbols(
  dso: DsoKey,
  buildId: string | null,
  context: DsoSymbolsContext,
): DsoSymbols | null {
  switch (dso.kind) {
    case 'kernel':
    case 'kernel-module': {
      const table = context.kallsyms();
      return table && { ...NO_FILE, table };
    }
    case 'bpf':
      return { ...NO_FILE, table: singleSymbol(dso.name) };
    case 'user-file':
    case 'vdso':
      return loadFile(dso, buildId, context);
    case 'jit':
    case 'guest':
    case 'unknown':
      return null;
  }
}

function loadFile(
  dso: DsoKey,
  buildId: string | null,
  context: DsoSymbolsContext,
): DsoSymbols | null {
  const { provider, diagnostics } = context;
  const need = dso.kind === 'vdso' ? 'vdso' : 'elf';
  const source = provider({ need, dso, buildId });
  if (source === null) return null;
  const open = new OpenFiles(context.holdsFiles);
  try {
    const elf = parseElf(open.add(source), diagnostics);
    const found = elf && readBuildId(elf, diagnostics);
    if (elf !== null && buildId !== null && found !== buildId) {
      diagnostics.count('file-of-other-build', dsoText(dso));
    }
    if (elf === null || (buildId !== null && found !== buildId)) {
      open.closeAll();
      return null;
    }
    const content = found ?? versionText(source);
    const same = content === null ? undefined : context.sameContent(content);
    if (same !== undefined) {
      open.closeAll();
      return same;
    }
    // Whoever has mapped a file that only he can reach may be gone the next time.
    const isOutOfReach = context.holdsFiles && source.file?.path.startsWith('/proc/') === true;
    const symbols = loadElf(elf, open, dso, isOutOfReach ? { ...context, wanted: null } : context);
    return {
      ...symbols,
      buildId: found,
      // Another file of the build may have the symbols that this one was stripped of.
      content: symbols.isStripped || !symbols.isWhole ? null : content,
      held: open.closeUnheld(),
    };
  } catch (error) {
    open.closeAll();
    const why = { cause: 'failed', message: describeError(error) } as const;
    diagnostics.count({ code: 'names-missing', subject: dsoText(dso), why });
    return null;
  }
}

/** The files that symbols are read from, as the reader gets them. */
class OpenFiles {
  readonly #holds: boolean;
  readonly #files: (OpenSymbolFile | SymbolSource)[] = [];

  constructor(holds: boolean) {
    this.#holds = holds;
  }

  add(source: SymbolSource): ByteSource {
    const file = (this.#holds ? OpenSymbolFile.of(source) : null) ?? source;
    this.#files.push(file);
    return file;
  }

  /** Closes those of which nothing is held; the others. */
  closeUnheld(): OpenSymbolFile[] {
    const held: OpenSymbolFile[] = [];
    for (const file of this.#files) {
      if (file instanceof OpenSymbolFile && file.isHeld) held.push(file);
      else file.close?.();
    }
    return held;
  }

  closeAll(): void {
    for (const file of this.#files) file.close?.();
  }
}

function loadElf(
  elf: ElfFile,
  open: OpenFiles,
  dso: DsoKey,
  { provider, demangle, diagnostics, xz, wanted, holdsFiles }: DsoSymbolsContext,
): Pick<DsoSymbols, 'table' | 'segments' | 'isStripped' | 'bytes' | 'isWhole'> {
  const hasSymtab = findSymtab(elf) !== null;
  const debug = hasSymtab ? null : findDebugFile(elf, dso, provider, diagnostics);
  const separate = debug && { ...debug.elf, source: open.add(debug.source) };
  const owner = separate ?? (hasSymtab ? null : readMiniDebugInfo(elf, xz, diagnostics));
  const segments = new SegmentMap(elf);
  const go = hasSymtab || owner !== null ? null : findGoTable(elf, diagnostics);
  // A table of Go's is read as a whole for one address as well.
  const isWhole = wanted === null || (holdsFiles && go !== null);
  const inFile = isWhole ? null : wanted.map((address) => segments.toFileAddress(address));
  const isStripped = !hasSymtab && owner === null && go === null;
  const goText = go && heldStrings(elf, go.range);
  let otherCount = 0;
  const findOthers = (needed: Float64Array | null) => {
    const bounds = isStripped ? findFrameBounds(elf, diagnostics, needed) : null;
    const others = go?.table.functions(goText ?? undefined) ?? bounds;
    otherCount = others?.start.length ?? 0;
    return others;
  };
  const table = loadElfSymbols(elf, owner, demangle, diagnostics, inFile, findOthers);
  const goBytes = goText === null ? (go?.table.byteLength ?? 0) : 0;
  const bytes = BYTES_OF_SYMBOL * table.length + BYTES_OF_OTHER * otherCount + goBytes;
  return { table, segments, isStripped, bytes, isWhole };
}

/** The file and its state in words; null where the source is no file. */
function versionText({ file }: SymbolSource): string | null {
  if (file === undefined) return null;
  const { dev, inode, size, modifiedMs, changedMs } = file.version;
  return [dev, inode, size, modifiedMs, changedMs].join(' ');
}

/** A table in which every address has the same name. */
function singleSymbol(name: string): SymbolTable {
  const everywhere = 2 ** 63;
  return new SymbolTable(Float64Array.of(-everywhere), Float64Array.of(everywhere), () => name);
}

/** The DSO in words, for messages. */
export function dsoText(dso: DsoKey): string {
  switch (dso.kind) {
    case 'user-file':
      return dso.path;
    case 'jit':
      return `perf map of ${dso.pid}`;
    case 'kernel':
    case 'vdso':
      return `[${dso.kind}]`;
    case 'kernel-module':
    case 'bpf':
    case 'guest':
    case 'unknown':
      return dso.name;
  }
}

/** `address` of a frame in `symbols`' DSO, in the terms of its table. */
export function toTableAddress(symbols: DsoSymbols, address: number): number {
  return symbols.segments === null ? address : symbols.segments.toFileAddress(address);
}
