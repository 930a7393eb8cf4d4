// Hot: once per symbol of a file that occurs in the profile.

import type { Diagnostics } from '../../base/diagnostics.ts';
import { GrowableFloat64, GrowableInt32, GrowableUint8 } from '../../base/growable-columns.ts';
import { readAddress, readU64 } from '../../base/u64.ts';
import type { ElfFile } from './elf-file.ts';
import { type ElfSection, sectionFileBytes } from './sections.ts';
import { type SymbolStrings, stringSectionOf } from './symbol-strings.ts';

/** Symbols of one section that passed the filter, in file order. */
export type SymbolColumns = {
  readonly length: number;
  /** `st_value`, signed form. */
  readonly value: Float64Array;
  /** `st_size` in bytes; 0 where the assembler was not told. */
  readonly size: Float64Array;
  /** `st_info`: binding in the upper four bits, type in the lower. */
  readonly info: Uint8Array;
  /** Offset of the name in `strings`. */
  readonly nameOffset: Int32Array;
  readonly strings: SymbolStrings;
};

/** True keeps the symbol. Called for every symbol with a name. */
export type SymbolFilter = (
  type: number,
  visibility: number,
  sectionIndex: number,
  nameOffset: number,
  strings: SymbolStrings,
) => boolean;

/** Ten times what the largest programs have; a table that claims more is read up to here. */
export const MAX_SYMBOLS = 5_000_000;

const SYM32_SIZE = 16;
const SYM64_SIZE = 24;
const SYMBOLS_PER_READ = 16 * 1024;
/** Symbols that are shown at once where few of them are kept: their memory is garbage at once. */
const SYMBOLS_IN_VIEW = 4 * 1024;
/** Room at first for symbols of which few are picked. */
const FEW = 64;

/**
 * The symbols of `.symtab` or `.dynsym` that `filter` wants, read a window at a time.
 *
 *   struct Elf64_Sym {     struct Elf32_Sym {
 *     u32 st_name;  // 0     u32 st_name;  //  0
 *     u8  st_info;  // 4     u32 st_value; //  4
 *     u8  st_other; // 5     u32 st_size;  //  8
 *     u16 st_shndx; // 6     u8  st_info;  // 12
 *     u64 st_value; // 8     u8  st_other; // 13
 *     u64 st_size;  // 16    u16 st_shndx; // 14
 *   };                     };
 */
export class SymbolSection {
  readonly strings: SymbolStrings;
  readonly #elf: ElfFile;
  readonly #section: ElfSection;
  readonly #filter: SymbolFilter;
  readonly #stride: number;
  readonly #count: number;

