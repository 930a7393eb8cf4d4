/** Codes of up to this length are found by one lookup; longer ones, which are rare, bit by bit. */
export const ROOT_BITS = 10;
const MAX_CODE_BITS = 15;

/**
 * One canonical Huffman code of RFC 1951. `root[next ROOT_BITS bits]` is the entry of the symbol
 * that they begin with, its code's length in the low 4 bits, 0 where the code is longer.
 *
 * An entry is what `entryOf` makes of a symbol, shifted left by 4, with the length below.
 */
export class HuffmanCode {
  readonly root = new Int32Array(1 << ROOT_BITS);
  /** Codes by length. */
  readonly count = new Uint16Array(MAX_CODE_BITS + 1);
  /** Entries of all symbols, in the order of their codes. */
  readonly entry: Int32Array;
  readonly #next = new Uint16Array(MAX_CODE_BITS + 2);
  readonly #code = new Uint16Array(MAX_CODE_BITS + 2);
  readonly #entryOf: Int32Array;

  /** `entryOf` has for each symbol what its entry shall say, up to 28 bits. */
  constructor(entryOf: Int32Array) {
    this.#entryOf = entryOf;
    this.entry = new Int32Array(entryOf.length);
  }

  /** Makes it the code in which symbol `i` has `lengths[from + i]` bits; false if there is none. */
  build(lengths: Uint8Array, from: number, symbols: number): boolean {
    const { root, count, entry } = this;
    const [next, code] = [this.#next, this.#code];
    count.fill(0);
    for (let i = 0; i < symbols; i++) count[lengths[from + i]]++;
    count[0] = 0;
    let left = 1;
    for (let bits = 1; bits <= MAX_CODE_BITS; bits++) {
      left = left * 2 - count[bits];
      if (left < 0) return false;
      next[bits + 1] = next[bits] + count[bits];
      code[bits + 1] = (code[bits] + count[bits]) << 1;
    }
    root.fill(0);
    for (let i = 0; i < symbols; i++) {
      const bits = lengths[from + i];
      if (bits === 0) continue;
      const value = (this.#entryOf[i] << 4) | bits;
      entry[next[bits]++] = value;
      const at = code[bits]++;
      if (bits > ROOT_BITS) continue;
      const step = 1 << bits;
      for (let row = reversed(at, bits); row < 1 << ROOT_BITS; row += step) root[row] = value;
    }
    next.fill(0);
    code.fill(0);
    return true;
  }

  /** The entry whose code `bits` begin with; 0 if they are no code's. */
  findLong(bits: number): number {
    let code = 0;
    let first = 0;
    let index = 0;
    for (let length = 1; length <= MAX_CODE_BITS; length++) {
      code |= (bits >>> (length - 1)) & 1;
      const count = this.count[length];
      if (code - count < first) return this.entry[index + (code - first)];
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    return 0;
  }
}

/** Codes are written from their highest bit on, everything else from its lowest. */
function reversed(code: number, bits: number): number {
  let result = 0;
  for (let i = 0; i < bits; i++) result |= ((code >>> i) & 1) << (bits - 1 - i);
  return result;
}
