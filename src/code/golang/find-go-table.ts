import type { Diagnostics } from '../../base/diagnostics.ts';
import { readU64 } from '../../base/u64.ts';
import { PF_X, PT_DYNAMIC, PT_LOAD, SHT_NOBITS } from '../elf/constants.ts';
import { bytesAt, type ElfFile } from '../elf/elf-file.ts';
import type { FileRange } from '../elf/naming-ranges.ts';
import { GoTable, HEADER_BYTES, isMagic, isTableHeader } from './go-table.ts';

/** Bytes of a table: Kubernetes' largest program has 40 MB. */
const MAX_TABLE_BYTES = 256 * 2 ** 20;
/** Bytes that are searched for a table or for what points to it. */
const MAX_SEARCHED_BYTES = 512 * 2 ** 20;
const WINDOW_BYTES = 1 << 20;
/** Places that look like a table, or like module data, and are looked at. */
const MAX_CANDIDATES = 64;
/** Tables that are read before the search ends: only a crafted file has more than one. */
const MAX_TABLES = 4;

const TABLE_SECTION = /^(\.data\.rel\.ro)?\.gopclntab$/;
/** Sections that a Go linker makes, one of which a program has that another linker put together. */
const GO_SECTION = /^\.(go\.buildinfo|note\.go\.buildid|go\.module)$/;

const DT_RELA = 7;
const DT_RELASZ = 8;
const RELA_BYTES = 24;

/** Words of module data (`moduledata` in runtime/symtab.go, from Go 1.18 on) from its start. */
const MODULE = { table: 0, names: 1, text: 22 } as const;
const FUNCDATA_WORD = { 18: 38, 20: 40 } as const;
const MODULE_WORDS = 41;

/** Go's table in a file, with what lies elsewhere. */
export type FoundGoTable = {
  readonly table: GoTable;
  /** File address that offsets of funcdata count from; null where it is not known. */
  readonly funcdata: number | null;
  /** The table in the file. */
  readonly range: FileRange;
};

type Place = FileRange & { readonly address: number };

/**
 * Go's table of functions in `elf`: by the section's name, else, in a Go program that another linker put
 * together and in one without sections, by its first bytes. Null if there is none.
 */
export function findGoTable(elf: ElfFile, diagnostics: Diagnostics): FoundGoTable | null {
  const named = elf.sections.filter(
    ({ name, type }) => TABLE_SECTION.test(name) && type !== SHT_NOBITS,
  );
  let tables = 0;
  for (const place of named.length > 0 ? named : searchTables(elf)) {
    if (!isTableHeader(elf.source.read(place.offset, HEADER_BYTES)) || ++tables > MAX_TABLES)
      continue;
    if (place.size > MAX_TABLE_BYTES && named.length > 0) {
      diagnostics.count('elf-section-too-large', `.gopclntab: ${place.size} bytes`);
      continue;
    }
    const size = Math.min(place.size, MAX_TABLE_BYTES);
    const table = GoTable.parse(elf.source.read(place.offset, size));
    if (table === null) continue;
    const range = { offset: place.offset, size };
    if (table.version < 18) return { table, funcdata: 0, range };
    const module = findModule(elf, table, place.address);
    if (module !== null) table.text = module.text;
    // A program that is loaded anywhere has its addresses in relocations.
    if (table.text !== 0) return { table, funcdata: module?.funcdata ?? null, range };
  }
  return null;
}

/** Loaded parts of the file without code. */
function dataOf(elf: ElfFile): Place[] {
  return elf.programHeaders
    .filter(({ type, flags, fileSize }) => type === PT_LOAD && (flags & PF_X) === 0 && fileSize > 0)
    .map(({ offset, address, fileSize }) => ({ offset, address, size: fileSize }));
}

function* searchTables(elf: ElfFile): Generator<Place> {
  const { sections, header } = elf;
  if (sections.length > 0 && !sections.some(({ name }) => GO_SECTION.test(name))) return;
  for (const part of dataOf(elf)) {
    for (const at of searchWords(elf, part, 4, header.littleEndian, isMagic)) {
      yield { offset: part.offset + at, address: part.address + at, size: part.size - at };
    }
  }
}

