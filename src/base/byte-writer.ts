const FIRST_CAPACITY = 256;

const encoder = new TextEncoder();

/**
 * Bytes being built front to back, in one byte order. `finish` returns exactly what was written;
 * `patch*` fills in a size that was not known when its place was reserved.
 */
export class ByteWriter {
  readonly littleEndian: boolean;
  #bytes = new Uint8Array(FIRST_CAPACITY);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  constructor(littleEndian = true) {
    this.littleEndian = littleEndian;
  }

  /** Bytes written so far. */
  get length(): number {
    return this.#length;
  }

  u8(value: number): this {
    const at = this.#reserve(1);
    this.#view.setUint8(at, value);
    return this;
  }

  u16(value: number): this {
    const at = this.#reserve(2);
    this.#view.setUint16(at, value, this.littleEndian);
    return this;
  }

  u32(value: number): this {
    const at = this.#reserve(4);
    this.#view.setUint32(at, value, this.littleEndian);
    return this;
  }

  /** Negative values come out as their 64-bit two's complement, as for signed-form addresses. */
  u64(value: number | bigint): this {
    const at = this.#reserve(8);
    this.#view.setBigUint64(at, BigInt.asUintN(64, BigInt(value)), this.littleEndian);
    return this;
  }

  bytes(bytes: Uint8Array): this {
    const at = this.#reserve(bytes.length);
    this.#bytes.set(bytes, at);
    return this;
  }

  /** UTF-8 without a terminator. */
  text(text: string): this {
    return this.bytes(encoder.encode(text));
  }

  zeros(count: number): this {
    this.#reserve(count);
    return this;
  }

  /** Zeros up to the next multiple of `alignment`, counted from the first byte written. */
  align(alignment: number): this {
    const over = this.#length % alignment;
    return over === 0 ? this : this.zeros(alignment - over);
  }

  patchU16(offset: number, value: number): void {
    this.#view.setUint16(offset, value, this.littleEndian);
  }

  patchU32(offset: number, value: number): void {
    this.#view.setUint32(offset, value, this.littleEndian);
  }

  patchU64(offset: number, value: number | bigint): void {
    this.#view.setBigUint64(offset, BigInt.asUintN(64, BigInt(value)), this.littleEndian);
  }

  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  /** Offset of the next `count` bytes, which are zero. */
  #reserve(count: number): number {
    const at = this.#length;
    const needed = at + count;
    if (needed > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
      grown.set(this.#bytes.subarray(0, at));
      this.#bytes = grown;
      this.#view = new DataView(grown.buffer);
    }
    this.#length = needed;
    return at;
  }
}
