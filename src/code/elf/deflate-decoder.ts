import type { ByteSource } from '../../base/byte-source.ts';
import { HuffmanCode, ROOT_BITS } from './huffman-code.ts';

/** How far back a match may reach. */
export const HISTORY_BYTES = 32 * 1024;
const LONGEST_MATCH = 258;
/** Matches are copied by so many bytes at a time, the last time more than they have. */
const COPY_BYTES = 8;
/** A run writes at most so far behind the end that it was given. */
export const OVERRUN_BYTES = LONGEST_MATCH + COPY_BYTES;

/** Thrown where the bytes are no DEFLATE stream, or end before it does. */
export class DeflateDamage extends Error {}

const INPUT_BYTES = 256 * 1024;
/** More than the bytes of any symbol. Behind the stream's end there are as many zeros. */
const INPUT_SLACK = 16;

/** Bits of entries above the code's length: kind, number of extra bits, and value. */
const LITERAL = 0;
const END = 1;
const MATCH = 2;
const INVALID = 3;
const entry = (kind: number, extra: number, value: number) => kind | (extra << 2) | (value << 6);
const KIND_SHIFT = 4;
const EXTRA_SHIFT = 6;
const VALUE_SHIFT = 10;

const END_OF_BLOCK = 256;
const LITERAL_CODES = 288;
const DISTANCE_CODES = 32;

const LITERAL_ENTRIES = Int32Array.from({ length: LITERAL_CODES }, (_, symbol) => {
  if (symbol < END_OF_BLOCK) return entry(LITERAL, 0, symbol);
  if (symbol === END_OF_BLOCK) return entry(END, 0, 0);
  const i = symbol - END_OF_BLOCK - 1;
  if (i === 28) return entry(MATCH, 0, 258);
  if (i > 28) return entry(INVALID, 0, 0);
  if (i < 8) return entry(MATCH, 0, i + 3);
  const extra = (i >> 2) - 1;
  return entry(MATCH, extra, 3 + ((4 + (i & 3)) << extra));
});

const DISTANCE_ENTRIES = Int32Array.from({ length: DISTANCE_CODES }, (_, i) => {
  if (i > 29) return entry(INVALID, 0, 0);
  if (i < 4) return entry(MATCH, 0, i + 1);
  const extra = (i >> 1) - 1;
  return entry(MATCH, extra, 1 + ((2 + (i & 1)) << extra));
});

const LENGTH_ENTRIES = Int32Array.from({ length: 19 }, (_, i) => entry(LITERAL, 0, i));
const LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/**
 * Decodes a DEFLATE stream (RFC 1951) by the piece. zlib can do so too, and at two to three times the
 * speed, but node:zlib hands out no way to ask it for the next piece and wait.
 *
 *   stream: blocks, the last one marked
 *   block:  1 bit last, 2 bits type
 *           0 stored: to the next byte; u16 length, its complement, bytes
 *           1 fixed codes, 2 codes that the header gives: symbols up to "end of block"
 *   symbol: a byte, the end, or a match: length and distance back, each with extra bits
 */
export class DeflateDecoder {
  readonly #source: ByteSource;
  readonly #literals = new HuffmanCode(LITERAL_ENTRIES);
  readonly #distances = new HuffmanCode(DISTANCE_ENTRIES);
  readonly #lengths = new HuffmanCode(LENGTH_ENTRIES);
  readonly #codeLengths = new Uint8Array(LITERAL_CODES + DISTANCE_CODES);
  /** A window of the stream, and zeros behind it. */
  readonly #input = new Uint8Array(INPUT_BYTES + INPUT_SLACK);
  readonly #inputView = new DataView(this.#input.buffer);
  #inputLength = 0;
  /** Offset at which it begins. */
  #inputBase = 0;
  /** The next byte of it. */
  #at = 0;
  /** Bits taken from it and not yet used, the next one lowest. */
  #bits = 0;
  #bitCount = 0;

