import type { TracepointField } from './format-file.ts';

/**
 * The raw data of one sample, or of none yet. One object is moved from sample to sample.
 * Everything that reads it stays inside [start, end).
 */
export class RawRecord {
  view: DataView = new DataView(new ArrayBuffer(0));
  /** First byte of the raw data in `view`, behind its u32 size; offsets of fields count from here. */
  start = 0;
  end = 0;
  littleEndian = true;

  moveTo(view: DataView, start: number, size: number, littleEndian: boolean): void {
    this.view = view;
    this.start = start;
    this.end = Math.min(start + size, view.byteLength);
    this.littleEndian = littleEndian;
  }

  /** The integer of `size` bytes at `at` in the view: exact up to 4 bytes. 0 past the end. */
  readNumber(at: number, size: number, signed: boolean): number {
    const { view, littleEndian } = this;
    if (at < this.start || at + size > this.end) return 0;
    switch (size) {
      case 1:
        return signed ? view.getInt8(at) : view.getUint8(at);
      case 2:
        return signed ? view.getInt16(at, littleEndian) : view.getUint16(at, littleEndian);
      case 4:
        return signed ? view.getInt32(at, littleEndian) : view.getUint32(at, littleEndian);
      default:
        return 0;
    }
  }

  /** The integer of 1, 2, 4 or 8 bytes at `at` in the view; 0 past the end and for other sizes. */
  readBig(at: number, size: number, signed: boolean): bigint {
    if (size !== 8) return BigInt(this.readNumber(at, size, signed));
    if (at < this.start || at + size > this.end) return 0n;
    const { view, littleEndian } = this;
    return signed ? view.getBigInt64(at, littleEndian) : view.getBigUint64(at, littleEndian);
  }

  /** Offset of the field's bytes in the view. Within the record, whatever the data say. */
  offsetOf(field: TracepointField): number {
    const at = this.start + field.offset;
    if (field.location === 'fixed') return Math.min(at, this.end);
    const word = this.readNumber(at, 4, false);
    const base = field.location === 'relative' ? at + field.size : this.start;
    return Math.min(base + (word & 0xffff), this.end);
  }

  /** How many bytes the field has, cut at the end of the record. */
  lengthOf(field: TracepointField): number {
    const left = this.end - this.offsetOf(field);
    if (field.location !== 'fixed') {
      return Math.min(this.readNumber(this.start + field.offset, 4, false) >>> 16, left);
    }
    // A declared size of 0 means all that follows.
    return field.size === 0 ? left : Math.min(field.size, left);
  }

  bytes(at: number, length: number): Uint8Array {
    const from = Math.min(Math.max(at, this.start), this.end);
    const fits = Math.max(0, Math.min(length, this.end - from));
    return new Uint8Array(this.view.buffer, this.view.byteOffset + from, fits);
  }
}
