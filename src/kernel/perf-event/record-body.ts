import type { AbsoluteAddress } from '../../base/brand.ts';
import { decodeText } from '../../base/text.ts';
import { readAddress, readU64 } from '../../base/u64.ts';

/** The bytes between a record's header and its trailer; positions count from their start. */
export class RecordBody {
  readonly view: DataView;
  readonly start: number;
  readonly end: number;
  readonly littleEndian: boolean;

  constructor(view: DataView, start: number, end: number, littleEndian: boolean) {
    this.view = view;
    this.start = start;
    this.end = end;
    this.littleEndian = littleEndian;
  }

  get length(): number {
    return this.end - this.start;
  }

  has(bytes: number): boolean {
    return this.start + bytes <= this.end;
  }

  u8(at: number): number {
    return this.view.getUint8(this.start + at);
  }

  u16(at: number): number {
    return this.view.getUint16(this.start + at, this.littleEndian);
  }

  u32(at: number): number {
    return this.view.getUint32(this.start + at, this.littleEndian);
  }

  i16(at: number): number {
    return this.view.getInt16(this.start + at, this.littleEndian);
  }

  i32(at: number): number {
    return this.view.getInt32(this.start + at, this.littleEndian);
  }

  u64(at: number): number {
    return readU64(this.view, this.start + at, this.littleEndian);
  }

  f64(at: number): number {
    return this.view.getFloat64(this.start + at, this.littleEndian);
  }

  /** All 64 bits, where a double could lose some. */
  big64(at: number): bigint {
    return this.view.getBigUint64(this.start + at, this.littleEndian);
  }

  /** All 64 bits as a decimal number. */
  decimal64(at: number): string {
    const number = this.u64(at);
    return String(Number.isSafeInteger(number) ? number : this.big64(at));
  }

  /** All 64 bits as `0x…`. */
  hex64(at: number): string {
    return `0x${this.big64(at).toString(16)}`;
  }

  address(at: number): AbsoluteAddress {
    return readAddress(this.view, this.start + at, this.littleEndian);
  }

  bytes(at: number, length: number): Uint8Array {
    return new Uint8Array(this.view.buffer, this.view.byteOffset + this.start + at, length);
  }

  /** The text from `at` to the first NUL, the end of the body, or `length` bytes on. */
  text(at: number, length = this.length - at): string {
    const bytes = Math.min(length, this.length - at);
    return bytes <= 0 ? '' : decodeText(this.bytes(at, bytes));
  }
}
