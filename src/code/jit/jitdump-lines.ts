import { lastAtMost } from '../../base/bisect.ts';
import { NONE } from '../../base/brand.ts';
import { GrowableFloat64, GrowableInt32 } from '../../base/growable-columns.ts';
import { readAddress, readU64 } from '../../base/u64.ts';
import { ByteStore } from './byte-store.ts';
import type { SourceLine } from './code-table.ts';

/**
 * V8, LLVM and Julia add the size of an ELF header to each address, because perf's first reader of
 * these entries did not: it put the code behind a header of 64 bytes, and its line table not.
 */
const ELF_HEADER_BYTES = 0x40;

/** The bytes of one DEBUG_INFO record's entries, and how many there should be. */
type Announced = { readonly at: number; readonly end: number; readonly count: number };

/** Entries as columns, by ascending address; files as places in the store. */
type Entries = {
  readonly address: Float64Array;
  readonly line: Int32Array;
  readonly discriminator: Int32Array;
  readonly fileAt: Int32Array;
  readonly fileEnd: Int32Array;
};

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
    this.#announced = { at, end: this.#store.length, count };
    return true;
  }

  /** The announced lines of the code that is here now. */
  take(): Announced | null {
    const announced = this.#announced;
    this.#announced = null;
    return announced;
  }

  give(row: number, announced: Announced | null, start: number): void {
    if (announced === null || announced.end - announced.at < 16) return;
    this.#ofRow.set(row, announced);
    const first = readAddress(this.#viewOf(announced), 0, this.#littleEndian) - start;
    if (first >= 0) this.#leastFirst = Math.min(this.#leastFirst, first);
  }

  /** `row` is code of `from`, moved. */
  share(row: number, from: number): void {
    const announced = this.#ofRow.get(from);
    if (announced !== undefined) this.#ofRow.set(row, announced);
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
    const header = this.#leastFirst >= ELF_HEADER_BYTES ? ELF_HEADER_BYTES : 0;
    const entry = lastAtMost(entries.address, address + header);
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
    const address = new GrowableFloat64(16);
    const lines = new GrowableInt32(16);
    const discriminators = new GrowableInt32(16);
    const fileAts = new GrowableInt32(16);
    const fileEnds = new GrowableInt32(16);
    let at = 0;
    let fileAt = NONE;
    let fileEnd = NONE;
    let last = 0;
    for (let i = 0; i < announced.count && at + 17 <= view.byteLength; i++) {
      const line = view.getInt32(at + 8, little);
      const nameAt = at + 16;
      let nameEnd = nameAt;
      while (nameEnd < view.byteLength && view.getUint8(nameEnd) !== 0) nameEnd++;
      const isSame = nameEnd === nameAt + 1 && view.getUint8(nameAt) === SAME_FILE;
      if (!isSame) {
        fileAt = announced.at + nameAt;
        fileEnd = announced.at + nameEnd;
      }
      if (line > 0) {
        last = Math.max(last, readAddress(view, at, little));
        address.push(last);
        lines.push(line);
        discriminators.push(view.getInt32(at + 12, little));
        fileAts.push(fileAt);
        fileEnds.push(fileEnd);
      }
      at = nameEnd + 1;
    }
    return {
      address: address.finish(),
      line: lines.finish(),
      discriminator: discriminators.finish(),
      fileAt: fileAts.finish(),
      fileEnd: fileEnds.finish(),
    };
  }

  #viewOf({ at, end }: Announced): DataView {
    const bytes = this.#store.bytes(at, end);
    return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
}
