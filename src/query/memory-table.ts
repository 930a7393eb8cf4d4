import type { DuckDBConnection, DuckDBDataChunk } from '@duckdb/node-api';
import { once } from '../base/once.ts';
import type { SchemaColumn, TableRows } from '../formats/tables/schema.ts';
import { CHUNK_ROWS, duckdbType, fillVector, fillWith } from './data-chunk.ts';

type DuckDB = typeof import('@duckdb/node-api');

/** Tables of numbers alone, which have most of the rows. */
export const MEMORY_TABLES = ['samples', 'stacks'] as const;

/** The rows of one recording. */
type Part = TableRows & { readonly recording: bigint };

/** State of a scan: its place, and the columns that it was asked for. */
type Scan = { part: number; row: number; readonly wanted: readonly number[] };

/**
 * A table that is not copied into the database: a function of SQL that hands out the rows from the columns they
 * are in, and only the columns that a query names. DuckDB asks for a chunk at a time, in the thread that waits for
 * the answer; the rows come in the order in which they were added.
 */
export class MemoryTable {
  readonly #columns: readonly SchemaColumn[];
  readonly #parts: (() => Part)[] = [];
  /** Views are bound when they are made, too, which must not compute the rows. */
  #isAsked = false;

  /** `columns`: with `recording` first. */
  constructor(columns: readonly SchemaColumn[]) {
    this.#columns = columns;
  }

  /** Adds the rows of a recording, which a query asks for if it needs them; they must not change after that. */
  add(recording: number, rows: () => TableRows): void {
    this.#parts.push(once(() => ({ recording: BigInt(recording), ...rows() })));
  }

  /** Makes the table known as the function `name`. */
  register(name: string, duckdb: DuckDB, connection: DuckDBConnection): void {
    const table = duckdb.DuckDBTableFunction.create({
      name,
      supportsProjectionPushdown: true,
      bindFunction: (bound) => {
        for (const column of this.#columns) {
          bound.addResultColumn(column.name, duckdbType(column.type, duckdb));
        }
        bound.setCardinality(this.#isAsked ? this.#rows() : 0, this.#isAsked);
      },
      initFunction: (scan) => {
        scan.setInitData({ part: 0, row: 0, wanted: scan.getColumnIndexes() } satisfies Scan);
      },
      mainFunction: (scan, chunk) => this.#fill(scan.getInitData() as Scan, chunk),
    });
    connection.registerTableFunction(table);
  }

  /** Tells that all views are made: whoever names the table from now on is a query. */
  open(): void {
    this.#isAsked = true;
  }

  #rows(): number {
    return this.#parts.reduce((sum, part) => sum + part().length, 0);
  }

  /** Fills a chunk with the rows that come next; one without rows ends the scan. */
  #fill(scan: Scan, chunk: DuckDBDataChunk): void {
    while (scan.part < this.#parts.length && scan.row >= this.#parts[scan.part]().length) {
      scan.part++;
      scan.row = 0;
    }
    const part = this.#parts.at(scan.part)?.();
    const first = scan.row;
    const end = part === undefined ? first : Math.min(part.length, first + CHUNK_ROWS);
    chunk.rowCount = end - first;
    scan.row = end;
    if (part === undefined) return;
    for (const [at, column] of scan.wanted.entries()) {
      // A query that only counts rows asks for a column that no table has.
      if (column >= this.#columns.length) continue;
      if (column === 0) fillWith(chunk, at, part.recording);
      else fillVector(chunk, at, this.#columns[column].type, part.columns[column - 1], first, end);
    }
  }
}
