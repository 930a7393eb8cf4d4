import { type FileAddress, NONE } from '../../base/brand.ts';
import type { Diagnostics } from '../../base/diagnostics.ts';
import { GrowableFloat64, GrowableInt32 } from '../../base/growable-columns.ts';
import { joinFloats } from '../../base/join-bytes.ts';
import { sortedOrder, valuesAt } from '../../base/sorted-order.ts';
import {
  EM_AARCH64,
  EM_ARM,
  PT_LOAD,
  SHF_ALLOC,
  SHN_ABS,
  SHN_UNDEF,
  SHT_NOBITS,
  STB_GLOBAL,
  STT_FUNC,
  STT_GNU_IFUNC,
  STT_NOTYPE,
  STT_OBJECT,
  STV_HIDDEN,
  STV_INTERNAL,
} from '../elf/constants.ts';
import { type ElfFile, findDynsym, findSymtab } from '../elf/elf-file.ts';
import { type PltEntry, readPlt } from '../elf/plt.ts';
import type { ElfSection } from '../elf/sections.ts';
import { type SymbolColumns, type SymbolFilter, SymbolSection } from '../elf/symbol-columns.ts';
import { NearRows } from './near-rows.ts';
import { buildSymbolTable, endOfPageAfter, type SymbolRows } from './symbol-rules.ts';
import { EMPTY_SYMBOL_TABLE, NO_SYMBOL, type SymbolTable } from './symbol-table.ts';

/** A mangled name as it should be shown; the name itself where it is not mangled. */
export type Demangle = (name: string) => string;

/** Functions that a file reports elsewhere than in its symbols, in ascending order. */
export type FunctionBounds = {
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly nameOf: (row: number) => string;
};

/**
 * The symbols of a mapped file, at the addresses written in it. `.symtab` and `.dynsym` are joined,
 * PLT stubs are named `target@plt`. `debug` is the file that holds the `.symtab` of a stripped one, and
 * `findOthers` gives the functions that have no symbol, those near to the only addresses that are asked for.
 * `wanted`: no other address, as written in the file, will be asked for.
 */
export function loadElfSymbols(
  elf: ElfFile,
  debug: ElfFile | null,
  demangle: Demangle,
  diagnostics: Diagnostics,
  wanted: Float64Array | null = null,
  findOthers: (wanted: Float64Array | null) => FunctionBounds | null = () => null,
): SymbolTable {
  const symtabOwner = findSymtab(elf) === null && debug !== null ? debug : elf;
  const tables = [
    { owner: symtabOwner, section: findSymtab(symtabOwner) },
    { owner: elf, section: findDynsym(elf) },
  ].flatMap(({ owner, section }) =>
    section === null ? [] : [new SymbolSection(owner, section, codeSymbols(owner), diagnostics)],
  );
  const plt = readPlt(elf, diagnostics, wanted);
  const isThumb = elf.header.machine === EM_ARM;
  // Addresses of Thumb functions are not those that their symbols state.
  const needed = wanted && withResolvers(wanted, plt);
  const parts =
    needed === null || isThumb
      ? tables.map((table) => table.readAll())
      : readNear(tables, needed, plt);
  let table = EMPTY_SYMBOL_TABLE;
  // A stub to an IFUNC is called after the function that chooses the implementation; by the time
  // a name is asked for, the table can tell what that is.
  const stubName = (entry: PltEntry): string => pltName(entry, table, demangle);
  const symbols = joinRows(parts, plt, isThumb, demangle, stubName);
  const others = findOthers(needed);
  const all = others === null ? symbols : withOthers(symbols, others);
  table = tableOf(needed === null ? all : pickRows(all, needed), elf);
  return table;
}

/** The symbols of each table that decide about the `wanted` addresses; no table is in memory as a whole. */
function readNear(
  tables: readonly SymbolSection[],
  wanted: Float64Array,
  plt: readonly PltEntry[],
): SymbolColumns[] {
  const near = new NearRows(wanted);
  const stubs = Float64Array.from(plt, ({ start }) => start);
  near.noteStarts(stubs, plt.length);
  const parts = tables.map((table) =>
    table.readPicked(({ value, size, length }) => near.pickLikely(value, size, length)),
  );
  const stubEnds = Float64Array.from(plt, ({ end }) => end);
  near.noteEnds(stubs, stubEnds, plt.length);
  for (const { value, size, length } of parts) {
    const ends = value.map((start, row) => start + size[row]);
    near.noteEnds(value, ends, length);
  }
  if (!near.hasReaching) return parts;
  return tables.map((table) => table.readPicked(({ value, length }) => near.pick(value, length)));
}

