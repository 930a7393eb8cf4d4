// The same text is asked of DuckDB and of ClickHouse: views, questions by name, what docs/schema.md shows.

import { readFileSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tableColumns } from '../../src/formats/tables/schema.ts';
import { VIEW_NAMES } from '../../src/formats/tables/views.ts';
import { changesOfSums, type ShareChange } from '../../src/query/changes.ts';
import { ClickHouseEngine } from '../../src/query/clickhouse.ts';
import { parseClickHouse } from '../../src/query/clickhouse-place.ts';
import { DuckDBEngine } from '../../src/query/duckdb.ts';
import type { QueryValue } from '../../src/query/engine.ts';
import { QUERY_VERBS, type VerbOptions, verbSql } from '../../src/query/verbs.ts';
import { compareRecordings } from '../../src/read/outputs/compare-recordings.ts';
import { type RecordingLabels, recordingTables } from '../../src/read/outputs/recording-tables.ts';
import { hasClickHouse, openSession, serveSession } from '../helpers/clickhouse.ts';
import { DRAWN, LATER, LIMITS } from '../helpers/query-tables.ts';

const DOCUMENT = readFileSync(join(import.meta.dirname, '../../docs/schema.md'), 'utf8');
const SHOWN = [...DOCUMENT.matchAll(/```sql\n([^`]*)```/g)].map(([, sql]) => sql);

const OPTIONS: VerbOptions = {
  func: 'work',
  limit: 100,
  sides: { old: [1], new: [2] },
  builds: ['1.0', '1.1'],
};
const { func: _, ...UNNAMED } = OPTIONS;
/** Builds of JavaScript, in which lines have moved. */
const MOVED: VerbOptions = { ...UNNAMED, builds: ['2.0', '2.1'] };
const NOBODY: VerbOptions = { ...UNNAMED, builds: ['1.0', '9.9'] };
const RUNS = [
  { name: '1.data', service: 'shop', build: '1.0' },
  { name: '2.data', service: 'shop', build: '1.1' },
  { name: '3.data', service: 'shop', build: '1.1' },
  { name: '4.data', service: 'shop', build: '1.0' },
  { name: '5.data', service: 'page', build: '2.0' },
  { name: '6.data', service: 'page', build: '2.1' },
];

const QUESTIONS: [title: string, sql: string][] = [
  ...VIEW_NAMES.map((view): [string, string] => [view, `select * from ${view}`]),
  ...QUERY_VERBS.map((verb): [string, string] => [`query ${verb}`, verbSql(verb, OPTIONS)]),
  ...(['top', 'timeline', 'diff', 'compare', 'rarest', 'newest'] as const).map(
    (verb): [string, string] => [`query ${verb} of all functions`, verbSql(verb, UNNAMED)],
  ),
  ['query compare with a build of no recording', verbSql('compare', NOBODY)],
  ['query compare of moved lines', verbSql('compare', MOVED)],
  ['query newest of moved lines', verbSql('newest', { ...UNNAMED, service: 'page' })],
  ['query diff of four', verbSql('diff', { ...UNNAMED, sides: { old: [1, 4], new: [2, 3] } })],
  ...SHOWN.map((sql, at): [string, string] => [`query ${at + 1} of docs/schema.md`, sql]),
];

/** Options with a build that there is not. */
const MAY_BE_EMPTY = /'9\.9'/;

/** JavaScript: functions have moved by a line in the later build, and `(anonymous)` there are two. */
function withPlaces(tables: ReturnType<typeof recordingTables>, line: number) {
  const { functions } = tables;
  const places: Record<string, string> = {
    leaf: `leaf src/a.ts:${line}`,
    parse: `(anonymous) src/a.ts:${line + 10}`,
    idle: `(anonymous) src/a.ts:${line + 20}`,
  };
  const at = (name: string) =>
    tableColumns('functions').findIndex((column) => column.name === name) - 1;
  const columns = functions.columns.map((column, index) => {
    if (index !== at('func') && index !== at('kind')) return column;
    const funcs = functions.columns[at('func')] as readonly string[];
    return (column as readonly string[]).map((value, row) => {
      const place = places[funcs[row]];
      if (place === undefined) return value;
      return index === at('func') ? place : 'user code';
    });
  });
  return { ...tables, functions: { ...functions, columns } };
}

function tablesOf(at: number, labels: RecordingLabels): ReturnType<typeof recordingTables> {
  const tables = recordingTables(at % 2 === 0 ? DRAWN : LATER, labels);
  return labels.build?.startsWith('2.') ? withPlaces(tables, at) : tables;
}

/** To nine digits: engines add in other orders. Rows in one order: a view has none. */
function comparable(rows: readonly (readonly QueryValue[])[]): string[] {
  const value = (one: QueryValue) => (typeof one === 'number' ? Number(one.toPrecision(9)) : one);
  return rows.map((row) => JSON.stringify(row.map(value))).sort();
}

test('docs/schema.md shows queries', () => {
  expect(SHOWN.length).toBeGreaterThan(3);
});

test.each(QUESTIONS)('DuckDB answers %s', async (_title, sql) => {
  const { columns } = await duckdb.run(sql, LIMITS);
  expect(columns.length).toBeGreaterThan(0);
});

test('a build of no recording is like no other: there are no rows', async () => {
  const changes = async (options: VerbOptions) =>
    changesOfSums(await duckdb.run(verbSql('compare', options), LIMITS));
  expect(await changes(NOBODY)).toEqual([]);
  expect((await changes(UNNAMED)).length).toBeGreaterThan(0);
});

test.each([
  [[1], [2]],
  [
    [1, 4],
    [2, 3],
  ],
])('changes of the sums of %j and %j are those of the recordings', async (old, now) => {
  const sql = verbSql('diff', { ...UNNAMED, sides: { old, new: now } });
  const changes = changesOfSums(await duckdb.run(sql, LIMITS));
  const files = (numbers: readonly number[]) =>
    numbers.map((number) => ({ path: '', opened: number % 2 === 1 ? DRAWN : LATER }));
  const { comparisons } = compareRecordings(files(old), files(now), { by: 'share' });
  const shown = (rows: readonly ShareChange[]) =>
    rows.map(({ name, share: { here, there, interval, isCertain } }) => {
      const ends = [here, there, interval?.low ?? null, interval?.high ?? null];
      return [name, isCertain, ...ends.map((value) => value && Number(value.toFixed(9)))];
    });
  expect(shown(changes)).toEqual(shown(comparisons[0].functions));
});

test('a function of JavaScript whose line has moved is one, unless there are several of its name', async () => {
  const changes = changesOfSums(await duckdb.run(verbSql('compare', MOVED), LIMITS));
  const places = changes.filter(({ name }) => name.includes('src/a.ts'));
  const leaves = places.filter(({ name }) => name.startsWith('leaf'));
  expect(leaves.map(({ name }) => name)).toEqual(['leaf src/a.ts:5']);
  expect(leaves[0].share.there).toBeGreaterThan(0);
  expect(leaves[0].share.here).toBeGreaterThan(0);
  expect(places.filter(({ name }) => name.startsWith('(anonymous)'))).toHaveLength(3);

  const { rows: seen } = await duckdb.run(
    verbSql('newest', { ...UNNAMED, service: 'page' }),
    LIMITS,
  );
  const named = seen.map(([func, recordings]) => `${func} in ${recordings}`);
  expect(named).toContain('leaf src/a.ts in 2');
});

let duckdb: DuckDBEngine;
beforeAll(async () => {
  duckdb = await DuckDBEngine.open();
  for (const [at, labels] of RUNS.entries()) {
    await duckdb.add(at + 1, tablesOf(at, labels));
  }
  await duckdb.lock();
});
afterAll(() => duckdb.close());

describe.skipIf(!hasClickHouse)('ClickHouse', () => {
  let session: ReturnType<typeof openSession>;
  let server: Server;
  let clickhouse: ClickHouseEngine;

  beforeAll(async () => {
    session = openSession();
    const served = await serveSession(session);
    server = served.server;
    clickhouse = new ClickHouseEngine(parseClickHouse(served.url));
    for (const [at, labels] of RUNS.entries()) {
      await clickhouse.insert(at + 1, tablesOf(at, labels));
    }
  });
  afterAll(() => {
    server.close();
    session.close();
    rmSync('chdb_data', { recursive: true, force: true });
  });

  test.each(QUESTIONS)('a statement answers %s as DuckDB does', async (_title, sql) => {
    const [one, other] = [await duckdb.run(sql, LIMITS), await clickhouse.run(sql, LIMITS)];
    expect(other.columns).toEqual(one.columns);
    expect(comparable(other.rows)).toEqual(comparable(one.rows));
    if (!MAY_BE_EMPTY.test(sql)) expect(one.rows).not.toEqual([]);
  });

  test('the engine reports what is wrong with a query', async () => {
    await expect(clickhouse.run('select nosuch from samples', LIMITS)).rejects.toThrow(/nosuch/);
  });

  test('ClickHouse has a recording once', async () => {
    const tables = recordingTables(DRAWN, { name: '1.data' });
    await expect(clickhouse.insert(1, tables)).rejects.toThrow('on the server already');
  });
});