/** Offsets in `part` of the aligned words of 4 or 8 bytes that `isWanted`. */
function* searchWords(
  { source }: ElfFile,
  { offset, size }: FileRange,
  wordBytes: 4 | 8,
  littleEndian: boolean,
  isWanted: (word: number) => boolean,
): Generator<number> {
  let found = 0;
  const end = Math.min(size, MAX_SEARCHED_BYTES);
  for (let at = 0; at < end; at += WINDOW_BYTES) {
    const bytes = source.read(offset + at, Math.min(WINDOW_BYTES, end - at));
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let i = 0; i + wordBytes <= bytes.length; i += wordBytes) {
      const word =
        wordBytes === 4 ? view.getUint32(i, littleEndian) : readU64(view, i, littleEndian);
      if (!isWanted(word)) continue;
      yield at + i;
      if (++found === MAX_CANDIDATES) return;
    }
    source.recycle?.(bytes);
  }
}

type Module = { readonly text: number; readonly funcdata: number };

/**
 * The runtime's description of the program, whose first words point to the table and to its names. In a
 * program that is loaded anywhere, those words are written by relocations and may be 0 in the file.
 */
function findModule(elf: ElfFile, table: GoTable, tableAddress: number): Module | null {
  const { pointerBytes, littleEndian, version } = table;
  const isTable = (word: number) => word === tableAddress;
  const relocations = readRelocations(elf, tableAddress);
  for (const part of dataOf(elf)) {
    for (const at of searchWords(elf, part, pointerBytes, littleEndian, isTable)) {
      const module = readModule(part.address + at);
      if (module !== null) return module;
    }
  }
  for (const address of relocations.pointers) {
    const module = readModule(address);
    if (module !== null) return module;
  }
  return null;

  function readModule(address: number): Module | null {
    const bytes = bytesAt(elf, address, MODULE_WORDS * pointerBytes);
    if (bytes === null || bytes.length < MODULE_WORDS * pointerBytes) return null;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const word = (index: number): number => {
      const at = index * pointerBytes;
      const written = relocations.at(address + at);
      if (written !== null) return written;
      return pointerBytes === 4
        ? view.getUint32(at, littleEndian)
        : readU64(view, at, littleEndian);
    };
    if (word(MODULE.table) !== tableAddress) return null;
    if (word(MODULE.names) !== tableAddress + table.names) return null;
    return {
      text: word(MODULE.text),
      funcdata: word(FUNCDATA_WORD[version as keyof typeof FUNCDATA_WORD]),
    };
  }
}

type Relocations = {
  /** Addresses that `wanted` is written to. */
  readonly pointers: readonly number[];
  /** The address that is written to `address`; null if none is. */
  at(address: number): number | null;
};

/** Addresses that the dynamic linker writes: {u64 to; u64 kind; u64 what}, unsorted. */
function readRelocations(elf: ElfFile, wanted: number): Relocations {
  const bytes = relocationBytes(elf);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const little = elf.header.littleEndian;
  const pointers: number[] = [];
  for (let at = 0; at + RELA_BYTES <= bytes.length; at += RELA_BYTES) {
    if (readU64(view, at + 16, little) !== wanted) continue;
    if (pointers.push(readU64(view, at, little)) === MAX_CANDIDATES) break;
  }
  return {
    pointers,
    at(address) {
      for (let at = 0; at + RELA_BYTES <= bytes.length; at += RELA_BYTES) {
        if (readU64(view, at, little) === address) return readU64(view, at + 16, little);
      }
      return null;
    },
  };
}

/** The relocations with addends that the dynamic section names. Files of 32 bits have the addends in place. */
function relocationBytes(elf: ElfFile): Uint8Array {
  const { programHeaders, header, source } = elf;
  const dynamic = programHeaders.find(({ type }) => type === PT_DYNAMIC);
  if (dynamic === undefined || !header.is64) return new Uint8Array(0);
  const bytes = source.read(dynamic.offset, Math.min(dynamic.fileSize, WINDOW_BYTES));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let address = 0;
  let size = 0;
  for (let at = 0; at + 16 <= bytes.length; at += 16) {
    const tag = readU64(view, at, header.littleEndian);
    if (tag === DT_RELA) address = readU64(view, at + 8, header.littleEndian);
    if (tag === DT_RELASZ) size = readU64(view, at + 8, header.littleEndian);
  }
  return bytesAt(elf, address, Math.min(size, MAX_TABLE_BYTES)) ?? new Uint8Array(0);
}
