import type { Slices } from '../../base/slices.ts';
import {
  type Column,
  columnKind,
  loadColumn,
  type StoredColumn,
  storeColumn,
  storedBytes,
} from './page-columns.ts';
import type { PageProfile } from './page-profile.ts';
import { decodeNumber, encodeNumber } from './page-report.ts';

/**
 * A `PageProfile` as bytes: what a server sends to its page and what a page that is a file has
 * inside, there compressed.
 *
 *     u32 magic   u32 version   u32 head bytes   head   columns, one after the other
 *
 * The head is JSON: the document with `{"$column": n}` in place of each typed array, and how each
 * column is stored. Columns with equal content are stored once and come out as one array. Numbers
 * that JSON has no words for are `{"$number": "NaN"}`. Little-endian.
 */
const MAGIC = 0x44505450; // 'PTPD'
const VERSION = 2;
const PREFIX_BYTES = 12;

type Head = { readonly document: unknown; readonly columns: readonly StoredColumn[] };

export function encodePageData(page: PageProfile): Uint8Array<ArrayBuffer> {
  const columns = new ColumnSet();
  const replace = (_key: string, value: unknown): unknown => {
    if (isColumn(value)) return { $column: columns.add(value) };
    if (isNarrow(value)) return { $column: columns.addNarrow(value) };
    return encodeNumber(value);
  };
  // Columns are met while the document is written, so its text comes first.
  const document = JSON.stringify(page, replace);
  const stored = columns.list.map(storeColumn);
  const head = new TextEncoder().encode(
    `{"document":${document},"columns":${JSON.stringify(stored.map((column) => column.stored))}}`,
  );
  let size = PREFIX_BYTES + head.length;
  for (const { bytes } of stored) size += bytes.length;
  const data = new Uint8Array(size);
  const view = new DataView(data.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, VERSION, true);
  view.setUint32(8, head.length, true);
  data.set(head, PREFIX_BYTES);
  let at = PREFIX_BYTES + head.length;
  for (const { bytes } of stored) {
    data.set(bytes, at);
    at += bytes.length;
  }
  return data;
}

/**
 * Throws `RangeError` for bytes that are not page data, of another version of it, or inconsistent.
 */
export function* decodePageData(data: Uint8Array): Slices<PageProfile> {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  if (data.length < PREFIX_BYTES || view.getUint32(0, true) !== MAGIC) {
    throw new RangeError('these bytes are not page data of perf-ts');
  }
  const version = view.getUint32(4, true);
  if (version !== VERSION) {
    throw new RangeError(`page data of version ${version}; this page reads version ${VERSION}`);
  }
  const headEnd = PREFIX_BYTES + view.getUint32(8, true);
  const head = new TextDecoder().decode(data.subarray(PREFIX_BYTES, headEnd));
  const columns: Column[] = [];
  let at = headEnd;
  const { document, columns: stored } = JSON.parse(head) as Head;
  for (const column of stored) {
    const end = at + storedBytes(column);
    if (end > data.length) throw new RangeError(`page data ends at ${data.length}, not at ${end}`);
    columns.push(loadColumn(column, data.subarray(at, end)));
    at = end;
    yield;
  }
  return revive(document, columns) as PageProfile;
}

/** Puts columns and numbers back in place, in the document itself. */
function revive(value: unknown, columns: readonly Column[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if ('$column' in value) return columns[value.$column as number];
  if ('$number' in value) return decodeNumber(value);
  const entries = value as Record<string, unknown>;
  for (const key of Object.keys(entries)) {
    const entry = entries[key];
    if (typeof entry === 'object' && entry !== null) entries[key] = revive(entry, columns);
  }
  checkRows(entries);
  return value;
}

/** Checks that every column of a table has its number of rows. */
function checkRows(table: Readonly<Record<string, unknown>>): void {
  if (Array.isArray(table) || typeof table.length !== 'number') return;
  for (const column of Object.values(table)) {
    if (!isColumn(column) || column.length === table.length) continue;
    throw new RangeError(`a table of ${table.length} rows has a column of ${column.length}`);
  }
}

function isColumn(value: unknown): value is Column {
  return (
    value instanceof Int32Array || value instanceof Float64Array || value instanceof Uint8Array
  );
}

/** A column of small numbers. How small is found anew where it is stored. */
type Narrow = Int8Array | Int16Array | Uint32Array;

function isNarrow(value: unknown): value is Narrow {
  return value instanceof Int8Array || value instanceof Int16Array || value instanceof Uint32Array;
}

function widened(column: Narrow): Column {
  return column instanceof Uint32Array ? new Float64Array(column) : new Int32Array(column);
}

/** Each content once. */
class ColumnSet {
  readonly list: Column[] = [];
  readonly #ofNarrow = new Map<Narrow, Column>();

  addNarrow(column: Narrow): number {
    const wide = this.#ofNarrow.get(column) ?? widened(column);
    this.#ofNarrow.set(column, wide);
    return this.add(wide);
  }

  add(column: Column): number {
    const known = this.list.findIndex((other) => isSame(other, column));
    return known >= 0 ? known : this.list.push(column) - 1;
  }
}

function isSame(a: Column, b: Column): boolean {
  if (a === b) return true;
  if (a.length !== b.length || columnKind(a) !== columnKind(b)) return false;
  for (let i = 0; i < a.length; i++) if (!Object.is(a[i], b[i])) return false;
  return true;
}
