import { NONE } from '../../base/brand.ts';
import { Diagnostics } from '../../base/diagnostics.ts';
import { getOrMake } from '../../base/group-by.ts';
import { isPlaceName } from '../../base/place-name.ts';
import { printable } from '../../base/printable.ts';
import type { PieceOfCode } from '../../code/disassembly/code-part.ts';
import type { CodeLocation } from '../../code/disassembly/types.ts';
import { pathOfScript } from '../../code/javascript/script-path.ts';
import type { SourceMaps } from '../../code/javascript/source-map.ts';
import { parseV8Name } from '../../code/javascript/v8-name.ts';
import type { DsoTable } from '../../code/process/dso-table.ts';
import { DsoLines } from '../../code/symbols/dso-lines.ts';
import { Symbolizer } from '../../code/symbols/symbolizer.ts';
import type { OpenProfileOptions, SymbolSources } from '../../options/reading.ts';
import { isKindOfCode } from '../../profile/frame-level.ts';
import type { DsoIndex, Profile } from '../../profile/types.ts';
import { SymbolFiles, type SymbolFilesOptions } from '../files/symbol-files.ts';
import { boundedDecoders, boundedXz } from '../files/unpack-budget.ts';
import { columnIn } from '../jit/place-frame.ts';
import {
  type CodeDump,
  type CodeObject,
  type CodeObjects,
  openCodeDump,
  type StoredDumps,
} from './code-dump.ts';
import { demangler } from './demangler.ts';
import { type CodeFile, openCodeFile } from './file-code.ts';
import { type KernelCode, openKernelCode, type RecordedKernel } from './kernel-code.ts';

export type CodeSourcesOptions = {
  /** The recording. */
  readonly path: string;
  readonly dsos: DsoTable;
  readonly mappingsOf: NonNullable<SymbolFilesOptions['mappingsOf']>;
  readonly sources: Pick<OpenProfileOptions, keyof SymbolSources | 'maxUnpacked'>;
  readonly kernel: Omit<RecordedKernel, 'buildId'>;
  /** The recording's own list of kernel symbols; null if it has none. */
  readonly kernelSymbols: () => Uint8Array | null;
  /** Null where nothing is known of JIT code. */
  readonly codeObjects: CodeObjects | null;
  /** The jitdumps that the recording keeps. */
  readonly storedDumps: StoredDumps;
  /** Source maps of the scripts whose code it is; null: lines are those of the code that V8 ran. */
  readonly sourceMaps: SourceMaps | null;
};

/** The code around one frame. */
export type CodeAt = PieceOfCode & {
  /** Tells sources of code apart, in which starts may be equal. */
  readonly source: string;
  /** The address at which the code begins, as frames have their addresses; `start` is the same as it is shown. */
  readonly from: number;
};

const NOWHERE = 'These addresses are in no mapping of the recording, so their code is unknown.';
const FOLDED =
  'Functions of one kind are shown as one here: at the level of all frames each has its code.';
const NAMES_ONLY = 'The JIT wrote the names of its code, not the code.';
const NAMES_OF_V8 =
  'The recording has the names of this code, not the code: perf-ts record --jitdump -- COMMAND keeps both.';
const UNNAMED_JIT =
  'No jitdump of this process is at hand, which would have the code that its JIT made.';

/**
 * The sources of the code of a recording's frames: mapped files, the vDSO, the running kernel,
 * jitdumps. To be closed. What can't be had is a sentence that says why; it is looked for once.
 */
export class CodeSources {
  readonly #options: CodeSourcesOptions;
  readonly #profile: Profile;
  readonly #files = new Map<DsoIndex, CodeFile | string>();
  readonly #dumps = new Map<string, CodeDump | string>();
  #kernel: KernelCode | string | null = null;
  readonly #symbols: Symbolizer;
  #lines: DsoLines | null = null;

