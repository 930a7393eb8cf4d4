import { gzipSync } from 'node:zlib';
import { AbortError, FailedError, messageOf, UsageError } from '../base/errors.ts';
import { lateModules } from '../base/late-modules.ts';
import { clickHouseSchema } from '../formats/tables/ddl.ts';
import { type RecordingTables, type SchemaTable, TABLE_NAMES } from '../formats/tables/schema.ts';
import { insertStatement, tabSeparated } from '../formats/tables/tab-separated.ts';
import type { ClickHousePlace } from './clickhouse-place.ts';
import { tooLate } from './duckdb.ts';
import type { QueryAnswer, QueryEngine, QueryLimits, QueryValue } from './engine.ts';

const INSERT_TIMEOUT_MS = 120_000;
/** Rows of one insert: some megabytes of text. */
const INSERT_ROWS = 50_000;
const MOST_REASON = 300;
const VERSION_TIMEOUT_MS = 5000;
/** The user who has interrupted a query waits no longer for its end. */
const KILL_TIMEOUT_MS = 2000;
/** Before it there are no common table expressions, and no joins of more than two tables. */
const OLDEST = 21;

/** A ClickHouse server that has the tables, asked over HTTP; it is changed by `insert` only. */
export class ClickHouseEngine implements QueryEngine {
  readonly #place: ClickHousePlace;

  constructor(place: ClickHousePlace) {
    this.#place = place;
  }

  async run(sql: string, limits: QueryLimits): Promise<QueryAnswer> {
    try {
      return await this.#run(sql, limits);
    } catch (error) {
      if (error instanceof UsageError) await this.#explainAge(error);
      throw error;
    }
  }

