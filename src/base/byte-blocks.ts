import { copyBytes } from './join-bytes.ts';

/** The first block is small, the next ones are twice as large as the one before. */
const FIRST_BLOCK_BYTES = 512;
const MOST_BLOCK_BYTES = 64 << 10;

/**
 * Bytes that come in pieces, in memory of at most twice as many: a piece that is read from a socket takes some 400 bytes by
 * itself, and a program may send one byte at a time.
 */
export class ByteBlocks {
  readonly #full: Uint8Array[] = [];
  #block = new Uint8Array();
  #used = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Adds a copy of the bytes from index `from` on, up to `to`. */
  add(bytes: Uint8Array, from = 0, to = bytes.length): void {
    for (let at = from; at < to; ) {
      if (this.#used === this.#block.length) this.#open();
      const count = Math.min(to - at, this.#block.length - this.#used);
      copyBytes(bytes, at, count, this.#block, this.#used);
      this.#used += count;
      this.#length += count;
      at += count;
    }
  }

  #open(): void {
    if (this.#used > 0) this.#full.push(this.#block);
    const size = Math.max(FIRST_BLOCK_BYTES, Math.min(this.#used * 2, MOST_BLOCK_BYTES));
    this.#block = new Uint8Array(size);
    this.#used = 0;
  }

  /** The bytes so far, in order; later ones are not in it. */
  get chunks(): readonly Uint8Array[] {
    if (this.#length === 0) return [];
    return [...this.#full, this.#block.subarray(0, this.#used)];
  }
}
