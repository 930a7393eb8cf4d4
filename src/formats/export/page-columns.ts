// Hot: once per row of a column.

/**
 * How a column of numbers is stored in a page.
 *
 *     constant   one value, for all rows
 *     bytes      each row as a byte: whole numbers from 0 to 255
 *     values     each row as a variable-length integer
 *     deltas     each row less the row before, likewise
 *     raw        the array's bytes
 *
 * A variable-length integer is 7 bits per byte, least significant first; the top bit means that
 * more follow. Signs are folded in (0, −1, 1, −2 … become 0, 1, 2, 3 …), and 1 is added: 0 marks a
 * number that is no such integer, which stands among the `exceptions` as a double. So columns that
 * hold whole numbers but for a few rows need no raw bytes.
 */
export type StoredColumn = {
  readonly array: ColumnKind;
  readonly encoding: 'constant' | 'bytes' | 'values' | 'deltas' | 'raw';
  readonly length: number;
  /** The value of every row, for `constant`. */
  readonly value: number | 'NaN';
  /** Sizes within the bytes that follow the head: integers first, then exceptions. */
  readonly integerBytes: number;
  readonly exceptions: number;
};

export type Column = Int32Array | Float64Array | Uint8Array;
export type ColumnKind = 'Int32' | 'Float64' | 'Uint8';

/** More samples than a page could hold. */
const MAX_ROWS = 2 ** 28;
/** Folded and one more, it must stay below 2^53. */
const LARGEST = 2 ** 51;
/** Bytes that it takes then. */
const MAX_BYTES = 8;

/** Rows by which values or deltas are chosen: what is shorter for these mostly is for all. */
const TRIED_ROWS = 4096;

export function columnKind(column: Column): ColumnKind {
  if (column instanceof Int32Array) return 'Int32';
  return column instanceof Float64Array ? 'Float64' : 'Uint8';
}

/** The column's description and its bytes. */
export function storeColumn(column: Column): { stored: StoredColumn; bytes: Uint8Array } {
  const array = columnKind(column);
  const { length } = column;
  const base = { array, length, value: 0, integerBytes: 0, exceptions: 0 } as const;
  if (isConstant(column)) {
    const first = length === 0 ? 0 : column[0];
    const isPlain = Number.isFinite(first) && !Object.is(first, -0);
    if (isPlain || Number.isNaN(first)) {
      const value = isPlain ? first : 'NaN';
      return { stored: { ...base, encoding: 'constant', value }, bytes: new Uint8Array(0) };
    }
  }
  const narrow = asBytes(column);
  if (narrow !== null) return { stored: { ...base, encoding: 'bytes' }, bytes: narrow };
  const tried = column.subarray(0, TRIED_ROWS);
  const isDelta = packedSize(pack(tried, true)) < packedSize(pack(tried, false));
  const packed = pack(column, isDelta);
  if (packedSize(packed) >= length * column.BYTES_PER_ELEMENT) {
    return { stored: { ...base, encoding: 'raw' }, bytes: littleEndianBytes(column) };
  }
  const { integers, exceptions } = packed;
  const integerBytes = integers.length;
  const bytes = new Uint8Array(packedSize(packed));
  bytes.set(integers);
  bytes.set(littleEndianBytes(Float64Array.from(exceptions)), integerBytes);
  const encoding = isDelta ? 'deltas' : 'values';
  return { stored: { ...base, encoding, integerBytes, exceptions: exceptions.length }, bytes };
}

/** How many bytes `stored` takes of what follows the head. */
export function storedBytes({ encoding, array, length, ...stored }: StoredColumn): number {
  if (encoding === 'constant') return 0;
  if (encoding === 'bytes') return length;
  if (encoding === 'raw') return length * { Int32: 4, Float64: 8, Uint8: 1 }[array];
  return stored.integerBytes + stored.exceptions * 8;
}

/** Decodes a column. Throws `RangeError` for one that can't have as many rows as it claims. */
export function loadColumn(stored: StoredColumn, bytes: Uint8Array): Column {
  const { length, encoding, integerBytes } = stored;
  // A row takes a byte at least; what takes none must not be had for nothing without end.
  const most = encoding === 'values' || encoding === 'deltas' ? integerBytes : MAX_ROWS;
  if (!(length >= 0 && length <= most)) {
    throw new RangeError(`a column of ${length} rows in ${bytes.length} bytes`);
  }
  const column = emptyColumn(stored.array, stored.length);
  switch (stored.encoding) {
    case 'constant':
      return column.fill(stored.value === 'NaN' ? Number.NaN : stored.value);
    case 'bytes':
      column.set(bytes);
      return column;
    case 'raw':
      loadRaw(column, bytes);
      return column;
    case 'values':
    case 'deltas':
      unpack(column, stored.encoding === 'deltas', bytes, stored.integerBytes);
      return column;
  }
}

