import { decodeText } from '../../base/text.ts';
import type { TracepointField } from './format-file.ts';
import type { RawRecord } from './raw-record.ts';

/**
 * The value of a field. Integers are numbers where they are exact, bigints beyond ±2^53; arrays of
 * characters are text up to the first NUL; other arrays are their elements. Null if the sample
 * ends before the field does.
 */
export type FieldValue = number | bigint | string | readonly (number | bigint)[] | null;

export type FieldReader = (record: RawRecord) => FieldValue;

/** Makes the function that reads `field`, so that nothing about it is decided once per sample. */
export function fieldReader(field: TracepointField): FieldReader {
  const { offset, size, signed } = field;
  const read = field.isArray ? arrayReader(field) : scalarReader(field);
  return (record) => (record.start + offset + size > record.end ? null : read(record, signed));
}

function scalarReader({ offset, size }: TracepointField): (r: RawRecord, s: boolean) => FieldValue {
  if (size === 1 || size === 2 || size === 4) {
    return (record, signed) => record.readNumber(record.start + offset, size, signed);
  }
  if (size === 8) {
    return (record, signed) => exact(record.readBig(record.start + offset, 8, signed));
  }
  // A struct by value: its bytes.
  return (record) => [...record.bytes(record.start + offset, size)];
}

function arrayReader(field: TracepointField): (record: RawRecord, signed: boolean) => FieldValue {
  if (field.isString) {
    return (record) => decodeText(record.bytes(record.offsetOf(field), record.lengthOf(field)));
  }
  const step = [1, 2, 4, 8].includes(field.elementSize) ? field.elementSize : 1;
  return (record, signed) => {
    const at = record.offsetOf(field);
    const count = Math.floor(record.lengthOf(field) / step);
    const values: (number | bigint)[] = [];
    for (let i = 0; i < count; i++) {
      values.push(exact(record.readBig(at + i * step, step, signed)));
    }
    return values;
  };
}

function exact(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