  constructor(elf: ElfFile, section: ElfSection, filter: SymbolFilter, diagnostics: Diagnostics) {
    this.#elf = elf;
    this.#section = section;
    this.#filter = filter;
    this.#stride = elf.header.is64 ? SYM64_SIZE : SYM32_SIZE;
    this.strings = stringSectionOf(elf, section, diagnostics);
    const inFile = Math.floor(sectionFileBytes(section, elf.source) / this.#stride);
    const stated = section.isCompressed ? 0 : Math.floor(section.size / this.#stride);
    this.#count = Math.min(stated, inFile, MAX_SYMBOLS);
    if (this.#count < stated) {
      diagnostics.count('elf-symbol-table-cut', `${stated} stated, ${this.#count} read`);
    }
  }

  readAll(): SymbolColumns {
    // Columns that grow are copied again and again, and memory seen first costs more than what is read into it.
    const columns = new ColumnRoom(this.#count);
    for (let base = 0; base < this.#count; base += SYMBOLS_PER_READ) {
      this.#read(base, SYMBOLS_PER_READ, columns);
    }
    return columns.finish(this.strings);
  }

  /** Shows the symbols in pieces, which are valid and may be written into until `see` returns. */
  #visit(see: (window: SymbolColumns) => void): void {
    const columns = new ColumnRoom(Math.min(this.#count, SYMBOLS_IN_VIEW));
    for (let base = 0; base < this.#count; base += SYMBOLS_IN_VIEW) {
      columns.length = 0;
      this.#read(base, SYMBOLS_IN_VIEW, columns);
      see(columns.finish(this.strings));
    }
  }

  /** The symbols whose rows `pick` names in each window. */
  readPicked(pick: (window: SymbolColumns) => Uint32Array): SymbolColumns {
    const value = new GrowableFloat64(FEW);
    const size = new GrowableFloat64(FEW);
    const info = new GrowableUint8(FEW);
    const nameOffset = new GrowableInt32(FEW);
    this.#visit((window) => {
      for (const row of pick(window)) {
        value.push(window.value[row]);
        size.push(window.size[row]);
        info.push(window.info[row]);
        nameOffset.push(window.nameOffset[row]);
      }
    });
    return {
      length: value.length,
      value: value.finish(),
      size: size.finish(),
      info: info.finish(),
      nameOffset: nameOffset.finish(),
      strings: this.strings,
    };
  }

  /** Adds `most` symbols from the symbol `base` on. */
  #read(base: number, most: number, columns: ColumnRoom): void {
    const { source, header } = this.#elf;
    const stride = this.#stride;
    const wanted = Math.min(most, this.#count - base);
    const bytes = source.read(this.#section.offset + base * stride, wanted * stride);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const { is64, littleEndian } = header;
    readWindow(view, is64, littleEndian, columns, this.strings, this.#filter);
    source.recycle?.(bytes);
  }
}

/** The symbols of a section that `filter` wants, all at once. */
export function readSymbolColumns(
  elf: ElfFile,
  section: ElfSection,
  filter: SymbolFilter,
  diagnostics: Diagnostics,
): SymbolColumns {
  return new SymbolSection(elf, section, filter, diagnostics).readAll();
}

/** Buffers that gather the columns, with room for all symbols of the section. */
class ColumnRoom {
  length = 0;
  readonly value: Float64Array;
  readonly size: Float64Array;
  readonly info: Uint8Array;
  readonly nameOffset: Int32Array;

  constructor(room: number) {
    this.value = new Float64Array(room);
    this.size = new Float64Array(room);
    this.info = new Uint8Array(room);
    this.nameOffset = new Int32Array(room);
  }

  finish(strings: SymbolStrings): SymbolColumns {
    const { length } = this;
    return {
      length,
      value: this.value.subarray(0, length),
      size: this.size.subarray(0, length),
      info: this.info.subarray(0, length),
      nameOffset: this.nameOffset.subarray(0, length),
      strings,
    };
  }
}

/** Adds the symbols of a window that `filter` wants. */
function readWindow(
  view: DataView,
  is64: boolean,
  littleEndian: boolean,
  columns: ColumnRoom,
  strings: SymbolStrings,
  filter: SymbolFilter,
): void {
  const stride = is64 ? SYM64_SIZE : SYM32_SIZE;
  const end = view.byteLength - stride;
  const { value, size, info, nameOffset } = columns;
  let { length } = columns;
  for (let at = 0; at <= end; at += stride) {
    const name = view.getUint32(at, littleEndian);
    if (name === 0 || name > 0x7fff_ffff) continue;
    const infoByte = view.getUint8(at + (is64 ? 4 : 12));
    const visibility = view.getUint8(at + (is64 ? 5 : 13)) & 3;
    const sectionIndex = view.getUint16(at + (is64 ? 6 : 14), littleEndian);
    if (!filter(infoByte & 15, visibility, sectionIndex, name, strings)) continue;
    value[length] = is64
      ? readAddress(view, at + 8, littleEndian)
      : view.getUint32(at + 4, littleEndian);
    size[length] = is64
      ? readU64(view, at + 16, littleEndian)
      : view.getUint32(at + 8, littleEndian);
    info[length] = infoByte;
    nameOffset[length] = name;
    length++;
  }
  columns.length = length;
}