/** An array of `length` zeros. */
function emptyColumn(kind: ColumnKind, length: number): Column {
  if (kind === 'Int32') return new Int32Array(length);
  return kind === 'Float64' ? new Float64Array(length) : new Uint8Array(length);
}

function isConstant(column: Column): boolean {
  const first = column[0];
  const { length } = column;
  for (let i = 1; i < length; i++) {
    if (!Object.is(column[i], first)) return false;
  }
  return true;
}

/** Whether the number can be folded; `difference` is it, or its distance to the row before. */
function isPackable(value: number, difference: number): boolean {
  return (
    Number.isInteger(value) &&
    !Object.is(value, -0) &&
    difference < LARGEST &&
    difference > -LARGEST &&
    value < LARGEST &&
    value > -LARGEST
  );
}

/** Null where a row is not a byte. */
function asBytes(column: Column): Uint8Array | null {
  const { length } = column;
  const bytes = new Uint8Array(length);
  for (let i = 0; i < length; i++) {
    const value = column[i];
    if (value !== (value & 255) || Object.is(value, -0)) return null;
    bytes[i] = value;
  }
  return bytes;
}

type Packed = { readonly integers: Uint8Array; readonly exceptions: readonly number[] };

function packedSize({ integers, exceptions }: Packed): number {
  return integers.length + exceptions.length * Float64Array.BYTES_PER_ELEMENT;
}

function pack(column: Column, isDelta: boolean): Packed {
  const { length } = column;
  // Memory that is never written to is never had.
  const bytes = new Uint8Array(length * MAX_BYTES);
  const exceptions: number[] = [];
  let at = 0;
  let previous = 0;
  for (let i = 0; i < length; i++) {
    const value = column[i];
    const difference = value - previous;
    if (!isPackable(value, difference)) {
      bytes[at++] = 0;
      exceptions.push(value);
      continue;
    }
    let folded = fold(isDelta ? difference : value) + 1;
    while (folded >= 128) {
      const rest = Math.floor(folded / 128);
      bytes[at++] = folded - rest * 128 + 128;
      folded = rest;
    }
    bytes[at++] = folded;
    previous = value;
  }
  return { integers: bytes.subarray(0, at), exceptions };
}

function unpack(column: Column, isDelta: boolean, bytes: Uint8Array, exceptionsAt: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  let exceptionAt = exceptionsAt;
  let previous = 0;
  const { length } = column;
  for (let i = 0; i < length; i++) {
    let byte = bytes[at++];
    let folded = byte & 127;
    let scale = 128;
    while (byte >= 128) {
      byte = bytes[at++];
      folded += (byte & 127) * scale;
      scale *= 128;
    }
    if (folded === 0) {
      column[i] = view.getFloat64(exceptionAt, true);
      exceptionAt += 8;
      continue;
    }
    const value = unfold(folded - 1) + (isDelta ? previous : 0);
    column[i] = value;
    previous = value;
  }
}

function fold(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

function unfold(folded: number): number {
  const half = Math.floor(folded / 2);
  return folded === 2 * half ? half : -half - 1;
}

/** Typed arrays are little-endian wherever browsers and Node run; a view makes sure of it. */
function littleEndianBytes(column: Column): Uint8Array {
  const bytes = new Uint8Array(column.byteLength);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < column.length; i++) {
    const value = column[i];
    if (column instanceof Float64Array) view.setFloat64(i * 8, value, true);
    else if (column instanceof Int32Array) view.setInt32(i * 4, value, true);
    else view.setUint8(i, value);
  }
  return bytes;
}

function loadRaw(column: Column, bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let i = 0; i < column.length; i++) {
    if (column instanceof Float64Array) column[i] = view.getFloat64(i * 8, true);
    else if (column instanceof Int32Array) column[i] = view.getInt32(i * 4, true);
    else column[i] = view.getUint8(i);
  }
}
