import { PerfDataError } from '../../base/errors.ts';

const FRAME_MAGIC = 0xfd2fb528;
/** 0x184D2A50 to 0x184D2A5F: a frame of other data, to be skipped. */
const SKIPPABLE_MAGIC = 0x184d2a50;

/** zstd's own decoder refuses larger windows unless told otherwise. */
const LARGEST_WINDOW = 128 << 20;
/** Block_Maximum_Size of the format. */
const LARGEST_BLOCK = 128 << 10;

const BLOCK_HEADER_SIZE = 3;
const RLE_BLOCK = 1;
const RESERVED_BLOCK = 3;
const CHECKSUM_SIZE = 4;

/**
 * Follows the outline of a zstd stream ahead of its decoder, so that a damaged size is refused
 * before memory is taken for it. Gets the stream in pieces, cut anywhere.
 *
 *   frame   magic u32 │ descriptor u8 │ window │ dictionary id │ content size │ blocks │ checksum
 *   block   u24: last:1 type:2 size:21 │ size bytes (type RLE: one byte)
 *
 * RFC 8878, section 3.1.
 */
export class ZstdGuard {
  /** The header of a frame or block, as far as it has come. */
  readonly #head = new Uint8Array(18);
  #headLength = 0;
  #inFrame = false;
  #isLastBlock = false;
  #hasChecksum = false;
  /** Bytes of contents before the next header. */
  #skip = 0;
  #windowBytes = 0;

  /**
   * Bytes of the windows of all frames so far. A decoder takes the memory of a window as its frame
   * begins: eleven bytes of a frame without contents ask for 128 MiB.
   */
  get windowBytes(): number {
    return this.#windowBytes;
  }

  /** Throws `PerfDataError` if the stream can't be what it says. */
  check(bytes: Uint8Array): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.#skip > 0) {
        const step = Math.min(this.#skip, bytes.length - at);
        this.#skip -= step;
        at += step;
        continue;
      }
      if (this.#isLastBlock) {
        this.#isLastBlock = false;
        this.#inFrame = false;
        if (this.#hasChecksum) {
          this.#skip = CHECKSUM_SIZE;
          continue;
        }
      }
      this.#head[this.#headLength++] = bytes[at++];
      if (this.#headLength < this.#headSize()) continue;
      if (this.#inFrame) this.#readBlockHeader();
      else this.#readFrameHeader();
      this.#headLength = 0;
    }
  }

  /** Bytes of the header that has begun, as far as what is there of it tells. */
  #headSize(): number {
    if (this.#inFrame) return BLOCK_HEADER_SIZE;
    if (this.#headLength < 5) return 5;
    if (this.#isSkippable()) return 8;
    const { hasWindow, dictionaryBytes, contentBytes } = describe(this.#head[4]);
    return 5 + hasWindow + dictionaryBytes + contentBytes;
  }

  #isSkippable(): boolean {
    return (this.#u(0, 4) & 0xfffffff0) === SKIPPABLE_MAGIC;
  }

  #readFrameHeader(): void {
    if (this.#isSkippable()) {
      this.#skip = this.#u(4, 4);
      return;
    }
    if (this.#u(0, 4) !== FRAME_MAGIC) throw bad('it does not begin with the zstd magic');
    const descriptor = this.#head[4];
    const { hasWindow, dictionaryBytes, contentBytes, isSingleSegment } = describe(descriptor);
    if ((descriptor & 8) !== 0) throw bad('a reserved bit of the frame header is set');
    if (this.#u(5 + hasWindow, dictionaryBytes) !== 0) throw bad('it needs a dictionary');
    let window: number;
    if (isSingleSegment) {
      window = this.#u(5 + dictionaryBytes, contentBytes) + (contentBytes === 2 ? 256 : 0);
    } else {
      const code = this.#head[5];
      const base = 2 ** (10 + (code >> 3));
      window = base + (base / 8) * (code & 7);
    }
    if (window > LARGEST_WINDOW) {
      throw bad(`its window is ${window} bytes, at most ${LARGEST_WINDOW} expected`);
    }
    this.#windowBytes += window;
    this.#inFrame = true;
    this.#hasChecksum = (descriptor & 4) !== 0;
  }

  #readBlockHeader(): void {
    const header = this.#u(0, BLOCK_HEADER_SIZE);
    const type = (header >> 1) & 3;
    const size = header >> 3;
    if (type === RESERVED_BLOCK) throw bad('a block has the reserved type');
    if (size > LARGEST_BLOCK) {
      throw bad(`a block has ${size} bytes, at most ${LARGEST_BLOCK} expected`);
    }
    this.#isLastBlock = (header & 1) === 1;
    this.#skip = type === RLE_BLOCK ? 1 : size;
  }

  /** A little-endian number of `length` bytes of the header. */
  #u(at: number, length: number): number {
    let value = 0;
    for (let i = length - 1; i >= 0; i--) value = value * 256 + this.#head[at + i];
    return value;
  }
}

function describe(descriptor: number) {
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const contentSizeFlag = descriptor >> 6;
  return {
    isSingleSegment,
    hasWindow: isSingleSegment ? 0 : 1,
    dictionaryBytes: [0, 1, 2, 4][descriptor & 3],
    contentBytes: contentSizeFlag > 0 ? 2 ** contentSizeFlag : isSingleSegment ? 1 : 0,
  };
}

function bad(reason: string): PerfDataError {
  return new PerfDataError('bad-zstd', reason);
}