  async #run(sql: string, { maxRows, timeoutSeconds, signal }: QueryLimits): Promise<QueryAnswer> {
    const queryId = `perf-ts-${lateModules.crypto.randomUUID()}`;
    const text = await this.#post(sql, {
      query: {
        query_id: queryId,
        default_format: 'JSONCompact',
        readonly: '2',
        max_execution_time: String(Math.ceil(timeoutSeconds)),
        max_result_rows: String(maxRows + 1),
        result_overflow_mode: 'break',
        output_format_json_quote_64bit_integers: '1',
      },
      timeoutMs: timeoutSeconds * 1000,
      ...(signal !== undefined && { signal }),
    }).catch(async (error: unknown) => {
      if (signal?.aborted) await this.#kill(queryId);
      throw error;
    });
    const { meta, data } = parseAnswer(text);
    const isWhole = meta.map(({ type }) => /\bU?Int\d/.test(type));
    return {
      columns: meta.map(({ name }) => name),
      rows: data
        .slice(0, maxRows)
        .map((row) => row.map((value, at) => (isWhole[at] ? wholeNumber(value) : value))),
      isCut: data.length > maxRows,
    };
  }

  /** Adds a recording; makes tables and views where there are none. */
  async insert(recording: number, tables: RecordingTables): Promise<void> {
    await this.#makeTables();
    const { rows } = await this.run(
      `select count(*) as n from recordings r where r.recording = ${recording}`,
      { maxRows: 1, timeoutSeconds: INSERT_TIMEOUT_MS / 1000 },
    );
    if (rows[0]?.[0] !== 0) {
      throw new FailedError(`recording ${recording} is on the server already`);
    }
    // The row that makes it known comes last.
    const order = TABLE_NAMES.filter((table) => table !== 'recordings');
    for (const table of [...order, 'recordings' as const]) {
      await this.#insertRows(recording, table, tables);
    }
  }

  close(): void {}

  /** Ends a query that nobody waits for any more: the server does not look whether somebody does. */
  async #kill(queryId: string): Promise<void> {
    const statement = `kill query where query_id = '${queryId}' async`;
    await this.#post(statement, { query: {}, timeoutMs: KILL_TIMEOUT_MS }).catch(() => '');
  }

  async #makeTables(): Promise<void> {
    for (const statement of clickHouseSchema()) {
      try {
        await this.#post(statement, { query: {}, timeoutMs: INSERT_TIMEOUT_MS });
      } catch (error) {
        await this.#explainAge(error);
        throw error;
      }
    }
  }

  /** Throws a better reason where the server is too old for what was asked. */
  async #explainAge(error: unknown): Promise<void> {
    const version = await this.#post('select version()', {
      query: { default_format: 'TabSeparated' },
      timeoutMs: VERSION_TIMEOUT_MS,
    }).catch(() => '');
    if (!(Number.parseInt(version, 10) < OLDEST)) return;
    const reason = messageOf(error);
    throw new FailedError(`ClickHouse ${version.trim()} is too old: ${reason}`, [
      `views and named questions need ${OLDEST} or newer; plain SQL over one table works`,
    ]);
  }

  async #insertRows(recording: number, table: SchemaTable, tables: RecordingTables): Promise<void> {
    const { length, columns } = tables[table];
    for (let first = 0; first < length; first += INSERT_ROWS) {
      const lines: string[] = [];
      for (let row = first; row < Math.min(length, first + INSERT_ROWS); row++) {
        lines.push(tabSeparated(recording, columns, row));
      }
      await this.#post(`${lines.join('\n')}\n`, {
        query: { query: insertStatement(table) },
        timeoutMs: INSERT_TIMEOUT_MS,
        isPacked: true,
      });
    }
  }

  async #post(
    body: string,
    options: {
      readonly query: Readonly<Record<string, string>>;
      readonly timeoutMs: number;
      readonly signal?: AbortSignal;
      readonly isPacked?: boolean;
    },
  ): Promise<string> {
    const { origin, database, user, password } = this.#place;
    const late = AbortSignal.timeout(options.timeoutMs);
    const search = new URLSearchParams({ database, ...options.query });
    try {
      const response = await fetch(`${origin}/?${search}`, {
        method: 'POST',
        headers: {
          'X-ClickHouse-User': user,
          ...(password !== '' && { 'X-ClickHouse-Key': password }),
          ...(options.isPacked && { 'Content-Encoding': 'gzip' }),
        },
        body: options.isPacked ? gzipSync(body, { level: 1 }) : body,
        signal: options.signal === undefined ? late : AbortSignal.any([late, options.signal]),
      });
      const text = await response.text();
      if (!response.ok) throw refusal(origin, response.status, text);
      return text;
    } catch (error) {
      if (options.signal?.aborted) throw new AbortError(options.signal);
      if (late.aborted) throw tooLate(options.timeoutMs / 1000);
      if (error instanceof FailedError || error instanceof UsageError) throw error;
      const { cause, message } = error as Error;
      throw new FailedError(
        `${origin} does not answer: ${cause ? (cause as Error).message : message}`,
      );
    }
  }
}

function refusal(origin: string, status: number, text: string): Error {
  const reason = text.split('\n')[0].slice(0, MOST_REASON);
  if (status === 401 || status === 403 || /Code: (516|192|194)\b/.test(reason)) {
    return new FailedError(`${origin} refuses the user: ${reason}`, [
      'name one: clickhouse://USER@HOST, the password in CLICKHOUSE_PASSWORD',
    ]);
  }
  return new UsageError(`the query failed: ${reason}`);
}

type Answer = {
  readonly meta: readonly { readonly name: string; readonly type: string }[];
  readonly data: readonly (readonly QueryValue[])[];
};

/** A failure while the answer was under way stands behind it, and the status was sent before. */
function parseAnswer(text: string): Answer {
  try {
    return JSON.parse(text) as Answer;
  } catch {
    const reason = /Code: \d+[^\n]*/.exec(text)?.[0] ?? 'the answer breaks off';
    throw new UsageError(`the query failed: ${reason.slice(0, MOST_REASON)}`);
  }
}

/** A number that may have 64 bits, which come as text. */
function wholeNumber(value: QueryValue): QueryValue {
  if (typeof value !== 'string') return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
