/** Writes protobuf's wire format: fields in the order of the calls, a field of value 0 is left out. */
export class ProtoWriter {
  #bytes = Buffer.allocUnsafe(1024);
  #length = 0;

  /** An integer of any width; negative ones as two's complement of 64 bits. */
  int(field: number, value: number | bigint): this {
    if (value !== 0 && value !== 0n) {
      this.#tag(field, 0);
      this.#varint(value);
    }
    return this;
  }

  fixed64(field: number, value: bigint): this {
    this.#tag(field, 1);
    this.#reserve(8);
    this.#bytes.writeBigUInt64LE(value, this.#length);
    this.#length += 8;
    return this;
  }

  /** Also where it is empty: entries of tables count. */
  text(field: number, value: string): this {
    return this.bytes(field, Buffer.from(value));
  }

  bytes(field: number, value: Uint8Array): this {
    this.#tag(field, 2);
    this.#varint(value.length);
    this.#reserve(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
    return this;
  }

  message(field: number, value: ProtoWriter): this {
    return this.bytes(field, value.finish());
  }

  /** Repeated integers; none at all are left out. */
  packed(field: number, values: readonly number[]): this {
    if (values.length === 0) return this;
    const packed = new ProtoWriter();
    for (const value of values) packed.#varint(value);
    return this.message(field, packed);
  }

  /** A view, valid until the next call. */
  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #tag(field: number, type: number): void {
    this.#varint(field * 8 + type);
  }

  #varint(value: number | bigint): void {
    this.#reserve(10);
    if (typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER) {
      let rest = value;
      while (rest > 127) {
        this.#bytes[this.#length++] = (rest % 128) | 128;
        rest = Math.floor(rest / 128);
      }
      this.#bytes[this.#length++] = rest;
      return;
    }
    let rest = BigInt.asUintN(64, BigInt(value));
    while (rest > 127n) {
      this.#bytes[this.#length++] = Number(rest & 127n) | 128;
      rest >>= 7n;
    }
    this.#bytes[this.#length++] = Number(rest);
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.#length + count));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}
