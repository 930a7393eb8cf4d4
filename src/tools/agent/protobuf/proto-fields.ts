/** A field of a protobuf message: bytes where it is length-delimited, a value where it is an integer. */
export type ProtoField = {
  readonly field: number;
  readonly bytes: Uint8Array;
  readonly value: number;
};

const MOST_FIELDS = 1024;

/** The fields of a message, those of a fixed width left out; those before the first damage. */
export function protoFields(bytes: Uint8Array): ProtoField[] {
  const fields: ProtoField[] = [];
  let at = 0;
  const varint = (): number => {
    let value = 0;
    let factor = 1;
    for (;;) {
      const byte = bytes[at++];
      if (byte === undefined || factor > 2 ** 63) return Number.NaN;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 128;
    }
  };
  while (at < bytes.length && fields.length < MOST_FIELDS) {
    const tag = varint();
    const type = tag % 8;
    const field = Math.floor(tag / 8);
    if (type === 0) {
      const value = varint();
      if (Number.isNaN(value)) return fields;
      fields.push({ field, bytes: NO_BYTES, value });
    } else if (type === 1) at += 8;
    else if (type === 5) at += 4;
    else if (type === 2) {
      const length = varint();
      if (!(at + length <= bytes.length)) return fields;
      fields.push({ field, bytes: bytes.subarray(at, at + length), value: 0 });
      at += length;
    } else return fields;
  }
  return fields;
}

const NO_BYTES = new Uint8Array();
const decoder = new TextDecoder();

export function textOf(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}