  /** `symbols` outlive the sources: they are read once for all functions. */
  constructor(options: CodeSourcesOptions, profile: Profile, symbols: Symbolizer) {
    this.#options = options;
    this.#symbols = symbols;
    this.#profile = profile;
  }

  /** The code around a row of the frame table. */
  find(frame: number): CodeAt | string {
    const dso = this.#profile.frames.dso[frame] as DsoIndex;
    const address = this.#profile.frames.address[frame];
    if ((dso as number) === NONE) return this.#isKind(frame) ? FOLDED : NOWHERE;
    const key = this.#options.dsos.key(dso);
    switch (key.kind) {
      case 'user-file':
      case 'vdso':
        return this.#inFile(dso, address);
      case 'kernel':
      case 'kernel-module':
        return this.#inKernel(dso, address);
      case 'jit':
        return this.#inJit(frame, key.pid);
      case 'bpf':
        return 'The machine code of a BPF program is in the kernel only.';
      case 'guest':
        return 'This is code of a virtual machine, whose memory is not here.';
      case 'unknown':
        return `${printable(key.name)} is no file with code.`;
    }
  }

  close(): void {
    for (const opened of [...this.#files.values(), ...this.#dumps.values(), this.#kernel]) {
      if (opened !== null && typeof opened !== 'string') opened.close();
    }
    this.#lines?.close();
  }

  #isKind(frame: number): boolean {
    const { frames, funcs, strings } = this.#profile;
    const func = frames.func[frame];
    return isKindOfCode(strings[funcs.name[func]], funcs.dso[func]);
  }

