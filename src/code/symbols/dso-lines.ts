import { NONE } from '../../base/brand.ts';
import { getOrMake } from '../../base/group-by.ts';
import { describeError, isSystemError } from '../../base/system-error.ts';
import { DwarfFile, SourceFrames } from '../dwarf/dwarf-file.ts';
import type { SectionProvider } from '../dwarf/sections.ts';
import { newUnitRoom } from '../dwarf/unit-list.ts';
import { readBuildId } from '../elf/build-id.ts';
import { type ElfFile, parseElf } from '../elf/elf-file.ts';
import { openSection, type SectionDecoders } from '../elf/section-bytes.ts';
import { findGoTable } from '../golang/find-go-table.ts';
import { GoLines } from '../golang/go-lines.ts';
import type { DsoIndex, DsoKey } from '../process/types.ts';
import { findAltFile, findDebugFile, has } from './debug-file.ts';
import { demangleAll } from './demangle.ts';
import { dsoText } from './dso-symbols.ts';
import { SegmentMap } from './elf-symbols.ts';
import { FoundBuilder } from './found-frames.ts';
import { kernelImageShift } from './kernel-image.ts';
import type { RememberedNames } from './name-memory.ts';
import type { SymbolProvider, SymbolSource } from './symbol-request.ts';
import type { SymbolizerOptions } from './symbolizer.ts';

/** Places to look in for a split file. */
const MAX_ATTEMPTS = 16;

/** The request for the code of each kind of DSO. Modules are relocatable files, whose DWARF is not linked. */
const NEED_OF_KIND: { readonly [kind in DsoKey['kind']]?: 'elf' | 'kernel-image' | 'vdso' } = {
  'user-file': 'elf',
  kernel: 'kernel-image',
  vdso: 'vdso',
};

/** Options as a symbolizer has them; without a reference of the kernel it has no lines. */
export type DsoLinesOptions = Pick<
  SymbolizerOptions,
  'dsos' | 'provider' | 'demangleCpp' | 'diagnostics' | 'kernelReference' | 'memory'
> & { readonly decoders: SectionDecoders };

/** Texts of one file by index, and how they are shown. */
type Texts = {
  readonly at: (index: number) => string;
  /** Demangled, as far as they were asked for. */
  readonly shown: string[];
};

/** Lines and inlined calls of one file, from whatever has them there. */
type SourceLines = Pick<DwarfFile, 'find' | 'strings'>;

type OpenLines = {
  readonly file: SourceLines;
  /** Converts from the form of `Symbolizer.resolve` to the file's own. */
  readonly toFileAddress: (address: number) => number;
  /** The places of the linker's stubs: pairs of first address and end. */
  readonly stubs: readonly number[];
  readonly texts: Texts;
};

/** Remembered finds of one DSO, and those found beyond. */
type Memory = {
  readonly names: RememberedNames;
  readonly texts: Texts;
  found: FoundBuilder | null;
  /** Nothing went wrong so far. */
  isSound: boolean;
};

/**
 * Lines and inlined calls for addresses in DSOs. DWARF is looked for in the file itself, then in its
 * separate debug file, at the first address of a DSO; failures are remembered too. Files stay open
 * until `close`, since their sections are read when they are needed.
 */
export class DsoLines {
  /** The last find of `find`. Its indexes are for `name` and `file`. */
  readonly frames = new SourceFrames();
  readonly #options: DsoLinesOptions;
  readonly #open = new Map<DsoIndex, OpenLines | null>();
  readonly #sources: { close?(): void }[] = [];
  readonly #memories = new Map<DsoIndex, Memory | null>();
  readonly #unitRoom = newUnitRoom();
  #last: Texts | null = null;

  constructor(options: DsoLinesOptions) {
    this.#options = options;
  }

