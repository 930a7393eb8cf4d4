// Hot: once per field.

/**
 * Reads protobuf's wire format, one field of a message after the other:
 *
 *     const reader = new ProtoReader(bytes);
 *     while (reader.next()) if (reader.field === 4) read(reader.bytes);
 *
 * `next` returns false at the end of the message and where it is damaged, which `isDamaged` distinguishes.
 */
export class ProtoReader {
  /** Number of the field that `next` has read. */
  field = 0;
  /** 0: an integer, 2: bytes; fields of a fixed width (1, 5) are passed over but reported. */
  wireType = 0;
  /** An integer's value, of 64 bits without a sign; beyond 2^53 the nearest number. */
  value = 0;
  /** The content where it is delimited by its length, else empty. */
  bytes: Uint8Array = NO_BYTES;
  isDamaged = false;
  readonly #message: Uint8Array;
  #at = 0;

  constructor(message: Uint8Array) {
    this.#message = message;
  }

  next(): boolean {
    const message = this.#message;
    if (this.isDamaged || this.#at >= message.length) return false;
    const tag = this.#varint();
    this.field = Math.floor(tag / 8);
    this.wireType = tag % 8;
    this.bytes = NO_BYTES;
    this.value = 0;
    if (this.wireType === 0) this.value = this.#varint();
    else if (this.wireType === 1) this.#at += 8;
    else if (this.wireType === 5) this.#at += 4;
    else if (this.wireType === 2) {
      const length = this.#varint();
      const end = this.#at + length;
      if (end <= message.length) this.bytes = message.subarray(this.#at, end);
      this.#at = end;
    } else this.isDamaged = true;
    // NaN, of an integer that is cut, fails this comparison too.
    if (!(this.#at <= message.length)) this.isDamaged = true;
    return !this.isDamaged && this.field > 0;
  }

  #varint(): number {
    const message = this.#message;
    let value = 0;
    let factor = 1;
    for (let i = 0; i < MOST_BYTES; i++) {
      if (this.#at >= message.length) break;
      const byte = message[this.#at++];
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 0x80;
    }
    this.isDamaged = true;
    return Number.NaN;
  }
}

/** Seven bits each. */
const MOST_BYTES = 10;
const NO_BYTES = new Uint8Array();

/** The contents of the fields `field` of a message that are delimited by their length, up to the first damage. */
export function bytesOfField(message: Uint8Array, field: number): Uint8Array[] {
  const found: Uint8Array[] = [];
  const reader = new ProtoReader(message);
  while (reader.next()) {
    if (reader.field === field && reader.wireType === 2) found.push(reader.bytes);
  }
  return found;
}

/** The integers of a repeated field, which is packed (bytes) or has one field for each. */
export function addIntegers(reader: ProtoReader, into: number[]): void {
  if (reader.wireType === 0) {
    into.push(reader.value);
    return;
  }
  const { bytes } = reader;
  let value = 0;
  let factor = 1;
  for (let at = 0; at < bytes.length; at++) {
    value += (bytes[at] & 0x7f) * factor;
    factor *= 0x80;
    if (bytes[at] >= 0x80) continue;
    into.push(value);
    value = 0;
    factor = 1;
  }
}
