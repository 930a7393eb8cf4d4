import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TABLE_NAMES } from '../../src/formats/tables/schema.ts';
import { VIEW_NAMES } from '../../src/formats/tables/views.ts';
import { DuckDBEngine } from '../../src/query/duckdb.ts';
import { QUERY_VERBS, verbSql } from '../../src/query/verbs.ts';
import { wantedTables, wantsTotals } from '../../src/query/wanted-tables.ts';
import { recordingTables } from '../../src/read/outputs/recording-tables.ts';
import { DRAWN, LATER, LIMITS } from '../helpers/query-tables.ts';

const OPTIONS = {
  func: 'work',
  limit: 100,
  sides: { old: [1], new: [2] },
  builds: ['1.0', '1.1'],
} as const;
const RUNS = [
  { opened: DRAWN, labels: { name: '1.data', build: '1.0' } },
  { opened: LATER, labels: { name: '2.data', build: '1.1' } },
];
const QUESTIONS: string[] = [
  ...VIEW_NAMES.map((view) => `select * from ${view} order by all`),
  ...QUERY_VERBS.map((verb) => verbSql(verb, OPTIONS)),
  'select count(*) from "SAMPLES"',
  'from "Functions" order by all',
  "select * from query_table('functions') order by all",
  'select table_name, estimated_size from duckdb_tables() order by all',
  'describe samples',
];

let whole: DuckDBEngine;
beforeAll(async () => {
  whole = await engineFor(null);
});
afterAll(() => whole.close());

/** With the tables that a question needs; null: all. */
async function engineFor(
  sql: string | null,
  totals = sql === null || wantsTotals(sql),
): Promise<DuckDBEngine> {
  const engine = await DuckDBEngine.open();
  const wanted = sql === null ? new Set(TABLE_NAMES) : wantedTables(sql);
  for (const [at, { opened, labels }] of RUNS.entries()) {
    await engine.add(at + 1, recordingTables(opened, labels, { wanted, totals }), wanted);
  }
  await engine.lock();
  return engine;
}

test.each(QUESTIONS.map((sql, at) => [at, sql.split('\n')[0], sql] as const))(
  'question %i, %s, is answered as if all tables were there',
  async (_at, _title, sql) => {
    const engine = await engineFor(sql);
    try {
      expect(await engine.run(sql, LIMITS)).toEqual(await whole.run(sql, LIMITS));
    } finally {
      engine.close();
    }
  },
);

test.each(QUERY_VERBS)('%s needs no intervals of totals', async (verb) => {
  const sql = verbSql(verb, OPTIONS);
  const engine = await engineFor(sql, false);
  expect(await engine.run(sql, LIMITS)).toEqual(await whole.run(sql, LIMITS));
  engine.close();
});

describe('what a question needs', () => {
  test('a question needs the tables of its views', () => {
    expect([...wantedTables('select * from top_self')].sort()).toEqual(['events', 'functions']);
    expect([...wantedTables('select * from callers')].sort()).toEqual([
      'events',
      'frames',
      'samples',
      'stacks',
    ]);
  });

  test('a question needs everything where the text need not have the names', () => {
    expect(wantedTables("from query('select 1')").size).toBe(TABLE_NAMES.length);
  });
});