  /** False for kinds of code that have no DWARF: `find` would find nothing. */
  canHave(dso: DsoIndex): boolean {
    return NEED_OF_KIND[this.#options.dsos.key(dso).kind] !== undefined;
  }

  /**
   * The functions at `address`, in the form of `Symbolizer.resolve`, into `frames`, innermost first;
   * returns how many, 0 where nothing is known.
   */
  find(dso: DsoIndex, address: number): number {
    const memory = this.#memoryOf(dso);
    if (memory === null) return this.#findInDwarf(dso, address);
    const { known } = memory.names;
    const row = known?.find(address) ?? NONE;
    if (known !== null && row !== NONE) {
      this.#last = memory.texts;
      return known.copyFrames(row, this.frames);
    }
    const { diagnostics } = this.#options;
    const calls = diagnostics.calls;
    const count = this.#findInDwarf(dso, address);
    if (diagnostics.calls !== calls) memory.isSound = false;
    memory.found ??= new FoundBuilder(known);
    memory.found.add(address, this.frames, count, this.#last?.at);
    return count;
  }

  #findInDwarf(dso: DsoIndex, address: number): number {
    const dwarf = getOrMake(this.#open, dso, () => this.#openDso(dso));
    this.#last = dwarf?.texts ?? null;
    if (dwarf === null) return 0;
    const fileAddress = dwarf.toFileAddress(address);
    // No unit has them, and to find that out every unit would be read.
    if (isIn(dwarf.stubs, fileAddress)) return 0;
    try {
      return dwarf.file.find(fileAddress, this.frames);
    } catch (error) {
      if (!isSystemError(error)) throw error;
      this.#noteUnreadable(dso, error);
      this.#open.set(dso, null);
      return 0;
    }
  }

  #memoryOf(index: DsoIndex): Memory | null {
    let memory = this.#memories.get(index);
    if (memory === undefined) {
      const { dsos, provider, memory: recalls } = this.#options;
      const names =
        recalls?.recall('lines', dsos.key(index), dsos.buildId(index), provider) ?? null;
      const texts = { at: (text: number) => names?.known?.texts.at(text) ?? '', shown: [] };
      memory = names && { names, texts, found: null, isSound: true };
      this.#memories.set(index, memory);
    }
    return memory;
  }

  /** Demangled name of row `row` of `frames`; empty where it is not known. */
  name(row: number): string {
    const { at, shown } = this.#last as Texts;
    const index = this.frames.name[row];
    let name = shown[index];
    if (name === undefined) {
      name = demangleAll([at(index)], this.#options.demangleCpp)[0];
      shown[index] = name;
    }
    return name;
  }

  /** Path of row `row` of `frames`; empty where it is not known. */
  file(row: number): string {
    return (this.#last as Texts).at(this.frames.file[row]);
  }

  /** Closes the files; what was found in them is remembered. */
  close(): void {
    for (const memory of this.#memories.values()) {
      if (memory?.found && memory.isSound) memory.names.keep(memory.found.finish());
      memory?.names.close();
    }
    this.#memories.clear();
    for (const source of this.#sources) source.close?.();
    this.#sources.length = 0;
    this.#open.clear();
  }

  #openDso(index: DsoIndex): OpenLines | null {
    const { dsos } = this.#options;
    const provider = this.#memoryOf(index)?.names.provide ?? this.#options.provider;
    const dso = dsos.key(index);
    const need = NEED_OF_KIND[dso.kind];
    if (need === undefined) return null;
    const buildId = dsos.buildId(index);
    const source = provider({ need, dso, buildId });
    if (source === null) return null;
    this.#sources.push(source);
    try {
      return this.#openElf(source, dso, buildId, provider);
    } catch (error) {
      this.#noteUnreadable(index, error);
      return null;
    }
  }

  #noteUnreadable(index: DsoIndex, error: unknown): void {
    const { dsos, diagnostics } = this.#options;
    const why = { cause: 'failed', message: describeError(error) } as const;
    diagnostics.count({ code: 'lines-missing', subject: dsoText(dsos.key(index)), why });
  }

  #openElf(
    source: SymbolSource,
    dso: DsoKey,
    buildId: string | null,
    provider: SymbolProvider,
  ): OpenLines | null {
    const { diagnostics } = this.#options;
    const elf = parseElf(source, diagnostics);
    if (elf === null) return null;
    // Lines of another build would be wrong; the symbolizer has counted it.
    if (buildId !== null && readBuildId(elf, diagnostics) !== buildId) return null;
    const toFileAddress = this.#addressMap(elf, dso);
    if (toFileAddress === null) return null;
    const file = this.#findDwarf(elf, dso, provider) ?? this.#findGoLines(elf);
    if (file === null) return null;
    const texts = { at: (text: number) => file.strings.strings[text], shown: [] };
    return { file, toFileAddress, stubs: stubRanges(elf), texts };
  }

  #findGoLines(elf: ElfFile): GoLines | null {
    const found = findGoTable(elf, this.#options.diagnostics);
    return found && new GoLines(elf, found);
  }

  #findDwarf(elf: ElfFile, dso: DsoKey, provider: SymbolProvider): DwarfFile | null {
    const { diagnostics } = this.#options;
    let debug = elf;
    if (!has(elf, 'dwarf')) {
      const found = findDebugFile(elf, dso, provider, diagnostics, 'dwarf');
      if (found === null) return null;
      this.#sources.push(found.source);
      debug = found.elf;
    }
    return new DwarfFile({
      sections: this.#sectionsOf(debug),
      littleEndian: debug.header.littleEndian,
      diagnostics,
      unitRoom: this.#unitRoom,
      alternate: () => this.#openAlternate(debug, dso, provider),
      split: {
        dwo: ({ dwoName, compilationDirectory }) =>
          this.#openSplit(dso, dwoName, compilationDirectory, provider),
        dwp: () => this.#openSource(provider({ need: 'dwarf-package', dso, buildId: null })),
        own: () => (debug === elf ? [elf] : [debug, elf]).map((own) => this.#sectionsOf(own)),
      },
    });
  }

  #addressMap(elf: ElfFile, dso: DsoKey): OpenLines['toFileAddress'] | null {
    if (dso.kind !== 'kernel') {
      const segments = new SegmentMap(elf);
      return (address) => segments.toFileAddress(address);
    }
    const { kernelReference, diagnostics } = this.#options;
    const shift = kernelImageShift(elf, kernelReference, diagnostics);
    return shift === null ? null : (address) => address - shift;
  }