/** A scope of its own: what a function of it refers to stays with the names, and the columns need not. */
function tableOf(rows: SymbolRows, elf: ElfFile): SymbolTable {
  const limits = new SectionLimits(elf);
  return buildSymbolTable(rows, (row, next) => {
    const start = rows.start[row];
    const end = next === NONE ? endOfPageAfter(start) : rows.start[next];
    return Math.min(end, limits.endAround(start));
  });
}

/**
 * The symbols that perf loads: functions, IFUNCs and objects that are defined in a loaded section, and labels
 * (untyped symbols, as assembler code has) in text and data sections. ARM's mapping symbols ($x at
 * code, $d at data, perhaps with a suffix) mark encodings, not functions.
 */
function codeSymbols(elf: ElfFile): SymbolFilter {
  const isArm = elf.header.machine === EM_ARM || elf.header.machine === EM_AARCH64;
  const isLoaded = elf.sections.map((section) => (section.flags & SHF_ALLOC) !== 0);
  const takesLabels = elf.sections.map(
    ({ name }) => name.includes('text') || name.includes('data'),
  );
  return (type, visibility, section, nameOffset, strings) => {
    if (section === SHN_UNDEF || section === SHN_ABS || !isLoaded[section]) return false;
    if (type === STT_NOTYPE) {
      if (visibility === STV_HIDDEN || visibility === STV_INTERNAL) return false;
      if (!takesLabels[section]) return false;
    } else if (type !== STT_FUNC && type !== STT_GNU_IFUNC && type !== STT_OBJECT) {
      return false;
    }
    return !(isArm && isMappingSymbol(strings, nameOffset));
  };
}

function isMappingSymbol(strings: SymbolColumns['strings'], offset: number): boolean {
  if (strings.byteAt(offset) !== 0x24) return false;
  const third = strings.byteAt(offset + 2);
  return (
    'adtx'.includes(String.fromCharCode(strings.byteAt(offset + 1))) &&
    (third === 0 || third === 0x2e)
  );
}

/** One table of rows out of symbol columns and PLT entries; names stay where they are. */
function joinRows(
  parts: readonly SymbolColumns[],
  plt: readonly PltEntry[],
  isThumb: boolean,
  demangle: Demangle,
  stubName: (entry: PltEntry) => string,
): SymbolRows {
  const symbols = parts.reduce((sum, part) => sum + part.length, 0);
  const length = symbols + plt.length;
  const start = new Float64Array(length);
  const end = new Float64Array(length);
  const binding = new Uint8Array(length);
  const bases: number[] = [];
  let row = 0;
  for (const part of parts) {
    bases.push(row);
    const { value, size, info } = part;
    for (let i = 0; i < part.length; i++, row++) {
      // The lowest bit of a Thumb function's address is a flag.
      const stated = value[i];
      const address = isThumb && stated % 2 === 1 ? stated - 1 : stated;
      start[row] = address;
      end[row] = address + size[i];
      binding[row] = info[i] >> 4;
    }
  }
  for (const entry of plt) {
    start[row] = entry.start;
    end[row] = entry.end;
    binding[row] = STB_GLOBAL;
    row++;
  }
  // The other columns of the parts may go, and the room for symbols that were left out.
  const names = parts.map(({ nameOffset, strings }) => ({
    nameOffset: nameOffset.slice(),
    strings,
  }));
  const nameOf = (index: number): string => {
    if (index >= symbols) return stubName(plt[index - symbols]);
    let p = names.length - 1;
    while (index < bases[p]) p--;
    const { nameOffset, strings } = names[p];
    return strings.at(nameOffset[index - bases[p]]);
  };
  return { length, start, end, binding, nameOf, shownNameOf: (index) => demangle(nameOf(index)) };
}

/**
 * The rows, and those of `others` that begin in no symbol: a symbol counts for more, so that none of them
 * reaches beyond the start of the next symbol either.
 */
function withOthers(symbols: SymbolRows, others: FunctionBounds): SymbolRows {
  const { length } = symbols;
  const order = sortedOrder(symbols.start, length);
  const starts = valuesAt(symbols.start, order);
  const kept = new GrowableInt32();
  const ends = new GrowableFloat64();
  let next = 0;
  let covered = Number.NEGATIVE_INFINITY;
  for (let row = 0; row < others.start.length; row++) {
    const at = others.start[row];
    for (; next < length && starts[next] <= at; next++) {
      // A symbol without a size covers its first byte.
      covered = Math.max(covered, starts[next] + 1, symbols.end[order[next]]);
    }
    const end = Math.min(others.end[row], next < length ? starts[next] : Number.POSITIVE_INFINITY);
    if (at < covered || !(end > at)) continue;
    kept.push(row);
    ends.push(end);
  }
  const rows = kept.finish();
  const start = joinFloats(symbols.start, valuesAt(others.start, rows));
  const end = joinFloats(symbols.end, ends.finish());
  const binding = new Uint8Array(start.length);
  binding.set(symbols.binding);
  const nameOf = joinNames(symbols.nameOf, length, others.nameOf, rows);
  const shownNameOf = joinNames(symbols.shownNameOf, length, others.nameOf, rows);
  return { length: start.length, start, end, binding, nameOf, shownNameOf };
}