  /** Set in a block of symbols. */
  #isInBlock = false;
  /** Bytes left of a stored block. */
  #storedBytes = 0;
  #isLastBlock = false;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /** Moves the window on to the next byte. */
  #load(): void {
    this.#inputBase += this.#at;
    this.#at = 0;
    const bytes = this.#source.read(this.#inputBase, INPUT_BYTES);
    this.#input.set(bytes);
    this.#input.fill(0, bytes.length, bytes.length + INPUT_SLACK);
    this.#inputLength = bytes.length;
  }

  /** The next `count` bits, at most 16, as a number. */
  #take(count: number): number {
    while (this.#bitCount < count) {
      if (this.#at >= this.#inputLength) {
        this.#load();
        if (this.#inputLength === 0) throw new DeflateDamage('stream ends early');
      }
      this.#bits |= this.#input[this.#at++] << this.#bitCount;
      this.#bitCount += 8;
    }
    const value = this.#bits & ((1 << count) - 1);
    this.#bits >>>= count;
    this.#bitCount -= count;
    return value;
  }

  /**
   * Decodes into `out` from `at` on, until `end` is reached or passed, by at most `OVERRUN_BYTES`, or
   * the stream ends; returns where it stopped. From `first` to `at` are the bytes that came before
   * in the stream, as far back as a match may reach. Throws `DeflateDamage`.
   */
  run(out: Uint8Array, first: number, at: number, end: number): number {
    let written = at;
    while (written < end) {
      if (this.#storedBytes > 0) written = this.#copyStored(out, written, end);
      else if (this.#isInBlock) written = this.#decodeSymbols(out, first, written, end);
      else if (this.#isLastBlock) break;
      else this.#readBlockHeader();
    }
    return written;
  }

  #readBlockHeader(): void {
    this.#isLastBlock = this.#take(1) === 1;
    switch (this.#take(2)) {
      case 0: {
        this.#take(this.#bitCount & 7);
        const length = this.#take(16);
        if ((this.#take(16) ^ length) !== 0xffff) throw new DeflateDamage('stored block damaged');
        this.#storedBytes = length;
        return;
      }
      case 1:
        this.#codeLengths.fill(8, 0, 144).fill(9, 144, 256).fill(7, 256, 280).fill(8, 280, 288);
        this.#codeLengths.fill(5, LITERAL_CODES);
        this.#buildCodes(LITERAL_CODES, DISTANCE_CODES);
        break;
      case 2:
        this.#readCodes();
        break;
      default:
        throw new DeflateDamage('block of an unknown type');
    }
    this.#isInBlock = true;
  }

  #readCodes(): void {
    const literals = this.#take(5) + 257;
    const distances = this.#take(5) + 1;
    const given = this.#take(4) + 4;
    const lengths = this.#codeLengths;
    lengths.fill(0, 0, 19);
    for (let i = 0; i < given; i++) lengths[LENGTH_ORDER[i]] = this.#take(3);
    if (literals > 286 || !this.#lengths.build(lengths, 0, 19)) {
      throw new DeflateDamage('code lengths damaged');
    }
    for (let i = 0; i < literals + distances; ) {
      const symbol = this.#takeSymbol(this.#lengths) >> VALUE_SHIFT;
      if (symbol < 16) {
        lengths[i++] = symbol;
        continue;
      }
      const repeated = symbol === 16 ? (i === 0 ? -1 : lengths[i - 1]) : 0;
      const times =
        symbol === 16 ? 3 + this.#take(2) : symbol === 17 ? 3 + this.#take(3) : 11 + this.#take(7);
      if (repeated < 0 || i + times > literals + distances) {
        throw new DeflateDamage('code lengths damaged');
      }
      lengths.fill(repeated, i, i + times);
      i += times;
    }
    this.#buildCodes(literals, distances);
  }

  #buildCodes(literals: number, distances: number): void {
    const lengths = this.#codeLengths;
    const isCode =
      this.#literals.build(lengths, 0, literals) &&
      this.#distances.build(lengths, literals, distances);
    if (!isCode || lengths[END_OF_BLOCK] === 0) throw new DeflateDamage('code lengths damaged');
  }

  /** An entry of `code`, bit by bit: only for headers. */
  #takeSymbol(code: HuffmanCode): number {
    let bits = 0;
    for (let length = 0; length < 7; length++) {
      bits |= this.#take(1) << length;
      const found = code.root[bits];
      if ((found & 15) === length + 1) return found;
    }
    throw new DeflateDamage('code lengths damaged');
  }

  #copyStored(out: Uint8Array, at: number, end: number): number {
    if (this.#bitCount > 0) {
      out[at] = this.#take(8);
      this.#storedBytes--;
      return at + 1;
    }
    if (this.#at >= this.#inputLength) this.#load();
    const length = Math.min(this.#storedBytes, end - at, this.#inputLength - this.#at);
    if (length === 0) throw new DeflateDamage('stream ends early');
    out.set(this.#input.subarray(this.#at, this.#at + length), at);
    this.#at += length;
    this.#storedBytes -= length;
    return at + length;
  }

  // Hot: once per symbol.
  #decodeSymbols(out: Uint8Array, first: number, from: number, end: number): number {
    if (this.#inputLength - this.#at < INPUT_SLACK) this.#load();
    const isLastWindow = this.#inputLength < INPUT_BYTES;
    const lastAt = this.#inputLength - (isLastWindow ? 0 : INPUT_SLACK);
    const input = this.#inputView;
    const output = new DataView(out.buffer, out.byteOffset, out.byteLength);
    const literalRoot = this.#literals.root;
    const distanceRoot = this.#distances.root;
    const mask = (1 << ROOT_BITS) - 1;
    let written = from;
    let at = this.#at;
    // At least 24 bits after a refill; above `bitCount` are bits that come again with the next one.
    let bits = this.#bits;
    let bitCount = this.#bitCount;
    let isAtEnd = false;
    while (written < end && at <= lastAt) {
      bits |= input.getInt32(at, true) << bitCount;
      at += (31 - bitCount) >> 3;
      bitCount |= 24;
      let found = literalRoot[bits & mask];
      if (found === 0) found = this.#literals.findLong(bits);
      let used = found & 15;
      bits = (bits >>> used) | 0;
      bitCount -= used;
      const kind = (found >> KIND_SHIFT) & 3;
      if (kind === LITERAL) {
        if (used === 0) throw new DeflateDamage('no symbol has this code');
        out[written++] = found >> VALUE_SHIFT;
        continue;
      }
      if (kind === END) {
        isAtEnd = true;
        break;
      }
      if (kind === INVALID) throw new DeflateDamage('no symbol has this code');
      // A length's code and extra bits are 20 at most.
      used = (found >> EXTRA_SHIFT) & 15;
      const length = (found >> VALUE_SHIFT) + (bits & ((1 << used) - 1));
      bits = (bits >>> used) | 0;
      bitCount -= used;
      bits |= input.getInt32(at, true) << bitCount;
      at += (31 - bitCount) >> 3;
      bitCount |= 24;
      found = distanceRoot[bits & mask];
      if (found === 0) found = this.#distances.findLong(bits);
      used = found & 15;
      bits = (bits >>> used) | 0;
      bitCount -= used;
      if (((found >> KIND_SHIFT) & 3) !== MATCH) {
        throw new DeflateDamage('no distance has this code');
      }
      used = (found >> EXTRA_SHIFT) & 15;
      if (bitCount < used) {
        bits |= input.getInt32(at, true) << bitCount;
        at += (31 - bitCount) >> 3;
        bitCount |= 24;
      }
      const distance = (found >> VALUE_SHIFT) + (bits & ((1 << used) - 1));
      bits = (bits >>> used) | 0;
      bitCount -= used;
      if (written - distance < first) throw new DeflateDamage('match before the start');
      copyMatch(output, written, distance, length);
      written += length;
    }
    this.#giveBack(at, bits, bitCount);
    if (isAtEnd) this.#isInBlock = false;
    return written;
  }

  /** Whole bytes among the bits taken go back: at the stream's end they were not there. */
  #giveBack(at: number, bits: number, bitCount: number): void {
    this.#at = at - (bitCount >> 3);
    this.#bitCount = bitCount & 7;
    this.#bits = bits & ((1 << this.#bitCount) - 1);
    if (this.#at > this.#inputLength) throw new DeflateDamage('stream ends early');
  }
}

/**
 * Copies the `length` bytes that lie `distance` before `at` to there, and up to `COPY_BYTES` more. Where
 * they overlap, what was copied is copied again: distance 1 repeats a byte.
 */
function copyMatch(output: DataView, at: number, distance: number, length: number): void {
  const stop = at + length;
  if (distance < COPY_BYTES) {
    for (let to = at; to < stop; to++) output.setUint8(to, output.getUint8(to - distance));
    return;
  }
  for (let to = at; to < stop; to += COPY_BYTES) {
    const from = to - distance;
    output.setInt32(to, output.getInt32(from, true), true);
    output.setInt32(to + 4, output.getInt32(from + 4, true), true);
  }
}