  #openAlternate(debug: ElfFile, dso: DsoKey, provider: SymbolProvider): SectionProvider | null {
    const { diagnostics } = this.#options;
    const found = findAltFile(debug, dso, provider, diagnostics);
    if (found === null) return null;
    this.#sources.push(found.source);
    return this.#sectionsOf(found.elf);
  }

  /** The first candidate that is an ELF file; that it is the right one shows by its unit's id. */
  #openSplit(
    dso: DsoKey,
    name: string,
    compDir: string,
    provider: SymbolProvider,
  ): SectionProvider | null {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const source = provider({ need: 'split-dwarf', dso, buildId: null, compDir, name, attempt });
      if (source === null) return null;
      const sections = this.#openSource(source);
      if (sections !== null) return sections;
    }
    return null;
  }

  #openSource(source: SymbolSource | null): SectionProvider | null {
    if (source === null) return null;
    this.#sources.push(source);
    const elf = parseElf(source, this.#options.diagnostics);
    return elf === null ? null : this.#sectionsOf(elf);
  }

  #sectionsOf(elf: ElfFile): SectionProvider {
    const { diagnostics, decoders } = this.#options;
    return (name) => {
      const section = openSection(elf, name, diagnostics, decoders);
      if (section?.close !== undefined) this.#sources.push(section);
      return section;
    };
  }
}

/** Sections that linkers make of stubs: `.plt`, `.plt.got`, `.plt.sec`, `.iplt`. */
function stubRanges(elf: ElfFile): number[] {
  const stubs: number[] = [];
  for (const { name, address, size } of elf.sections) {
    if (/^\.i?plt(\.|$)/.test(name)) stubs.push(address, address + size);
  }
  return stubs;
}

function isIn(ranges: readonly number[], address: number): boolean {
  for (let i = 0; i < ranges.length; i += 2) {
    if (address >= ranges[i] && address < ranges[i + 1]) return true;
  }
  return false;
}
