import { lastAtMost } from '../../base/bisect.ts';
import { once } from '../../base/once.ts';
import { readU64 } from '../../base/u64.ts';
import { stringAt } from '../elf/string-section.ts';
import type { SymbolStrings } from '../elf/symbol-strings.ts';

/** Table layouts, by the first Go release that writes each. */
export type GoVersion = 2 | 16 | 18 | 20;

const VERSION_OF_MAGIC: { readonly [magic: number]: GoVersion } = {
  4294967291: 2,
  4294967290: 16,
  4294967280: 18,
  4294967281: 20,
};

/** Bytes that `isTableHeader` looks at. */
export const HEADER_BYTES = 8;

/** Functions of one program; the largest known have a tenth of it. */
const MAX_FUNCTIONS = 5_000_000;
/** Functions at the start of the table whose order is checked before the table is believed. */
const CHECKED_FUNCTIONS = 64;
/** Steps that all lookups in one file may take through tables of values: a crafted table makes each long. */
const MAX_STEPS = 2 ** 28;

/** Offsets in a function's record behind its entry; `end` is that of the last word or of the start line. */
const FIELD = { name: 0, pcFile: 16, pcLine: 20, pcdataCount: 24, unit: 28, end: 32 } as const;
/** Index of the table of inlined calls among a function's pcdata and funcdata, from Go 1.16 on. */
const PCDATA_INLINED = 2;
const FUNCDATA_INLINED = 3;
const NO_OFFSET = 0xffffffff;

/**
 * Go's table of functions, `.gopclntab`: it names functions, files and lines for the runtime's own stack
 * traces, so that it stays in a program that has neither symbols nor DWARF.
 *
 *   u32 magic; u8 0, 0; u8 quantum (bytes that instructions are multiples of); u8 pointer bytes
 *   uptr functions
 *   Go 1.2:  { uptr entry; uptr record } [functions]; uptr end; u32 files
 *   Go 1.16: uptr file_count; uptr names, units, files, values, records
 *            records: { uptr entry; uptr record } [functions]; uptr end
 *   Go 1.18: uptr file_count; uptr text (0 from Go 1.26 on); uptr names, units, files, values, records
 *            records: { u32 entry − text; u32 record } [functions]; u32 end − text
 *
 * All offsets count from the table's start, a record's from `records` (Go 1.2: from the table's start, like
 * all others). A function's record, behind the entry that it repeats (uptr; u32 from Go 1.18 on):
 *
 *   u32 name, args, deferreturn, pcsp, pcfile, pcln, pcdata_count
 *   u32 unit        // Go 1.16; row of `units` where the offsets of its files begin
 *   u32 start_line  // Go 1.20
 *   u8 kind, flags, 0, funcdata_count
 *   u32 pcdata[pcdata_count]; funcdata[funcdata_count]   // uptr, aligned; u32 from Go 1.18 on
 *
 * A table of values (pcfile, pcln, pcdata) has pairs of varints: a zigzag difference of the value, and how
 * far it holds, in quanta. It begins at value −1 and ends with a difference of 0.
 *
 * Specification: golang.org/s/go12symtab; runtime/symtab.go and internal/abi/symtab.go of each release.
 */
