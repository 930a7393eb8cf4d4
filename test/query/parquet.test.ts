import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { encodeParquet } from '../../src/formats/tables/parquet.ts';
import { TABLE_NAMES, tableColumns } from '../../src/formats/tables/schema.ts';
import { DuckDBEngine } from '../../src/query/duckdb.ts';
import { recordingTables } from '../../src/read/outputs/recording-tables.ts';
import { hasClickHouse, openSession } from '../helpers/clickhouse.ts';
import { DRAWN, engineWith, LIMITS } from '../helpers/query-tables.ts';
import { scratchDirectory } from '../helpers/scratch.ts';

const RECORDING = 2 ** 53 - 1;

/** A folder with every table of the drawn recording. */
function writtenFolder(): string {
  const folder = join(scratchDirectory(), 'drawn.parquet');
  mkdirSync(folder);
  const tables = recordingTables(DRAWN, { name: '1.data' });
  for (const table of TABLE_NAMES) {
    const bytes = encodeParquet(table, RECORDING, tables[table], 'test');
    writeFileSync(join(folder, `${table}.parquet`), bytes);
  }
  return folder;
}

test('DuckDB reads from Parquet what it was given directly, in every table', async () => {
  const direct = await engineWith(DRAWN);
  const read = await DuckDBEngine.open();
  await read.addParquet(1, writtenFolder());
  await read.lock();
  for (const table of TABLE_NAMES) {
    const sql = `select * from ${table}`;
    expect(await read.run(sql, LIMITS), table).toEqual(await direct.run(sql, LIMITS));
  }
  direct.close();
  read.close();
});

test('a table of many rows tells the bytes so far, and is the same file', () => {
  const length = 250_000;
  const columns = tableColumns('marks').slice(1);
  const rows = {
    length,
    columns: columns.map(({ type }) =>
      type === 'text' ? new Array<string>(length).fill('turn') : new Float64Array(length),
    ),
  };
  const reported: number[] = [];
  const bytes = encodeParquet('marks', RECORDING, rows, 'test', (written) =>
    reported.push(written),
  );
  expect(reported.length).toBeGreaterThanOrEqual(3);
  expect(reported).toEqual(reported.toSorted((a, b) => a - b));
  expect(reported.at(-1)).toBeLessThan(bytes.length);
  expect(bytes).toEqual(encodeParquet('marks', RECORDING, rows, 'test'));
});

test('a folder that lacks a table is refused by its name', async () => {
  const engine = await DuckDBEngine.open();
  await expect(engine.addParquet(1, '/nonexistent.parquet')).rejects.toThrow(
    '/nonexistent.parquet: not the tables of a recording',
  );
  engine.close();
});

describe.skipIf(!hasClickHouse)('ClickHouse', () => {
  test('the tables of Parquet have the same rows, with names and types of their own', async () => {
    const folder = writtenFolder();
    const direct = await engineWith(DRAWN);
    const session = openSession();
    for (const table of TABLE_NAMES) {
      const names = tableColumns(table).map(({ name }) => name);
      const [first, ...others] = names;
      expect(first).toBe('recording');
      const file = `file('${folder}/${table}.parquet', Parquet)`;
      const text = session.query(
        `select recording, ${others.join(', ')} from ${file} settings output_format_json_quote_64bit_integers = 0`,
        'JSONCompactEachRow',
      );
      const rows = text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as unknown[]);
      const { rows: expected } = await direct.run(`select * from ${table}`, LIMITS);
      expect(
        rows.map(([, ...values]) => values),
        table,
      ).toEqual(expected.map(([, ...values]) => values));
      for (const [recording] of rows) expect(recording).toBe(RECORDING);
    }
    session.close();
    direct.close();
  });
});