  #inFile(dso: DsoIndex, address: number): CodeAt | string {
    const { dsos, mappingsOf, sources, kernel, path } = this.#options;
    const code = getOrMake(this.#files, dso, () => {
      const options = { ...sources, mappingsOf, recordedOn: kernel.machine };
      return openCodeFile(dsos.key(dso), dsos.buildId(dso), options, path);
    });
    if (typeof code === 'string') return `${printable(code)}.`;
    const symbol = this.#symbols.extentAt(dso, address);
    const range = symbol ?? code.rangeAt(address);
    if (range === null) {
      return 'No symbol and no frame table covers these addresses, so where an instruction begins is not known.';
    }
    const { start: from, end } = range;
    return {
      source: String(dso),
      name: symbol?.name ?? '[unknown]',
      extent: symbol === null || isPlaceName(symbol.name) ? 'frame table' : 'symbol',
      architecture: code.architecture,
      from,
      start: code.toFileAddress(from),
      size: end - from,
      read: (offset, length) => code.read(from + offset, length),
      nameAt: (at) => nameWithOffset(this.#symbols.resolveFileAddress(dso, at), at),
      locate: (offset) => this.#lineOf(dso, from + offset),
    };
  }

  #inKernel(dso: DsoIndex, address: number): CodeAt | string {
    const { dsos, kernel } = this.#options;
    const buildId = dsos.buildId(dsos.intern({ kind: 'kernel' }));
    this.#kernel ??= openKernelCode({ ...kernel, buildId });
    if (typeof this.#kernel === 'string') return `${printable(this.#kernel)}.`;
    const code = this.#kernel;
    const symbol = this.#symbols.extentAt(dso, address);
    if (symbol === null) return 'No symbol of the kernel covers these addresses.';
    const { name, start, end } = symbol;
    if (!code.hasFunction(start, end)) {
      return `The kernel that runs now has no ${printable(name)} there: it was loaded anew since the recording.`;
    }
    return {
      source: 'kernel',
      name,
      extent: 'symbol',
      architecture: code.architecture,
      from: start,
      start,
      size: end - start,
      read: (offset, length) => code.read(start + offset, length),
      nameAt: (at) => code.nameAt(at),
      locate: () => null,
    };
  }

  #inJit(frame: number, pid: number): CodeAt | string {
    const { codeObjects, sources, path, storedDumps } = this.#options;
    const index = codeObjects?.ofFrame[frame] ?? NONE;
    const object = codeObjects?.list[index];
    if (object === undefined) return UNNAMED_JIT;
    const { row, start, end, name, dump } = object;
    if (dump === null) return parseV8Name(name) ? NAMES_OF_V8 : NAMES_ONLY;
    const key = `${pid} ${dump}`;
    const code = getOrMake(this.#dumps, key, () =>
      openCodeDump(dump, pid, { ...sources, recording: path, stored: storedDumps }),
    );
    if (typeof code === 'string') return `${printable(code)}.`;
    if (!code.has(object)) {
      return `${printable(dump)} is another one by now, without the code that was recorded.`;
    }
    return {
      source: `${key} ${row}`,
      name,
      extent: 'jitdump',
      architecture: code.architecture,
      from: start,
      start,
      size: end - start,
      read: (offset, length) => code.read(row, offset, length),
      nameAt: () => '',
      locate: (offset) => this.#jitLine(code, object, offset),
    };
  }

  #lineOf(dso: DsoIndex, offset: number): CodeLocation | null {
    const { dsos, mappingsOf, sources, kernel } = this.#options;
    if (this.#lines === null) {
      const diagnostics = new Diagnostics();
      const files = new SymbolFiles({ ...sources, diagnostics, mappingsOf });
      const demangleCpp = demangler(diagnostics);
      const decoders = boundedDecoders(sources.maxUnpacked ?? null);
      this.#lines = new DsoLines({
        dsos,
        provider: files.provide,
        decoders,
        demangleCpp,
        diagnostics,
        kernelReference: kernel.reference,
      });
    }
    const lines = this.#lines;
    const count = lines.find(dso, offset);
    if (count === 0) return null;
    const file = lines.file(0);
    const line = lines.frames.line[0];
    const inlined: string[] = [];
    for (let row = 0; row < count - 1; row++) inlined.push(lines.name(row) || '[unknown]');
    return file === '' && inlined.length === 0 ? null : { file, line, inlined };
  }

  /** Lines that the JIT gave, in the original source, as frames have them. */
  #jitLine(code: CodeDump, { row, start, name }: CodeObject, offset: number): CodeLocation | null {
    const found = code.line(row, start + offset);
    if (found === null || printable(found.file) !== found.file) return null;
    const column = Math.max(1, columnIn(found, found.inlined ?? name));
    const inlined = found.inlined === undefined ? [] : [parseV8Name(found.inlined)?.name ?? ''];
    const map = this.#options.sourceMaps?.find(found.file) ?? null;
    const original = map?.find(found.line, column, '') ?? null;
    const file = pathOfScript(original?.source ?? found.file);
    return { file, line: original?.line ?? found.line, inlined };
  }
}

/** Names and extents; files are opened at the first address in them. */
export function createCodeSymbolizer(options: CodeSourcesOptions): Symbolizer {
  const { dsos, mappingsOf, sources, kernel, kernelSymbols } = options;
  const recordedKernel = sources.kallsyms === undefined ? kernelSymbols() : null;
  // What is wrong with them was counted when frames were named.
  const diagnostics = new Diagnostics();
  return new Symbolizer({
    dsos,
    provider: new SymbolFiles({
      ...sources,
      diagnostics,
      mappingsOf,
      recordedOn: kernel.machine,
    }).provide,
    demangleCpp: demangler(diagnostics),
    diagnostics,
    xz: boundedXz(sources.maxUnpacked ?? null),
    ...(recordedKernel !== null && { recordedKernel }),
    kernelReference: kernel.reference,
  });
}

function nameWithOffset(
  symbol: { readonly name: string; readonly symbolStart: number } | null,
  address: number,
): string {
  if (symbol === null) return '';
  const offset = address - symbol.symbolStart;
  return offset === 0 ? symbol.name : `${symbol.name}+0x${offset.toString(16)}`;
}
