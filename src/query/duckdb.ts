import { totalmem } from 'node:os';
import type { DuckDBConnection, DuckDBInstance, DuckDBValue } from '@duckdb/node-api';
import { AbortError, FailedError, messageOf, UsageError } from '../base/errors.ts';
import { words } from '../base/words.ts';
import { createTable } from '../formats/tables/ddl.ts';
import {
  type RecordingTables,
  type SchemaTable,
  TABLE_NAMES,
  type TableRows,
  tableColumns,
} from '../formats/tables/schema.ts';
import { VIEW_NAMES, viewText } from '../formats/tables/views.ts';
import { QUERY } from '../options/query.ts';
import { CHUNK_ROWS, duckdbType, fillVector } from './data-chunk.ts';
import type { QueryAnswer, QueryEngine, QueryLimits, QueryValue } from './engine.ts';
import { MEMORY_TABLES, MemoryTable } from './memory-table.ts';

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

type MemoryName = (typeof MEMORY_TABLES)[number];

/**
 * DuckDB in memory. Recordings are added first; `lock` then makes the views and takes from the engine
 * files, the network, extensions and its own settings, since a query may come from anywhere.
 *
 * Tables of numbers, which have nearly all rows, stay where they are (`memory-table.ts`): to copy a million
 * samples takes 0.6 s, the few columns that a query asks for 0.05 s.
 */
export class DuckDBEngine implements QueryEngine {
  readonly #duckdb: DuckDB;
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;
  /** None by a DuckDB that takes no tables of ours: before 1.5. */
  readonly #inMemory: ReadonlyMap<MemoryName, MemoryTable>;

  constructor(duckdb: DuckDB, instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#duckdb = duckdb;
    this.#instance = instance;
    this.#connection = connection;
    this.#inMemory = new Map(
      'registerTableFunction' in connection
        ? MEMORY_TABLES.map((table) => [table, new MemoryTable(tableColumns(table))] as const)
        : [],
    );
  }

  static async open(duckdb?: DuckDB): Promise<DuckDBEngine> {
    const library = duckdb ?? (await loadDuckDB());
    const instance = await library.DuckDBInstance.create(':memory:', {
      memory_limit: `${Math.floor(totalmem() / 2e6)}MB`,
      temp_directory: '',
    });
    const connection = await instance.connect();
    const engine = new DuckDBEngine(library, instance, connection);
    for (const table of TABLE_NAMES) {
      await connection.run(createTable(table, 'duckdb'));
      const stored = engine.#storedName(table);
      if (stored !== table) await connection.run(`alter table ${table} rename to ${stored}`);
    }
    return engine;
  }

  /** Adds a recording under a number; of its tables those that will be asked. Their columns must not change. */
  async add(
    recording: number,
    tables: RecordingTables,
    wanted: Iterable<SchemaTable> = TABLE_NAMES,
  ): Promise<void> {
    for (const [name, inMemory] of this.#inMemory) inMemory.add(recording, () => tables[name]);
    for (const table of wanted) {
      if (!this.#isInMemory(table)) await this.#append(recording, table, tables[table]);
    }
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
          `insert into ${this.#storedName(table)} by name select * replace (${recording}::bigint as recording) from read_parquet(${file})`,
        );
      } catch (error) {
        throw new FailedError(`${folder}: not the tables of a recording: ${sentencesOf(error)}`);
      }
    }
  }

  async lock(): Promise<void> {
    for (const [name, inMemory] of this.#inMemory) {
      inMemory.register(`memory_${name}`, this.#duckdb, this.#connection);
    }
    for (const table of MEMORY_TABLES) {
      if (!this.#isInMemory(table)) continue;
      await this.#connection.run(
        `create view ${table} as select * from memory_${table}() union all select * from stored_${table}`,
      );
    }
    for (const view of VIEW_NAMES) {
      await this.#connection.run(`create view ${view} as ${viewText(view, 'duckdb')}`);
    }
    for (const inMemory of this.#inMemory.values()) inMemory.open();
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
      throw new UsageError(`the query failed: ${sentencesOf(error)}`);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', interrupt);
    }
  }

  close(): void {
    this.#connection.closeSync();
    this.#instance.closeSync();
  }

  #isInMemory(table: SchemaTable): boolean {
    return this.#inMemory.has(table as MemoryName);
  }

  /** Name of the table that has the rows which came from Parquet, where a view shows these and those in memory. */
  #storedName(table: SchemaTable): string {
    return this.#isInMemory(table) ? `stored_${table}` : table;
  }

  async #append(
    recording: number,
    table: SchemaTable,
    { length, columns }: TableRows,
  ): Promise<void> {
    const described = tableColumns(table);
    const types = described.map(({ type }) => duckdbType(type, this.#duckdb));
    const appender = await this.#connection.createAppender(table);
    for (let first = 0; first < length; first += CHUNK_ROWS) {
      const end = Math.min(length, first + CHUNK_ROWS);
      const chunk = this.#duckdb.DuckDBDataChunk.create(types, end - first);
      const own = new Float64Array(end - first).fill(recording);
      fillVector(chunk, 0, described[0].type, own, 0, end - first);
      for (let at = 1; at < described.length; at++) {
        fillVector(chunk, at, described[at].type, columns[at - 1], first, end);
      }
      appender.appendDataChunk(chunk);
    }
    appender.closeSync();
  }
}

export function tooLate(seconds: number): FailedError {
  return new FailedError(`the query took longer than ${seconds} s and was ended`, [
    words`allow more by ${QUERY.timeout} SECONDS, or ask for less`,
  ]);
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

/** The engine's report and suggestion, without the line of SQL and the mark below it. */
function sentencesOf(error: unknown): string {
  const lines = messageOf(error).split('\n');
  return lines
    .filter((line) => line.trim() !== '' && !/^(?:LINE \d+:|\s*\^)/.test(line))
    .join('; ');
}
