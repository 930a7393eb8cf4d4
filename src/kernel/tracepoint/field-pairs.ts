import { decodeText } from '../../base/text.ts';
import type { TracepointField } from './format-file.ts';
import type { RawRecord } from './raw-record.ts';

/**
 * Makes the function that writes ` name=value` for every field, in libtraceevent's form. There
 * arrays of u8 are text as long as none was met that is not; here they are bytes always.
 */
export function compileFieldPairs(
  fields: readonly TracepointField[],
): (record: RawRecord) => string {
  const writers = fields.map((field) => {
    const write = field.isArray ? arrayWriter(field) : scalarWriter(field);
    const end = field.offset + field.size;
    return (record: RawRecord): string =>
      ` ${field.name}=${record.start + end > record.end ? '' : write(record)}`;
  });
  return (record) => {
    let text = '';
    for (const write of writers) text += write(record);
    return text;
  };
}

function scalarWriter(field: TracepointField): (record: RawRecord) => string {
  const { offset, size, isPointer, type } = field;
  // A long often holds an address.
  const isHex = isPointer || (/\blong\b/.test(type) && (!field.signed || size === 4));
  const signed = field.signed && !isHex;
  return (record) => {
    const value = record.readBig(record.start + offset, size, signed);
    if (isHex) return `0x${value.toString(16)}`;
    // libtraceevent prints a short as %2d.
    return signed && size === 2 ? value.toString().padStart(2) : value.toString();
  };
}

/** Text if it can be printed as it is, else `ARRAY[01, 02]`, byte by byte. */
function arrayWriter(field: TracepointField): (record: RawRecord) => string {
  return (record) => {
    const bytes = record.bytes(record.offsetOf(field), record.lengthOf(field));
    if (field.isString && isPrintable(bytes)) return decodeText(bytes);
    return `ARRAY[${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(', ')}]`;
  };
}

/** All ASCII graphic characters and blanks up to the first NUL. */
function isPrintable(bytes: Uint8Array): boolean {
  for (const byte of bytes) {
    if (byte === 0) return true;
    if (byte < 0x20 || byte > 0x7e) return false;
  }
  return true;
}
