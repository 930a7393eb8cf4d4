import type { ByteSource } from '../../base/byte-source.ts';
import { DeflateDamage, DeflateDecoder, HISTORY_BYTES, OVERRUN_BYTES } from './deflate-decoder.ts';

/** Inflated and handed to the scratch file at a time. */
const PIECE_BYTES = 2 ** 20;
const ZLIB_HEADER_BYTES = 2;
const DEFLATE = 8;

/** A place outside of memory for bytes that are read again: a file that goes away when closed. */
export type Scratch = {
  /** False where there is no more room. */
  write(offset: number, bytes: Uint8Array): boolean;
  read(offset: number, length: number): Uint8Array;
  close(): void;
};

export type InflatedSectionOptions = {
  /** The zlib stream. */
  readonly stream: ByteSource;
  /** Bytes that it inflates to, as its section's header states. */
  readonly size: number;
  readonly scratch: Scratch;
  /** The section in memory, if the scratch file takes no more; null where it is damaged. */
  readonly inflateWhole: () => Uint8Array | null;
  /** Called at most once: bytes from `at` on are missing. */
  readonly onDamage: (at: number, reason: string) => void;
};

/**
 * A large compressed section as a source to be read by the piece. It is inflated front to back, once
 * and as far as is asked for, into a scratch file, and read from there: in memory are a piece and
 * the history behind it. The stream's checksum is not looked at.
 *
 *   section │ in the scratch file │ piece │ not yet inflated │
 */
export class InflatedSection implements ByteSource {
  readonly size: number;
  readonly #options: InflatedSectionOptions;
  readonly #decoder: DeflateDecoder;
  /** History, then room for a piece. */
  readonly #bytes = new Uint8Array(HISTORY_BYTES + PIECE_BYTES + OVERRUN_BYTES);
  /** Bytes of `#bytes` that are history. */
  #historyBytes = 0;
  /** So far the section is in the scratch file. */
  #inflated = 0;
  /** The stream ends at `#inflated`, by damage or before the stated size. */
  #isAtEnd = false;
  #whole: Uint8Array | null = null;

  /** Throws `DeflateDamage` where the stream does not begin as one of zlib. */
  constructor(options: InflatedSectionOptions) {
    const { stream, size } = options;
    const [method = 0, flags = 0] = stream.read(0, ZLIB_HEADER_BYTES);
    const hasDictionary = (flags & 0x20) !== 0;
    if ((method & 15) !== DEFLATE || (method * 256 + flags) % 31 !== 0 || hasDictionary) {
      throw new DeflateDamage('no zlib stream');
    }
    this.size = size;
    this.#options = options;
    this.#decoder = new DeflateDecoder({
      size: stream.size - ZLIB_HEADER_BYTES,
      read: (offset, length) => stream.read(offset + ZLIB_HEADER_BYTES, length),
    });
  }

  read(offset: number, length: number): Uint8Array {
    const end = Math.min(offset + length, this.size);
    while (this.#inflated < end && !this.#isAtEnd) this.#inflatePiece();
    if (this.#whole !== null) return this.#whole.subarray(offset, end);
    const there = Math.min(end, this.#inflated);
    return this.#options.scratch.read(offset, Math.max(0, there - offset));
  }

  close(): void {
    this.#isAtEnd = true;
    this.#inflated = 0;
    this.#whole = null;
    this.#options.scratch.close();
  }

  #inflatePiece(): void {
    const bytes = this.#bytes;
    const limit = HISTORY_BYTES + Math.min(PIECE_BYTES, this.size - this.#inflated);
    let end: number;
    try {
      end = this.#decoder.run(bytes, HISTORY_BYTES - this.#historyBytes, HISTORY_BYTES, limit);
    } catch (error) {
      if (!(error instanceof DeflateDamage)) throw error;
      this.#endHere(error.message);
      return;
    }
    if (!this.#options.scratch.write(this.#inflated, bytes.subarray(HISTORY_BYTES, end))) {
      this.#inflateIntoMemory();
      return;
    }
    this.#inflated += end - HISTORY_BYTES;
    if (end < limit) this.#endHere('the stream ends early');
    this.#historyBytes = Math.min(HISTORY_BYTES, this.#historyBytes + end - HISTORY_BYTES);
    bytes.copyWithin(0, end - HISTORY_BYTES, end);
  }

  #inflateIntoMemory(): void {
    this.#whole = this.#options.inflateWhole();
    if (this.#whole === null) this.#endHere('damaged, and no room for a scratch file');
    else if (this.#whole.length < this.size) this.#endHere('the stream ends early');
    this.#isAtEnd = true;
  }

  #endHere(reason: string): void {
    this.#isAtEnd = true;
    this.#options.onDamage(this.#whole?.length ?? this.#inflated, reason);
  }
}
