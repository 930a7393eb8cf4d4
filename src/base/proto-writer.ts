// Hot: once per field.

/** ASCII of at most so many characters is copied here; a TextEncoder costs more than it saves. */
const MOST_COPIED = 256;

/**
 * Writes protobuf's wire format: fields in the order of the calls, a field of value 0 is left out.
 *
 *     writer.begin(4); writer.int(1, id); … writer.end();      a message in field 4
 */
export class ProtoWriter {
  #bytes = new Uint8Array(256);
  #length = 0;
  /** The beginnings of messages that are open. */
  readonly #open: number[] = [];

  /** An integer of any width; negative ones as two's complement of 64 bits. */
  int(field: number, value: number | bigint): this {
    if (value !== 0 && value !== 0n) {
      this.#tag(field, 0);
      this.element(value);
    }
    return this;
  }

  fixed64(field: number, value: bigint): this {
    this.#tag(field, 1);
    this.#reserve(8);
    for (let at = 0; at < 8; at++) {
      this.#bytes[this.#length++] = Number((value >> BigInt(8 * at)) & 255n);
    }
    return this;
  }

  /** Also where it is empty: entries of tables count. */
  text(field: number, value: string): this {
    this.begin(field);
    const { length } = value;
    // UTF-8 has at most three bytes for what a string has one unit for.
    this.#reserve(3 * length);
    const start = this.#length;
    if (length <= MOST_COPIED) {
      for (let at = 0; at < length; at++) {
        const unit = value.charCodeAt(at);
        if (unit > 127) {
          this.#length = start;
          return this.#encode(value).end();
        }
        this.#bytes[this.#length++] = unit;
      }
      return this.end();
    }
    return this.#encode(value).end();
  }

  bytes(field: number, value: Uint8Array): this {
    this.#tag(field, 2);
    this.element(value.length);
    this.#reserve(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
    return this;
  }

  message(field: number, value: ProtoWriter): this {
    return this.bytes(field, value.finish());
  }

  /** Repeated integers; none at all are left out. */
  packed(field: number, values: ArrayLike<number>): this {
    if (values.length === 0) return this;
    this.begin(field);
    for (let at = 0; at < values.length; at++) this.element(values[at]);
    return this.end();
  }

  /** Begins a message in a field; what is written until `end` is in it. */
  begin(field: number): this {
    this.#tag(field, 2);
    this.#reserve(1);
    // Most are shorter than 128 bytes: their length takes one.
    this.#length++;
    this.#open.push(this.#length);
    return this;
  }

  end(): this {
    const start = this.#open.pop() ?? 0;
    const length = this.#length - start;
    if (length < 128) {
      this.#bytes[start - 1] = length;
      return this;
    }
    const more = length < 2 ** 14 ? 1 : length < 2 ** 21 ? 2 : length < 2 ** 28 ? 3 : 4;
    this.#reserve(more);
    this.#bytes.copyWithin(start + more, start, this.#length);
    this.#length = start - 1;
    this.element(length);
    this.#length += length;
    return this;
  }

  /** One integer of a packed field. */
  element(value: number | bigint): void {
    this.#reserve(10);
    if (typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER) {
      let rest = value;
      while (rest > 0x7fff_ffff) {
        this.#bytes[this.#length++] = (rest % 128) | 128;
        rest = Math.floor(rest / 128);
      }
      while (rest > 127) {
        this.#bytes[this.#length++] = (rest & 127) | 128;
        rest >>= 7;
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

  get length(): number {
    return this.#length;
  }

  /** A view, valid until the next call. */
  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Returns the written bytes as a copy; the next ones begin anew. */
  take(): Uint8Array {
    const taken = this.#bytes.slice(0, this.#length);
    this.#length = 0;
    return taken;
  }

  #encode(value: string): this {
    const { written } = UTF8.encodeInto(value, this.#bytes.subarray(this.#length));
    this.#length += written;
    return this;
  }

  #tag(field: number, type: number): void {
    this.element(field * 8 + type);
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = new Uint8Array(2 * (this.#length + count));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}

const UTF8 = new TextEncoder();