/** A scope of its own, as `tableOf` is: names stay with the table, columns that were joined need not. */
function joinNames(
  nameOf: SymbolRows['nameOf'],
  length: number,
  nameOfOther: FunctionBounds['nameOf'],
  others: Int32Array,
): SymbolRows['nameOf'] {
  return (row) => (row < length ? nameOf(row) : nameOfOther(others[row - length]));
}

/** The addresses in ascending order, with those at which `pltName` looks for names. */
function withResolvers(wanted: Float64Array, plt: readonly PltEntry[]): Float64Array {
  const resolvers = plt.flatMap(({ resolver }) => (resolver === NONE ? [] : [resolver]));
  return joinFloats(wanted, Float64Array.from(resolvers)).sort();
}

/** The rows that decide about the `wanted` addresses. */
function pickRows(rows: SymbolRows, wanted: Float64Array): SymbolRows {
  const finder = new NearRows(wanted);
  finder.noteStarts(rows.start, rows.length);
  finder.noteEnds(rows.start, rows.end, rows.length);
  const near = finder.pick(rows.start, rows.length);
  const { length } = near;
  const start = new Float64Array(length);
  const end = new Float64Array(length);
  const binding = new Uint8Array(length);
  for (let i = 0; i < length; i++) {
    const row = near[i];
    start[i] = rows.start[row];
    end[i] = rows.end[row];
    binding[i] = rows.binding[row];
  }
  const nameOf = (index: number) => rows.nameOf(near[index]);
  return { length, start, end, binding, nameOf, shownNameOf: (i) => rows.shownNameOf(near[i]) };
}

function pltName(entry: PltEntry, table: SymbolTable, demangle: Demangle): string {
  const { target, resolver, start } = entry;
  if (target === null) return '.plt';
  if (target !== '') return `${demangle(target)}@plt`;
  const index = resolver === NONE ? NO_SYMBOL : table.find(resolver);
  if (index !== NO_SYMBOL && table.start(index) === resolver) {
    return `${demangle(table.name(index))}@plt`;
  }
  return `offset_0x${start.toString(16)}@plt`;
}

/** The ends of sections: no symbol without a size reaches further, whatever lies behind. */
class SectionLimits {
  readonly #sections: readonly ElfSection[];
  #last: ElfSection | null = null;

  constructor({ sections }: ElfFile) {
    this.#sections = sections.filter(({ flags, size }) => (flags & SHF_ALLOC) !== 0 && size > 0);
  }

  /** End of the section that `address` is in; infinity where it is in none. */
  endAround(address: number): number {
    // Symbols come by address: mostly the section is the last one's.
    if (this.#last === null || !holds(this.#last, address)) {
      this.#last = this.#sections.find((section) => holds(section, address)) ?? null;
    }
    return this.#last === null ? Number.POSITIVE_INFINITY : this.#last.address + this.#last.size;
  }
}

function holds({ address: start, size }: ElfSection, address: number): boolean {
  return address >= start && address < start + size;
}

/**
 * Address in the file's own terms of the byte at `fileOffset`, through the segment that loads it:
 *
 *   file address = file offset − p_offset + p_vaddr
 *
 * Segments of one file differ in p_vaddr − p_offset (linkers pad between them), so one bias for the
 * whole file is wrong. Modules and objects have no segments; there the sections serve.
 */
export class SegmentMap {
  readonly #offsets: number[] = [];
  readonly #ends: number[] = [];
  readonly #biases: number[] = [];

  constructor(elf: ElfFile) {
    for (const { type, offset, fileSize, address } of elf.programHeaders) {
      if (type !== PT_LOAD || fileSize === 0) continue;
      this.#add(offset, fileSize, address);
    }
    if (this.#offsets.length > 0) return;
    for (const { flags, type, offset, size, address } of elf.sections) {
      if ((flags & SHF_ALLOC) !== 0 && type !== SHT_NOBITS) this.#add(offset, size, address);
    }
  }

  /** `fileOffset` itself where no segment holds it. */
  toFileAddress(fileOffset: number): FileAddress {
    for (let i = 0; i < this.#offsets.length; i++) {
      if (fileOffset >= this.#offsets[i] && fileOffset < this.#ends[i]) {
        return (fileOffset + this.#biases[i]) as FileAddress;
      }
    }
    return fileOffset as FileAddress;
  }

  #add(offset: number, size: number, address: number): void {
    this.#offsets.push(offset);
    this.#ends.push(offset + size);
    this.#biases.push(address - offset);
  }
}
