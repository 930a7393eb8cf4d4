import { PerfDataError } from './errors.ts';
import { decodeText } from './text.ts';
import { readU64 } from './u64.ts';

/**
 * Reads bytes front to back and never past their end: every length is checked against the bytes
 * left before anything is read or allocated, and `PerfDataError` with code `short` states what did
 * not fit. For cold paths; hot ones check once per record and read freely.
 */
export class ByteCursor {
  readonly littleEndian: boolean;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #position = 0;

  constructor(bytes: Uint8Array, littleEndian: boolean) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.littleEndian = littleEndian;
  }

  /** Bytes from the start to the next one to be read. */
  get position(): number {
    return this.#position;
  }

  /** Bytes not yet read. */
  get left(): number {
    return this.#bytes.length - this.#position;
  }

  u8(): number {
    return this.#view.getUint8(this.#take(1, 'a byte'));
  }

  u16(): number {
    return this.#view.getUint16(this.#take(2, 'a u16'), this.littleEndian);
  }

  u32(): number {
    return this.#view.getUint32(this.#take(4, 'a u32'), this.littleEndian);
  }

  i32(): number {
    return this.#view.getInt32(this.#take(4, 'an s32'), this.littleEndian);
  }

  /** Exact below 2^53; above, the nearest double. */
  u64(): number {
    return readU64(this.#view, this.#take(8, 'a u64'), this.littleEndian);
  }

  bigU64(): bigint {
    return this.#view.getBigUint64(this.#take(8, 'a u64'), this.littleEndian);
  }

  /** The next `length` bytes, as a view. */
  bytes(length: number): Uint8Array {
    const start = this.#take(length, `${length} bytes`);
    return this.#bytes.subarray(start, start + length);
  }

  skip(length: number): void {
    this.#take(length, `${length} bytes`);
  }

  /** A count of items of at least `itemBytes` each: one that can't be there is refused. */
  count(itemBytes: number): number {
    const count = this.u32();
    if (count * itemBytes > this.left) {
      throw new PerfDataError(
        'short',
        `${count} items of at least ${itemBytes} bytes are announced, ${this.left} bytes are left`,
      );
    }
    return count;
  }

  /** The text in the next `length` bytes, up to the first NUL. */
  text(length: number): string {
    return decodeText(this.bytes(length));
  }

  #take(length: number, what: string): number {
    if (length > this.left) {
      throw new PerfDataError('short', `${what} expected, ${this.left} bytes are left`);
    }
    const start = this.#position;
    this.#position += length;
    return start;
  }
}
