import { lastAtMost } from '../../base/bisect.ts';
import { NONE } from '../../base/brand.ts';
import { GrowableFloat64, GrowableInt32 } from '../../base/growable-columns.ts';
import { readAddress, readU64 } from '../../base/u64.ts';
import { ByteStore } from './byte-store.ts';
import type { DumpLines, SourceLine } from './code-table.ts';

/**
 * V8, LLVM and Julia add the size of an ELF header to each address, because perf's first reader of
 * these entries did not: it put the code behind a header of 64 bytes, and its line table not.
 */
const ELF_HEADER_BYTES = 0x40;

/** The bytes of one DEBUG_INFO record's entries, and how many there should be. */
type Announced = {
  readonly at: number;
  readonly end: number;
  readonly count: number;
  /** Start of the code, and the greatest address that an entry of it may have. */
  start: number;
  limit: number;
};

/** Entries as columns, by ascending address; files as places in the store. */
type Entries = DumpLines & { readonly fileAt: Int32Array; readonly fileEnd: Int32Array };

/** Name of an entry that has the file of the one before. */
const SAME_FILE = 0xff;

/**
 * Lines of the code in a jitdump. Kept as the file has them, and read when a line is asked for:
 *
 *   struct { u64 code_addr; int line, discrim; char name[]; }    name "\xff": as before
 */
export class DebugEntries {
  readonly #littleEndian: boolean;
  readonly #store: ByteStore;
  #announced: Announced | null = null;
  readonly #ofRow = new Map<number, Announced>();
  readonly #decoded = new Map<Announced, Entries>();
  /** Least distance of a first entry from the code's start: 64 where the writer adds a header. */
  #leastFirst = Number.POSITIVE_INFINITY;
  readonly #decoder = new TextDecoder();

  constructor(littleEndian: boolean, most: number) {
    this.#littleEndian = littleEndian;
    this.#store = new ByteStore(most);
  }

  /** A DEBUG_INFO record, of the code that comes next. */
  announce(view: DataView, total: number): boolean {
    this.#announced = null;
    if (view.byteLength < total) return false;
    const count = readU64(view, 24, this.#littleEndian);
    const at = this.#store.length;
    if (!this.#store.add(new Uint8Array(view.buffer, view.byteOffset + 32, total - 32))) {
      return false;
    }
    this.#announced = { at, end: this.#store.length, count, start: 0, limit: 0 };
    return true;
  }

  /** The announced lines of the code that is here now. */
  take(): Announced | null {
    const announced = this.#announced;
    this.#announced = null;
    return announced;
  }

  give(row: number, announced: Announced | null, start: number, end: number): void {
    if (announced === null || announced.end - announced.at < 16) return;
    announced.start = start;
    announced.limit = end + ELF_HEADER_BYTES;
    this.#ofRow.set(row, announced);
    const first = readAddress(this.#viewOf(announced), 0, this.#littleEndian) - start;
    if (first >= 0) this.#leastFirst = Math.min(this.#leastFirst, first);
  }

  /** `row` is code of `from`, moved. */
  share(row: number, from: number): void {
    const announced = this.#ofRow.get(from);
    if (announced !== undefined) this.#ofRow.set(row, announced);
  }

  /** All entries of a row's code; null if it has none. */
  all(row: number): DumpLines | null {
    const announced = this.#ofRow.get(row);
    return announced === undefined ? null : this.#decode(announced);
  }

  /** Bytes that the writer adds to each address. */
  get #header(): number {
    return this.#leastFirst >= ELF_HEADER_BYTES ? ELF_HEADER_BYTES : 0;
  }

  /** The line of `address`, in the terms of the code's first place; null if there is none. */
  find(row: number, address: number): SourceLine | null {
    const announced = this.#ofRow.get(row);
    if (announced === undefined) return null;
    let entries = this.#decoded.get(announced);
    if (entries === undefined) {
      entries = this.#decode(announced);
      this.#decoded.set(announced, entries);
    }
    const entry = lastAtMost(entries.offset, address - announced.start);
    if (entry < 0) return null;
    const fileAt = entries.fileAt[entry];
    if (fileAt === NONE) return null;
    const bytes = this.#store.bytes(fileAt, entries.fileEnd[entry]);
    const line = entries.line[entry];
    const discriminator = entries.discriminator[entry];
    const file = this.#decoder.decode(bytes);
    return discriminator > 0 ? { file, line, discriminator } : { file, line };
  }

  #decode(announced: Announced): Entries {
    const view = this.#viewOf(announced);
    const little = this.#littleEndian;
    const first = announced.start + this.#header;
    const offset = new GrowableFloat64(16);
    const lines = new GrowableInt32(16);
    const discriminators = new GrowableInt32(16);
    const fileAts = new GrowableInt32(16);
    const fileEnds = new GrowableInt32(16);
    let at = 0;
    let fileAt = NONE;
    let fileEnd = NONE;
    let last = Number.NEGATIVE_INFINITY;
    /** The entries of this writer are not all of this code. */
    let isStrange = false;
    for (let i = 0; i < announced.count && at + 17 <= view.byteLength; i++) {
      const line = view.getInt32(at + 8, little);
      const nameAt = at + 16;
      const firstNul = endOfText(view, nameAt);
      let nameEnd = isStrange ? firstNul : this.#endOfName(announced, view, firstNul);
      if (nameEnd === NONE) {
        isStrange = true;
        nameEnd = firstNul;
      }
      const isSame = nameEnd === nameAt + 1 && view.getUint8(nameAt) === SAME_FILE;
      if (!isSame) {
        fileAt = announced.at + nameAt;
        fileEnd = announced.at + nameEnd;
      }
      if (line > 0) {
        last = Math.max(last, readAddress(view, at, little) - first);
        offset.push(last);
        lines.push(line);
        discriminators.push(view.getInt32(at + 12, little));
        fileAts.push(fileAt);
        fileEnds.push(fileEnd);
      }
      at = nameEnd + 1;
    }
    return {
      offset: offset.finish(),
      line: lines.finish(),
      discriminator: discriminators.finish(),
      fileAt: fileAts.finish(),
      fileEnd: fileEnds.finish(),
    };
  }

  /**
   * The end of a name that has its first NUL at `firstNul`: the first NUL from there on behind which
   * the record ends or an entry of this code begins; −1 if there is none. V8 of Node 20 and before
   * writes names from memory that it has freed, which may have NULs in them.
   */
  #endOfName({ start, limit }: Announced, view: DataView, firstNul: number): number {
    for (let at = firstNul; at < view.byteLength; at++) {
      if (view.getUint8(at) !== 0) continue;
      if (at + 17 > view.byteLength) return at;
      const next = readAddress(view, at + 1, this.#littleEndian);
      if (next >= start && next <= limit) return at;
    }
    return NONE;
  }

  #viewOf({ at, end }: Announced): DataView {
    const bytes = this.#store.bytes(at, end);
    return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
}

function endOfText(view: DataView, from: number): number {
  let at = from;
  while (at < view.byteLength && view.getUint8(at) !== 0) at++;
  return at;
}
