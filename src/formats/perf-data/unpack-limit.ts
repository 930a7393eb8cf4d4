import { type PerfDataError, tooLarge } from '../../base/errors.ts';
import { explainedSize, type MostUnpacked } from '../../base/explained-size.ts';

/** Bytes that the compressed parts of a recording may unpack to, whatever their own size is. */
const MOST_UNPACKED_BYTES = 512 * 2 ** 20;
/** The most records, which take a second and 140 MB a million. */
const MOST_UNPACKED_RECORDS = 4_000_000;

/**
 * Beyond that the compressed bytes have to explain it. Samples with 64 KiB of a stack each that all but
 * repeat the one before take 120 bytes, 550 times less; a bomb has thousands.
 */
const BYTES_FOR_EACH = 1000;
/** Windows are memory that is taken before anything comes out, and a recording has one. */
const WINDOW_BYTES_FOR_EACH = 40;
/** A sample has a time and an address that no other has: two bytes at the very least. */
const RECORDS_FOR_EACH = 0.5;

/**
 * Ends the reading of a recording that is small and unpacks to more than anybody recorded. `most`:
 * bytes that the user allows instead, `Infinity` for any.
 */
export class UnpackLimit {
  readonly #most: MostUnpacked;
  #packed = 0;
  #unpacked = 0;
  #windows = 0;
  #mostBytes = 0;
  #mostWindows = 0;
  #mostRecords = 0;

  constructor(most: MostUnpacked) {
    this.#most = most;
  }

  /** More compressed bytes have come. */
  addPacked(bytes: number): void {
    this.#packed += bytes;
    const sizeOf = (forEach: number) =>
      explainedSize(this.#most, MOST_UNPACKED_BYTES, this.#packed * forEach);
    this.#mostBytes = sizeOf(BYTES_FOR_EACH);
    this.#mostWindows = sizeOf(WINDOW_BYTES_FOR_EACH);
    this.#mostRecords =
      this.#most === null
        ? Math.max(MOST_UNPACKED_RECORDS, this.#packed * RECORDS_FOR_EACH)
        : Number.POSITIVE_INFINITY;
  }

  /** `bytes` more came out of them, `records` are in all that did. Throws `PerfDataError`. */
  addUnpacked(bytes: number, records: number): void {
    this.#unpacked += bytes;
    if (this.#unpacked > this.#mostBytes) {
      throw this.#exceeds(`${this.#mostBytes} bytes`);
    }
    if (records > this.#mostRecords) throw this.#exceeds(`${this.#mostRecords} records`);
  }

  /** Frames have begun whose windows have `bytes` together. Throws `PerfDataError`. */
  addWindows(bytes: number): void {
    this.#windows += bytes;
    if (this.#windows > this.#mostWindows) throw this.#exceeds(`${this.#mostWindows} bytes`);
  }

  #exceeds(limit: string): PerfDataError {
    const what = `${this.#packed} bytes of compressed records unpack to more than ${limit}`;
    return tooLarge(what, 'is');
  }
}
