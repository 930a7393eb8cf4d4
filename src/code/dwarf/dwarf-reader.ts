import type { ByteSource } from '../../base/byte-source.ts';
import { readAddress, readU64 } from '../../base/u64.ts';

/** Thrown by a `DwarfReader` where the bytes end before the value does. Caught where a unit is read. */
export class DwarfDamage extends Error {}

/** Sections up to this size are read at once. */
const MAX_WHOLE_BYTES = 16 * 2 ** 20;
/** Bytes that are read of larger ones where it is not known how much will be needed. */
const FIRST_PIECE_BYTES = 1024;
const MAX_PIECE_BYTES = 2 ** 20;

/**
 * Reads one section front to back. Of a large section only a window is in memory: `seek` with an
 * end reads up to there, without one a piece, which reads on as it is used up. No read goes past
 * the end that `seek` was given.
 */
// Hot: several times per DIE and per row of a line program.
export class DwarfReader {
  readonly littleEndian: boolean;
  /** Bytes in the section. */
  readonly size: number;
  readonly #source: ByteSource;
  #bytes: Uint8Array = new Uint8Array(0);
  #view = new DataView(this.#bytes.buffer);
  /** Offset of the window in the section. */
  #base = 0;
  /** Position in the window, like `#end`. */
  #position = 0;
  #end = 0;
  /** Offset in the section: no read goes past it. */
  #limit = 0;
  #pieceBytes = FIRST_PIECE_BYTES;

  constructor(source: ByteSource, littleEndian: boolean) {
    this.#source = source;
    this.littleEndian = littleEndian;
    this.size = source.size;
  }

  /** Offset in the section of the next byte. */
  get at(): number {
    return this.#base + this.#position;
  }

  get isAtEnd(): boolean {
    return this.#base + this.#position >= this.#limit;
  }

  /** Goes to `offset`, to read up to `end` (at most the section's). */
  seek(offset: number, end?: number): void {
    const limit = Math.min(end ?? this.size, this.size);
    if (!(offset >= 0 && offset <= limit)) damaged();
    this.#limit = limit;
    const needed = end === undefined ? Math.min(limit, offset + 1) : limit;
    if (offset < this.#base || needed > this.#base + this.#bytes.length) {
      this.#pieceBytes = FIRST_PIECE_BYTES;
      const most = end === undefined ? offset + FIRST_PIECE_BYTES : limit;
      this.#load(offset, Math.min(most, limit));
    }
    this.#position = offset - this.#base;
    this.#end = Math.min(limit - this.#base, this.#bytes.length);
  }

  /** The bytes [`offset`, `offset` + `length`), fewer at the section's end. Moves nothing. */
  peek(offset: number, length: number): Uint8Array {
    const at = offset - this.#base;
    const end = Math.min(offset + length, this.size) - this.#base;
    if (at >= 0 && end <= this.#bytes.length) return this.#bytes.subarray(at, end);
    if (this.size <= MAX_WHOLE_BYTES) {
      this.seek(0);
      return this.#bytes.subarray(offset, offset + length);
    }
    return this.#source.read(offset, Math.max(0, Math.min(length, this.size - offset)));
  }

  #load(from: number, to: number): void {
    const isWhole = this.size <= MAX_WHOLE_BYTES;
    this.#base = isWhole ? 0 : from;
    this.#bytes = this.#source.read(this.#base, isWhole ? this.size : to - from);
    this.#view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset, this.#bytes.byteLength);
  }

  /** Makes `length` bytes readable from here on, or throws. */
  #readOn(length: number): void {
    const offset = this.at;
    if (!(length >= 0 && offset + length <= this.#limit)) damaged();
    this.#pieceBytes = Math.min(this.#pieceBytes * 2, MAX_PIECE_BYTES);
    const to = Math.min(offset + Math.max(length, this.#pieceBytes), this.#limit);
    this.#load(offset, to);
    this.#position = offset - this.#base;
    this.#end = Math.min(this.#limit - this.#base, this.#bytes.length);
    if (this.#position + length > this.#end) damaged();
  }

  skip(length: number): void {
    const next = this.#position + length;
    if (length >= 0 && next <= this.#end) this.#position = next;
    else this.#skipFar(length);
  }

  #skipFar(length: number): void {
    const offset = this.at + length;
    if (!(length >= 0 && offset <= this.#limit)) damaged();
    this.#position += length;
    this.#readOn(0);
  }

  u8(): number {
    if (this.#position >= this.#end) this.#readOn(1);
    return this.#bytes[this.#position++];
  }

  s8(): number {
    return (this.u8() << 24) >> 24;
  }

  #take(length: number): number {
    if (this.#position + length > this.#end) this.#readOn(length);
    const at = this.#position;
    this.#position = at + length;
    return at;
  }

  u16(): number {
    const at = this.#take(2);
    return this.#view.getUint16(at, this.littleEndian);
  }

  u24(): number {
    const a = this.u8();
    const b = this.u8();
    const c = this.u8();
    return this.littleEndian ? a | (b << 8) | (c << 16) : c | (b << 8) | (a << 16);
  }

  u32(): number {
    const at = this.#take(4);
    return this.#view.getUint32(at, this.littleEndian);
  }

  /** Exact below 2^53; above, the nearest double. */
  u64(): number {
    const at = this.#take(8);
    return readU64(this.#view, at, this.littleEndian);
  }

  /** An address of `size` bytes, in signed form where it has 8. */
  address(size: number): number {
    switch (size) {
      case 8: {
        const at = this.#take(8);
        return readAddress(this.#view, at, this.littleEndian);
      }
      case 4:
        return this.u32();
      case 2:
        return this.u16();
      case 1:
        return this.u8();
      default:
        return damaged();
    }
  }

  /** An offset: 4 bytes in the 32-bit format of DWARF, 8 in the 64-bit one. */
  offset(is64: boolean): number {
    return is64 ? this.u64() : this.u32();
  }

  /** ULEB128. Exact below 2^53; above, the nearest double. */
  uleb(): number {
    const first = this.u8();
    if (first < 0x80) return first;
    let value = first & 0x7f;
    for (let factor = 0x80; ; factor *= 0x80) {
      const byte = this.u8();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  }

  /** SLEB128. Exact within ±2^53. */
  sleb(): number {
    let value = 0;
    let factor = 1;
    for (;;) {
      const byte = this.u8();
      value += (byte & 0x7f) * factor;
      factor *= 0x80;
      if (byte < 0x80) return (byte & 0x40) === 0 ? value : value - factor;
    }
  }

  skipLeb(): void {
    while (this.u8() >= 0x80);
  }

  /** Goes past a zero-terminated string. */
  skipString(): void {
    for (;;) {
      const nul = this.#bytes.indexOf(0, this.#position);
      if (nul >= 0 && nul < this.#end) {
        this.#position = nul + 1;
        return;
      }
      this.#position = this.#end;
      this.#readOn(1);
    }
  }
}

export function damaged(): never {
  throw new DwarfDamage('DWARF data ends early');
}
