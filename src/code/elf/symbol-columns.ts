// Hot: once per symbol of a file that occurs in the profile.

import type { Diagnostics } from '../../base/diagnostics.ts';
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

/**
 * Reads `.symtab` or `.dynsym`, a window at a time, keeping what `filter` wants.
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
export function readSymbolColumns(
  elf: ElfFile,
  section: ElfSection,
  filter: SymbolFilter,
  diagnostics: Diagnostics,
): SymbolColumns {
  const { is64, littleEndian } = elf.header;
  const stride = is64 ? SYM64_SIZE : SYM32_SIZE;
  const strings = stringSectionOf(elf, section, diagnostics);
  const inFile = Math.floor(sectionFileBytes(section, elf.source) / stride);
  const stated = section.isCompressed ? 0 : Math.floor(section.size / stride);
  const count = Math.min(stated, inFile, MAX_SYMBOLS);
  if (count < stated) {
    diagnostics.count('elf-symbol-table-cut', `${stated} stated, ${count} read`);
  }
  // Columns that grow are copied again and again, and memory seen first costs more than what is read into it.
  const columns = new ColumnRoom(count);
  for (let base = 0; base < count; base += SYMBOLS_PER_READ) {
    const wanted = Math.min(SYMBOLS_PER_READ, count - base);
    const bytes = elf.source.read(section.offset + base * stride, wanted * stride);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    readWindow(view, is64, littleEndian, columns, strings, filter);
    elf.source.recycle?.(bytes);
  }
  return columns.finish(strings);
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
