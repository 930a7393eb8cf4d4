import type { ByteSource } from '../../base/byte-source.ts';

const WINDOW_BYTES = 1 << 20;

/** Small reads that go forward through a large source, a megabyte at a time. */
export class SourceWindow {
  readonly #source: ByteSource;
  #at = 0;
  #bytes: Uint8Array = new Uint8Array(0);

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /** The bytes [offset, offset + length), which the source must have; valid until the next call. */
  view(offset: number, length: number): DataView {
    if (offset < this.#at || offset + length > this.#at + this.#bytes.length) {
      this.#bytes = this.#source.read(offset, Math.max(length, WINDOW_BYTES));
      this.#at = offset;
    }
    const first = this.#bytes.byteOffset + offset - this.#at;
    const there = Math.min(length, this.#bytes.length - (offset - this.#at));
    return new DataView(this.#bytes.buffer, first, there);
  }
}
