import { StringTable } from '../../base/string-table.ts';
import type { SourceFrames } from '../dwarf/dwarf-file.ts';
import { bytesAt, type ElfFile } from '../elf/elf-file.ts';
import type { FoundGoTable } from './find-go-table.ts';
import type { GoTable } from './go-table.ts';

/** Bytes of one inlined call, and in them the offset of the name and of the call in the caller. */
const CALL_BEFORE_20 = { bytes: 20, name: 12, place: 16 } as const;
const CALL_FROM_20 = { bytes: 16, name: 4, place: 8 } as const;
/** Bytes of inlined calls that are read at once. */
const WINDOW_BYTES = 4096;

/**
 * Lines and inlined calls by Go's table: what `DwarfFile` is for DWARF. Inlined calls of a function are rows
 * that lead from the innermost to where it was called:
 *
 *   Go 1.16: s16 parent; u8 kind, 0; u32 file, line; u32 name; u32 place
 *   Go 1.20: u8 kind, 0, 0, 0; u32 name; u32 place; u32 start_line
 *
 * `place` counts from the function's entry: file and line there are those of the call, and the inlined call
 * there, if any, is its caller. Before Go 1.16 only functions that exist have frames.
 */
export class GoLines {
  readonly strings = new StringTable();
  readonly #table: GoTable;
  readonly #funcdata: number | null;
  readonly #elf: ElfFile;
  #window: Uint8Array = new Uint8Array(0);
  #windowAt = 0;

  constructor(elf: ElfFile, { table, funcdata }: FoundGoTable) {
    this.#elf = elf;
    this.#table = table;
    this.#funcdata = funcdata;
  }

  /** The frames at `address`, as written in the file, into `out`; returns how many, 0 where nothing is known. */
  // Hot: once per address.
  find(address: number, out: SourceFrames): number {
    const table = this.#table;
    const row = table.find(address);
    out.length = 0;
    if (row < 0) return 0;
    const entry = table.entry(row);
    const calls = this.#funcdata === null ? -1 : table.inlinedCalls(row);
    const { bytes, name, place } = table.version < 20 ? CALL_BEFORE_20 : CALL_FROM_20;
    const trees = (this.#funcdata ?? 0) + calls;
    let at = address;
    let length = 0;
    let last = Number.POSITIVE_INFINITY;
    while (calls >= 0 && length < out.name.length - 1) {
      const call = table.inlinedCall(row, at);
      // A call is listed behind the one that it was inlined into.
      const view = call >= 0 && call < last ? this.#bytesAt(trees + call * bytes, bytes) : null;
      if (view === null) break;
      this.#add(out, length++, table.nameAt(view.getUint32(name, table.littleEndian)), row, at);
      at = entry + view.getUint32(place, table.littleEndian);
      last = call;
    }
    this.#add(out, length++, table.name(row), row, at);
    out.length = length;
    return length;
  }

  #add(out: SourceFrames, index: number, name: string, row: number, address: number): void {
    out.name[index] = this.strings.intern(name);
    out.file[index] = this.strings.intern(this.#table.file(row, address));
    out.line[index] = this.#table.line(row, address);
    out.column[index] = 0;
  }

  /** `size` bytes at a file address; null where the file has fewer. */
  #bytesAt(address: number, size: number): DataView | null {
    let at = address - this.#windowAt;
    if (!(at >= 0 && at + size <= this.#window.length)) {
      this.#window = bytesAt(this.#elf, address, WINDOW_BYTES) ?? new Uint8Array(0);
      this.#windowAt = address;
      at = 0;
    }
    const { buffer, byteOffset, length } = this.#window;
    return size <= length - at ? new DataView(buffer, byteOffset + at, size) : null;
  }
}
