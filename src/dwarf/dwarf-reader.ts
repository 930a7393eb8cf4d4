import { readAddress, readU64 } from '../base/u64.ts';

/** What a `DwarfReader` throws: the bytes end before the value does. Caught where a unit is read. */
export class DwarfDamage extends Error {}

/**
 * Reads one section front to back. `position` and `end` are offsets in the section; whoever knows
 * where a unit ends sets `end`, and no read goes past it.
 */
// Hot: several times per DIE and per row of a line program.
export class DwarfReader {
  readonly bytes: Uint8Array;
  readonly littleEndian: boolean;
  readonly #view: DataView;
  position = 0;
  end: number;

  constructor(bytes: Uint8Array, littleEndian: boolean) {
    this.bytes = bytes;
    this.littleEndian = littleEndian;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.end = bytes.length;
  }

  /** Goes to `position`, to read up to `end` (at most the section's). */
  seek(position: number, end: number = this.bytes.length): void {
    this.end = Math.min(end, this.bytes.length);
    if (!(position >= 0 && position <= this.end)) damaged();
    this.position = position;
  }

  skip(length: number): void {
    this.position += length;
    if (!(length >= 0 && this.position <= this.end)) damaged();
  }

  u8(): number {
    const { position } = this;
    if (position >= this.end) damaged();
    this.position = position + 1;
    return this.bytes[position] as number;
  }

  s8(): number {
    return (this.u8() << 24) >> 24;
  }

  u16(): number {
    const at = this.position;
    this.skip(2);
    return this.#view.getUint16(at, this.littleEndian);
  }

  u24(): number {
    const a = this.u8();
    const b = this.u8();
    const c = this.u8();
    return this.littleEndian ? a | (b << 8) | (c << 16) : c | (b << 8) | (a << 16);
  }

  u32(): number {
    const at = this.position;
    this.skip(4);
    return this.#view.getUint32(at, this.littleEndian);
  }

  /** Exact below 2^53; above, the nearest double. */
  u64(): number {
    const at = this.position;
    this.skip(8);
    return readU64(this.#view, at, this.littleEndian);
  }

  /** An address of `size` bytes, in signed form where it has 8. */
  address(size: number): number {
    switch (size) {
      case 8: {
        const at = this.position;
        this.skip(8);
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
    const { bytes, end } = this;
    let at = this.position;
    while (at < end && bytes[at] !== 0) at++;
    if (at >= end) damaged();
    this.position = at + 1;
  }
}

export function damaged(): never {
  throw new DwarfDamage('DWARF data ends early');
}
