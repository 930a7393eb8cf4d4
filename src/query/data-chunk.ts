import type { DuckDBDataChunk, DuckDBType, DuckDBValue } from '@duckdb/node-api';
import type { ColumnData, ColumnType } from '../formats/tables/schema.ts';

/** Rows of one vector of DuckDB, and so of a chunk. */
export const CHUNK_ROWS = 2048;

/** The part of the package that makes types. */
export type DuckDBTypes = Pick<
  typeof import('@duckdb/node-api'),
  'INTEGER' | 'BIGINT' | 'DOUBLE' | 'VARCHAR'
>;

export function duckdbType(type: ColumnType, duckdb: DuckDBTypes): DuckDBType {
  const types = {
    int32: duckdb.INTEGER,
    int64: duckdb.BIGINT,
    double: duckdb.DOUBLE,
    text: duckdb.VARCHAR,
  };
  return types[type];
}

/** A vector over its numbers in memory, as those of integers, of 64 bits and of doubles are. */
type NumberVector = {
  readonly items: { readonly buffer: ArrayBuffer; readonly byteOffset: number };
};

/** Writes the values `first` … `end` − 1 of a column into the vector `at` of a chunk. */
export function fillVector(
  chunk: DuckDBDataChunk,
  at: number,
  type: ColumnType,
  data: ColumnData,
  first: number,
  end: number,
): void {
  if (!(data instanceof Int32Array || data instanceof Float64Array)) {
    const isBig = type === 'int64';
    const values = data
      .slice(first, end)
      .map((value): DuckDBValue => (isBig && typeof value === 'number' ? BigInt(value) : value));
    chunk.setColumnValues(at, values);
    return;
  }
  const length = end - first;
  const vector = chunk.getColumnVector(at);
  const { buffer, byteOffset } = (vector as unknown as NumberVector).items;
  const values = data.subarray(first, end);
  if (type === 'int32') new Int32Array(buffer, byteOffset, length).set(values);
  else if (type === 'double') new Float64Array(buffer, byteOffset, length).set(values);
  else fillInt64(new Int32Array(buffer, byteOffset, 2 * length), values);
  vector.flush();
}

/** Fills the vector `at`, of 64-bit integers, with one number. */
export function fillWith(chunk: DuckDBDataChunk, at: number, value: bigint): void {
  const vector = chunk.getColumnVector(at);
  (vector as unknown as { readonly items: BigInt64Array }).items.fill(value);
  vector.flush();
}

/** Whole numbers in 64 bits, low half first, without a BigInt a value. */
// Hot: once per row of `samples`.
function fillInt64(halves: Int32Array, values: Int32Array | Float64Array): void {
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    halves[2 * i] = value | 0;
    halves[2 * i + 1] = Math.floor(value / 2 ** 32);
  }
}
