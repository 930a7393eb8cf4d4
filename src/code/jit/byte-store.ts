/** Byte strings end to end in one growing buffer: names that few will ask for. */
export class ByteStore {
  #bytes = new Uint8Array(64 * 1024);
  #length = 0;
  readonly #most: number;
  readonly #decoder = new TextDecoder();

  /** `most` bytes in all. */
  constructor(most: number) {
    this.#most = most;
  }

  get length(): number {
    return this.#length;
  }

  /** False if the store is full. */
  add(bytes: Uint8Array): boolean {
    const length = this.#length + bytes.length;
    if (length > this.#most) return false;
    if (length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(length, this.#bytes.length * 2));
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes.set(bytes, this.#length);
    this.#length = length;
    return true;
  }

  /** Valid until the next `add`. */
  bytes(from: number, to: number): Uint8Array {
    return this.#bytes.subarray(from, to);
  }

  text(from: number, to: number): string {
    return this.#decoder.decode(this.bytes(from, to));
  }

  areEqual(fromA: number, toA: number, fromB: number, toB: number): boolean {
    if (toA - fromA !== toB - fromB) return false;
    const bytes = this.#bytes;
    for (let i = 0; i < toA - fromA; i++) if (bytes[fromA + i] !== bytes[fromB + i]) return false;
    return true;
  }
}
