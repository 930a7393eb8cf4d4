import type { UnwindSection } from './module-input.ts';

const TWO_32 = 2 ** 32;
/** Bytes of 64 bits in LEB128. */
const MOST_LEB128_BYTES = 10;

/** DW_EH_PE_*: low half the format, upper half what the value counts from. */
export const DW_EH_PE = {
  ABSPTR: 0x00,
  ULEB128: 0x01,
  UDATA2: 0x02,
  UDATA4: 0x03,
  UDATA8: 0x04,
  SLEB128: 0x09,
  SDATA2: 0x0a,
  SDATA4: 0x0b,
  SDATA8: 0x0c,
  FORMAT: 0x0f,
  PCREL: 0x10,
  TEXTREL: 0x20,
  DATAREL: 0x30,
  FUNCREL: 0x40,
  ALIGNED: 0x50,
  BASE: 0x70,
  INDIRECT: 0x80,
  OMIT: 0xff,
} as const;

/** Bases of encoded pointers, file addresses. */
export type PointerBases = { readonly text: number; readonly data: number };

/**
 * Reads a section of CFI. Never past `end`: what does not fit reads as 0 and sets `failed`, which
 * the caller checks once per entry. Little-endian, as all architectures here are.
 */
export class SectionReader {
  readonly bytes: Uint8Array;
  /** File address of the section. */
  readonly address: number;
  /** Next byte to be read, from the section's start. */
  at = 0;
  end: number;
  failed = false;
  readonly #view: DataView;
  readonly addressBytes: 4 | 8;

  constructor(section: UnwindSection, addressBytes: 4 | 8 = 8) {
    const { bytes } = section;
    this.addressBytes = addressBytes;
    this.bytes = bytes;
    this.address = section.address;
    this.end = bytes.length;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Goes on at `start` and reads no further than `end`. */
  window(start: number, end: number): void {
    this.at = start;
    this.end = Math.min(end, this.bytes.length);
    this.failed = start < 0 || start > this.end;
  }

  u8(): number {
    const at = this.#take(1);
    return at < 0 ? 0 : this.#view.getUint8(at);
  }

  i8(): number {
    return (this.u8() << 24) >> 24;
  }

  u16(): number {
    const at = this.#take(2);
    return at < 0 ? 0 : this.#view.getUint16(at, true);
  }

  i16(): number {
    return (this.u16() << 16) >> 16;
  }

  u32(): number {
    const at = this.#take(4);
    return at < 0 ? 0 : this.#view.getUint32(at, true);
  }

  i32(): number {
    return this.u32() | 0;
  }

  /** 64 bits as a signed double. */
  i64(): number {
    const at = this.#take(8);
    if (at < 0) return 0;
    return this.#view.getInt32(at + 4, true) * TWO_32 + this.#view.getUint32(at, true);
  }

  /** An address as the file has it, signed form. */
  absolute(): number {
    return this.addressBytes === 4 ? this.u32() : this.i64();
  }

  bigI64(): bigint {
    const at = this.#take(8);
    return at < 0 ? 0n : this.#view.getBigInt64(at, true);
  }

  /** Unsigned LEB128. Above 2^53 not exact, and then nothing that occurs. */
  uleb(): number {
    return this.#leb128(false);
  }

  sleb(): number {
    return this.#leb128(true);
  }

  skip(length: number): void {
    this.#take(length);
  }

  /**
   * A pointer encoded as `DW_EH_PE_*`, as a file address; NaN if the encoding is none that can be
   * followed here: indirect ones point into data that the unwinder is not given.
   */
  pointer(encoding: number, bases: PointerBases, functionStart = 0): number {
    if (encoding === DW_EH_PE.OMIT) return Number.NaN;
    const position = this.address + this.at;
    const value = this.#formatted(encoding & DW_EH_PE.FORMAT);
    if ((encoding & DW_EH_PE.INDIRECT) !== 0) return Number.NaN;
    const address = this.#fromBase(encoding, value, position, bases, functionStart);
    return this.addressBytes === 4 && address < 0 ? address + TWO_32 : address;
  }

  #fromBase(
    encoding: number,
    value: number,
    position: number,
    bases: PointerBases,
    functionStart: number,
  ): number {
    switch (encoding & DW_EH_PE.BASE) {
      case 0:
        return value;
      case DW_EH_PE.PCREL:
        return value + position;
      case DW_EH_PE.TEXTREL:
        return value + bases.text;
      case DW_EH_PE.DATAREL:
        return value + bases.data;
      case DW_EH_PE.FUNCREL:
        return value + functionStart;
      default:
        return Number.NaN;
    }
  }

  #formatted(format: number): number {
    switch (format) {
      case DW_EH_PE.ABSPTR:
        return this.absolute();
      case DW_EH_PE.UDATA8:
      case DW_EH_PE.SDATA8:
        return this.i64();
      case DW_EH_PE.ULEB128:
        return this.uleb();
      case DW_EH_PE.SLEB128:
        return this.sleb();
      case DW_EH_PE.UDATA2:
        return this.u16();
      case DW_EH_PE.SDATA2:
        return this.i16();
      case DW_EH_PE.UDATA4:
        return this.u32();
      case DW_EH_PE.SDATA4:
        return this.i32();
      default:
        this.failed = true;
        return Number.NaN;
    }
  }

  #leb128(isSigned: boolean): number {
    let value = 0;
    let scale = 1;
    for (let i = 0; i < MOST_LEB128_BYTES; i++) {
      const byte = this.u8();
      value += (byte & 0x7f) * scale;
      scale *= 128;
      if (byte < 0x80) return isSigned && (byte & 0x40) !== 0 ? value - scale : value;
    }
    this.failed = true;
    return 0;
  }

  /** Offset of the next `length` bytes, −1 if there are fewer. */
  #take(length: number): number {
    const at = this.at;
    if (!(length <= this.end - at)) {
      this.failed = true;
      return -1;
    }
    this.at = at + length;
    return at;
  }
}
