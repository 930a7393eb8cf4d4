// Every number that an input has, one after the other, and what it becomes: extremes of its width, and
// values that disagree with the rest of the input.

import { below, pick, type Random } from './mutate-bytes.ts';
import { recordLayout } from './mutate-recording.ts';

/** A number of an input: where all like it are, in one kind of record say, and how wide they are. */
export type NumberField = {
  readonly offsets: readonly number[];
  readonly width: 1 | 2 | 4 | 8;
  /** Where the record or section ends that has the first of them. */
  readonly end: number;
  readonly littleEndian: boolean;
};

/** Words of a section or body that are replaced, from its start. */
const MOST_WORDS = 72;
/** Fields of 16 and 8 bits stand in the first bytes of a body. */
const NARROW_BYTES = 40;

/** All numbers of a recording, alike ones of all records of a kind together. */
export function numberFields(bytes: Uint8Array): NumberField[] {
  const layout = recordLayout(bytes);
  if (layout === null) return [];
  const { littleEndian } = layout;
  const fields: NumberField[] = [];
  const addWords = (starts: readonly number[], size: number, from = 0): void => {
    for (const width of [8, 4] as const) {
      const most = Math.min(size, from + MOST_WORDS * width);
      for (let at = from; at + width <= most; at += width) {
        const offsets = starts.map((start) => start + at);
        fields.push({ offsets, width, end: starts[0] + size, littleEndian });
      }
    }
  };
  for (const { offset, size } of layout.parts) addWords([offset], size);
  for (const { starts, size } of layout.kinds) {
    const end = starts[0] + size;
    const add = (at: number, width: 1 | 2 | 4) =>
      fields.push({ offsets: starts.map((start) => start + at), width, end, littleEndian });
    add(0, 4);
    add(4, 2);
    add(6, 2);
    addWords(starts, size, 8);
    const narrow = Math.min(size, 8 + NARROW_BYTES);
    for (let at = 8; at + 2 <= narrow; at += 2) add(at, 2);
    for (let at = 8; at < Math.min(narrow, 16); at++) add(at, 1);
  }
  return fields;
}

const POWERS = [7, 8, 15, 16, 31, 32, 53, 63, 64].map((bits) => 1n << BigInt(bits));
/** Borders of widths, signs and doubles, and small negative numbers. */
const EXTREMES: readonly bigint[] = [
  ...[0n, 1n, -1n, -2n, -8n, -4096n],
  ...POWERS.flatMap((power) => [power - 1n, power, power + 1n]),
];

/** Values that depend on where a number stands: counts that just fit and do not, places of others. */
const RELATIVE: readonly ((
  at: number,
  end: number,
  size: number,
  old: bigint,
) => number | bigint)[] = [
  (at) => at,
  (_at, end) => end,
  (_at, _end, size) => size,
  (_at, _end, size) => size - 8,
  (_at, _end, size) => size + 1,
  ...[1, 4, 8, 16, 24].flatMap((entry) => [
    (at: number, end: number) => Math.floor((end - at) / entry),
    (at: number, end: number) => Math.floor((end - at) / entry) - 1,
  ]),
  (_at, _end, _size, old) => old + 1n,
  (_at, _end, _size, old) => old - 1n,
  (_at, _end, _size, old) => old << 16n,
];

/** How many values a number becomes before they repeat. */
export const VALUES_OF_EACH = EXTREMES.length + RELATIVE.length;

/** Value number `value` of an integer at `at` that has no width, in an input of `size` bytes. */
export function valueOfInteger(value: number, at: number, size: number): bigint {
  const relative = RELATIVE[value - EXTREMES.length];
  return relative === undefined ? EXTREMES[value] : BigInt(relative(at, size, size, BigInt(at)));
}

/** Replaces the number in one record, or in all, by its value number `value`. */
export function replaceNumber(
  bytes: Uint8Array,
  field: NumberField,
  value: number,
  random: Random,
): void {
  const isEverywhere = random() < 0.3;
  for (const at of isEverywhere ? field.offsets : [pick(random, field.offsets)]) {
    const { width, littleEndian } = field;
    const old = BigInt.asUintN(8 * width, readAt(bytes, at, width, littleEndian));
    const end = field.end + at - field.offsets[0];
    const relative = RELATIVE[value - EXTREMES.length];
    const next =
      relative === undefined ? EXTREMES[value] : BigInt(relative(at, end, bytes.length, old));
    writeAt(bytes, at, width, littleEndian, next);
  }
}

function readAt(bytes: Uint8Array, at: number, width: number, littleEndian: boolean): bigint {
  let value = 0n;
  for (let i = 0; i < width; i++) {
    value = (value << 8n) | BigInt(bytes[littleEndian ? at + width - 1 - i : at + i]);
  }
  return value;
}

function writeAt(
  bytes: Uint8Array,
  at: number,
  width: number,
  littleEndian: boolean,
  value: bigint,
) {
  let left = BigInt.asUintN(8 * width, value);
  for (let i = 0; i < width; i++) {
    bytes[littleEndian ? at + i : at + width - 1 - i] = Number(left & 0xffn);
    left >>= 8n;
  }
}

/** A number in a text: where its digits begin and end. */
export type TextNumber = { readonly from: number; readonly to: number };

export function textNumbers(text: string): TextNumber[] {
  return [...text.matchAll(/-?\d+(?:\.\d+)?/g)].map(({ index, 0: digits }) => ({
    from: index,
    to: index + digits.length,
  }));
}

const TEXT_EXTREMES: readonly string[] = [
  ...EXTREMES.map(String),
  ...[
    '-9223372036854775808',
    '1e308',
    '1e999',
    '-1e308',
    '5e-324',
    '0.1',
    '-0',
    '00',
    'NaN',
    'null',
  ],
  '9'.repeat(400),
];

export const VALUES_OF_TEXT = TEXT_EXTREMES.length;

export function replaceInText(text: string, { from, to }: TextNumber, value: number): string {
  return text.slice(0, from) + TEXT_EXTREMES[value] + text.slice(to);
}

/**
 * The case `number` of `fields` times `values`: each field comes once before any comes again, and each value
 * before one repeats. Numbers in a row take fields that are far from each other.
 */
export function fieldOfCase(
  number: number,
  fields: number,
  values: number,
): { readonly field: number; readonly value: number } {
  const field = (number * strideOf(fields)) % fields;
  const round = Math.floor(number / fields);
  return { field, value: (round * strideOf(values) + field) % values };
}

/** A step that reaches every one of `count` before it comes back. */
function strideOf(count: number): number {
  let stride = Math.max(1, Math.floor(count * 0.618));
  while (greatestCommon(stride, count) !== 1) stride++;
  return stride;
}

function greatestCommon(one: number, other: number): number {
  return other === 0 ? one : greatestCommon(other, one % other);
}

/** A second number of the same input, now and then: sizes and places are only wrong together. */
export function alsoAnother(random: Random, fields: readonly NumberField[]): NumberField | null {
  return random() < 0.25 && fields.length > 0 ? fields[below(random, fields.length)] : null;
}