export class GoTable {
  readonly version: GoVersion;
  readonly functionCount: number;
  readonly pointerBytes: 4 | 8;
  readonly littleEndian: boolean;
  /** Offset of the names, which is what module data points to. */
  readonly names: number;
  /** File address that entries count from; 0 where they are addresses themselves. */
  text: number;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #quantum: number;
  readonly #units: number;
  readonly #files: number;
  readonly #values: number;
  readonly #records: number;
  readonly #rows: number;
  /** Entries of all rows, and the end of the last. */
  readonly #entries = once(() =>
    Float64Array.from({ length: this.functionCount + 1 }, (_, row) => this.entry(row)),
  );
  #steps = 0;

  /** The table at the start of `bytes`; null if none that makes sense is there. */
  static parse(bytes: Uint8Array): GoTable | null {
    if (!isTableHeader(bytes)) return null;
    const table = new GoTable(bytes);
    return table.#isSound() ? table : null;
  }

  private constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.littleEndian = isMagic(this.#view.getUint32(0, true));
    const version = VERSION_OF_MAGIC[this.#view.getUint32(0, this.littleEndian)];
    this.version = version;
    this.#quantum = bytes[6];
    this.pointerBytes = bytes[7] as 4 | 8;
    const word = (index: number) => this.#pointer(8 + index * this.pointerBytes);
    this.functionCount = word(0);
    if (version === 2) {
      this.text = 0;
      this.names = this.#units = this.#values = this.#records = 0;
      this.#rows = 8 + this.pointerBytes;
      this.#files = this.#u32(this.#rows + (2 * this.functionCount + 1) * this.pointerBytes);
      return;
    }
    const first = version === 16 ? 2 : 3;
    this.text = version === 16 ? 0 : word(2);
    [this.names, this.#units, this.#files, this.#values, this.#records] = [0, 1, 2, 3, 4].map(
      (index) => word(first + index),
    );
    this.#rows = this.#records;
  }

  get byteLength(): number {
    return this.#bytes.length;
  }

  /** File address of the first byte of `row`; that of row `functionCount` is the end of the last. */
  entry(row: number): number {
    const at = this.#rows + row * 2 * this.#entryBytes;
    return this.version < 18 ? this.#pointer(at) : this.text + this.#u32(at);
  }

  name(row: number): string {
    return stringAt(this.#bytes, this.#nameOffset(row));
  }

  #nameOffset(row: number): number {
    return this.names + this.#u32(this.#field(row, FIELD.name));
  }

  /** Name at an offset in the names. */
  nameAt(offset: number): string {
    return stringAt(this.#bytes, this.names + offset);
  }

  /**
   * All functions, as rows of a symbol table. They keep `text`, which has the strings at offsets in the table, and
   * nothing else of it.
   */
  functions(text: Pick<SymbolStrings, 'at'> = tableText(this.#bytes)): {
    start: Float64Array;
    end: Float64Array;
    nameOf(row: number): string;
  } {
    const entries = this.#entries();
    const offsets = new Uint32Array(this.functionCount);
    for (let row = 0; row < offsets.length; row++) offsets[row] = this.#nameOffset(row);
    return {
      start: entries.subarray(0, -1),
      end: entries.subarray(1),
      nameOf: namesIn(text, offsets),
    };
  }

  /** The function that covers a file address, −1 if none. */
  find(address: number): number {
    const row = lastAtMost(this.#entries(), address);
    return row < this.functionCount ? row : -1;
  }

  /** Line from 1 at an address in `row`; 0 where none is known. */
  line(row: number, address: number): number {
    const table = this.#u32(this.#field(row, FIELD.pcLine));
    return Math.max(0, this.#valueAt(table, this.entry(row), address));
  }

  /** Path of the file at an address in `row`; empty where none is known. */
  file(row: number, address: number): string {
    const table = this.#u32(this.#field(row, FIELD.pcFile));
    const file = this.#valueAt(table, this.entry(row), address);
    if (file < 0) return '';
    if (this.version === 2) {
      // The first word counts the files, which are numbered from 1.
      return file === 0 || file >= this.#u32(this.#files)
        ? ''
        : stringAt(this.#bytes, this.#u32(this.#files + 4 * file));
    }
    const unit = this.#u32(this.#field(row, FIELD.unit));
    const offset = this.#u32(this.#units + 4 * (unit + file));
    return offset === NO_OFFSET ? '' : stringAt(this.#bytes, this.#files + offset);
  }

  /** Index of the inlined call that an address in `row` lies in, −1 if none. */
  inlinedCall(row: number, address: number): number {
    if (this.version === 2) return -1;
    if (this.#u32(this.#field(row, FIELD.pcdataCount)) <= PCDATA_INLINED) return -1;
    const table = this.#u32(this.#pcdata(row) + 4 * PCDATA_INLINED);
    return this.#valueAt(table, this.entry(row), address);
  }

  /**
   * The word that leads to the inlined calls of `row`: their address, from Go 1.18 on their offset in the
   * module's funcdata. −1 if there are none.
   */
  inlinedCalls(row: number): number {
    const start = this.#pcdata(row);
    if (this.version === 2 || this.#bytes[start - 1] <= FUNCDATA_INLINED) return -1;
    const end = start + 4 * this.#u32(this.#field(row, FIELD.pcdataCount));
    if (this.version >= 18) {
      const offset = this.#u32(end + 4 * FUNCDATA_INLINED);
      return offset === NO_OFFSET ? -1 : offset;
    }
    const aligned = Math.ceil(end / this.pointerBytes) * this.pointerBytes;
    return this.#pointer(aligned + this.pointerBytes * FUNCDATA_INLINED) || -1;
  }

  get #entryBytes(): number {
    return this.version < 18 ? this.pointerBytes : 4;
  }

  /** Offset of the first pcdata offset in the record of `row`, behind the count of funcdata. */
  #pcdata(row: number): number {
    return this.#field(row, FIELD.end) + (this.version === 20 ? 8 : 4);
  }

  #field(row: number, field: number): number {
    const at = this.#rows + (row * 2 + 1) * this.#entryBytes;
    const record = this.version < 18 ? this.#pointer(at) : this.#u32(at);
    return this.#records + record + this.#entryBytes + field;
  }

  #valueAt(table: number, entry: number, address: number): number {
    // A function without such a table has 0 in its place.
    if (table === 0) return -1;
    let at = this.#values + table;
    let end = entry;
    let value = -1;
    const varint = (): number => {
      let result = 0;
      for (let shift = 0; shift < 35; shift += 7) {
        const byte = this.#bytes[at++];
        result |= (byte & 0x7f) << shift;
        if (!(byte >= 0x80)) break;
      }
      return result >>> 0;
    };
    for (let isFirst = true; at < this.#bytes.length; isFirst = false) {
      const difference = varint();
      if ((difference === 0 && !isFirst) || ++this.#steps > MAX_STEPS) return -1;
      value = (value + ((difference >>> 1) ^ -(difference & 1))) | 0;
      end += varint() * this.#quantum;
      if (address < end) return value;
    }
    return -1;
  }

  /** 0 beyond the table's end. */
  #u32(at: number): number {
    return at >= 0 && at + 4 <= this.#bytes.length
      ? this.#view.getUint32(at, this.littleEndian)
      : 0;
  }

  #pointer(at: number): number {
    if (this.pointerBytes === 4) return this.#u32(at);
    return at >= 0 && at + 8 <= this.#bytes.length ? readU64(this.#view, at, this.littleEndian) : 0;
  }

  /** All parts lie in the table, and the first functions are in order and have records. */
  #isSound(): boolean {
    const { functionCount, names } = this;
    const size = this.#bytes.length;
    const parts = [names, this.#units, this.#files, this.#values, this.#records];
    if (!(functionCount > 0 && functionCount <= MAX_FUNCTIONS)) return false;
    if (!parts.every((offset) => offset < size)) return false;
    if (this.#rows + (2 * functionCount + 1) * this.#entryBytes > size) return false;
    for (let row = 0; row < Math.min(functionCount, CHECKED_FUNCTIONS); row++) {
      if (!(this.entry(row) <= this.entry(row + 1)) || this.#pcdata(row) > size) return false;
    }
    return this.entry(functionCount) > this.entry(0) && this.name(0) !== '';
  }
}

/** A scope of its own: a function of `GoTable` refers to all of the table. */
function tableText(bytes: Uint8Array): Pick<SymbolStrings, 'at'> {
  return { at: (offset) => stringAt(bytes, offset) };
}

function namesIn(text: Pick<SymbolStrings, 'at'>, offsets: Uint32Array): (row: number) => string {
  return (row) => text.at(offsets[row]);
}

export function isMagic(word: number): boolean {
  return VERSION_OF_MAGIC[word] !== undefined;
}

/** Whether `bytes` begin like a table. */
export function isTableHeader(bytes: Uint8Array): boolean {
  if (bytes.length < HEADER_BYTES || bytes[4] !== 0 || bytes[5] !== 0) return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEADER_BYTES);
  const hasMagic = isMagic(view.getUint32(0, true)) || isMagic(view.getUint32(0, false));
  return hasMagic && [1, 2, 4].includes(bytes[6]) && (bytes[7] === 4 || bytes[7] === 8);
}
