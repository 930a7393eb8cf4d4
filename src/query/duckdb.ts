import { totalmem } from 'node:os';
import type {
  DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  DuckDBType,
  DuckDBValue,
} from '@duckdb/node-api';
import { AbortError, FailedError, UsageError } from '../base/errors.ts';
import { createTable } from '../formats/tables/ddl.ts';
import {
  type ColumnData,
  type RecordingTables,
  type SchemaColumn,
  type SchemaTable,
  TABLE_NAMES,
  tableColumns,
} from '../formats/tables/schema.ts';
import { VIEW_NAMES, viewText } from '../formats/tables/views.ts';
import type { QueryAnswer, QueryEngine, QueryLimits, QueryValue } from './engine.ts';

const PACKAGE = '@duckdb/node-api';

type DuckDB = typeof import('@duckdb/node-api');

const importDuckDB = (): Promise<DuckDB> => import('@duckdb/node-api');

/** Throws `FailedError` with the command that installs it where the package is missing. */
export async function loadDuckDB(importPackage = importDuckDB): Promise<DuckDB> {
  try {
    return await importPackage();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') {
      throw new FailedError(`the query engine is not installed (the optional package ${PACKAGE})`, [
        `npm install ${PACKAGE}    beside perf-ts (with -g where that was installed with -g), some 70 MB`,
      ]);
    }
    throw new FailedError(`the query engine ${PACKAGE} does not start: ${message}`);
  }
}

/**
 * DuckDB in memory. Recordings are added first; `lock` then makes the views and takes from the engine
 * files, the network, extensions and its own settings, since a query may come from anywhere.
 */
export class DuckDBEngine implements QueryEngine {
  readonly #duckdb: DuckDB;
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;

  constructor(duckdb: DuckDB, instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#duckdb = duckdb;
    this.#instance = instance;
    this.#connection = connection;
  }

  static async open(duckdb?: DuckDB): Promise<DuckDBEngine> {
    const library = duckdb ?? (await loadDuckDB());
    const instance = await library.DuckDBInstance.create(':memory:', {
      memory_limit: `${Math.floor(totalmem() / 2e6)}MB`,
      temp_directory: '',
    });
    const connection = await instance.connect();
    const engine = new DuckDBEngine(library, instance, connection);
    for (const table of TABLE_NAMES) await connection.run(createTable(table, 'duckdb'));
    return engine;
  }

  /** Adds a recording under a number; of its tables those that will be asked. */
  async add(
    recording: number,
    tables: RecordingTables,
    wanted: Iterable<SchemaTable> = TABLE_NAMES,
  ): Promise<void> {
    for (const table of wanted) await this.#append(recording, table, tables[table]);
  }

  /** Adds a recording that was written as Parquet: a folder with a file for each table. */
  async addParquet(
    recording: number,
    folder: string,
    wanted: Iterable<SchemaTable> = TABLE_NAMES,
  ): Promise<void> {
    for (const table of wanted) {
      const file = quoted(`${folder}/${table}.parquet`);
      try {
        await this.#connection.run(
          `insert into ${table} by name select * replace (${recording}::bigint as recording) from read_parquet(${file})`,
        );
      } catch (error) {
        throw new FailedError(`${folder}: not the tables of a recording: ${firstLine(error)}`);
      }
    }
  }

  async lock(): Promise<void> {
    for (const view of VIEW_NAMES) {
      await this.#connection.run(`create view ${view} as ${viewText(view, 'duckdb')}`);
    }
    for (const setting of [
      'enable_external_access = false',
      'allow_community_extensions = false',
      'autoinstall_known_extensions = false',
      'autoload_known_extensions = false',
      'lock_configuration = true',
    ]) {
      await this.#connection.run(`set ${setting}`);
    }
  }

  async run(sql: string, { maxRows, timeoutSeconds, signal }: QueryLimits): Promise<QueryAnswer> {
    const connection = this.#connection;
    let isLate = false;
    const interrupt = (): void => connection.interrupt();
    const timer = setTimeout(() => {
      isLate = true;
      interrupt();
    }, timeoutSeconds * 1000);
    signal?.addEventListener('abort', interrupt);
    try {
      signal?.throwIfAborted();
      const reader = await connection.streamAndReadUntil(sql, maxRows + 1);
      const rows = reader.getRows().map((row) => row.map(toValue));
      return {
        columns: reader.deduplicatedColumnNames(),
        rows: rows.slice(0, maxRows),
        isCut: rows.length > maxRows,
      };
    } catch (error) {
      if (signal?.aborted) throw new AbortError(signal);
      if (isLate) throw tooLate(timeoutSeconds);
      throw new UsageError(`the query failed: ${firstLine(error)}`);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', interrupt);
    }
  }

  close(): void {
    this.#connection.closeSync();
    this.#instance.closeSync();
  }

  async #append(
    recording: number,
    table: SchemaTable,
    { length, columns }: { readonly length: number; readonly columns: readonly ColumnData[] },
  ): Promise<void> {
    const { DuckDBDataChunk, INTEGER, BIGINT, DOUBLE, VARCHAR } = this.#duckdb;
    const typeOf = { int32: INTEGER, int64: BIGINT, double: DOUBLE, text: VARCHAR };
    const described = tableColumns(table);
    const types: DuckDBType[] = described.map(({ type }) => typeOf[type]);
    const appender = await this.#connection.createAppender(table);
    for (let first = 0; first < length; first += CHUNK_ROWS) {
      const end = Math.min(length, first + CHUNK_ROWS);
      const chunk = DuckDBDataChunk.create(types, end - first);
      fillVector(chunk, 0, described[0], new Float64Array(end - first).fill(recording));
      for (let at = 1; at < described.length; at++) {
        fillVector(chunk, at, described[at], columns[at - 1].slice(first, end));
      }
      appender.appendDataChunk(chunk);
    }
    appender.closeSync();
  }
}

export function tooLate(seconds: number): FailedError {
  return new FailedError(`the query took longer than ${seconds} s and was ended`, [
    'allow more by --timeout SECONDS, or ask for less',
  ]);
}

/** Rows of one vector of DuckDB. */
const CHUNK_ROWS = 2048;

/** A vector over its numbers in memory, as those of integers, of 64 bits and of doubles are. */
type NumberVector = {
  readonly items: { readonly buffer: ArrayBuffer; readonly byteOffset: number };
};

function fillVector(
  chunk: DuckDBDataChunk,
  at: number,
  { type }: SchemaColumn,
  data: ColumnData,
): void {
  const isTyped = data instanceof Int32Array || data instanceof Float64Array;
  if (!isTyped) {
    const isBig = type === 'int64';
    const values: DuckDBValue[] = data.map((value) =>
      isBig && typeof value === 'number' ? BigInt(value) : value,
    );
    chunk.setColumnValues(at, values);
    return;
  }
  const vector = chunk.getColumnVector(at);
  const { buffer, byteOffset } = (vector as unknown as NumberVector).items;
  if (type === 'int32') new Int32Array(buffer, byteOffset, data.length).set(data);
  else if (type === 'double') new Float64Array(buffer, byteOffset, data.length).set(data);
  else fillInt64(new Int32Array(buffer, byteOffset, 2 * data.length), data);
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

function toValue(value: DuckDBValue): QueryValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'bigint') return wholeNumber(value);
  const text = String(value);
  return isDecimal(value) ? Number(text) : text;
}

function wholeNumber(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}

function isDecimal(value: object): boolean {
  return 'scale' in value && 'width' in value;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0];
}
