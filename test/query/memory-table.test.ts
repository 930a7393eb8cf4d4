// Tables that DuckDB reads where they lie in memory: the same as tables that it has itself.

import { expect, test } from 'vitest';
import { VIEW_NAMES } from '../../src/formats/tables/views.ts';
import { DuckDBEngine, loadDuckDB } from '../../src/query/duckdb.ts';
import { recordingTables } from '../../src/read/outputs/recording-tables.ts';
import { profileFromText } from '../helpers/profile-from-text.ts';
import { analysed, DRAWN, LATER, LIMITS, rowsOf } from '../helpers/query-tables.ts';

/** More samples than a chunk of DuckDB has rows, 0.1 s apart. */
const SAMPLES = 5000;
const LONG = (() => {
  const stacks = 'main work leaf idle'.split(' ');
  const line = (of: (at: number) => string) =>
    Array.from({ length: SAMPLES }, (_, at) => of(at).padEnd(5)).join(' ');
  const { samples, ...profile } = profileFromText(`
    period ${line((at) => String(10 + (at % 7)))}
           ${line(() => 'main')}
           ${line((at) => stacks[at % 4])}
  `);
  const timeNs = samples.timeNs.map((_, at) => at * 1e8);
  return analysed({ ...profile, samples: { ...samples, timeNs } });
})();

/** DuckDB as it was before it took tables of ours. */
async function olderDuckDB(): Promise<Awaited<ReturnType<typeof loadDuckDB>>> {
  const duckdb = await loadDuckDB();
  const without = <Value extends object>(value: Value, keys: Partial<Record<string, unknown>>) =>
    new Proxy(value, {
      has: (of, key) => !(key in keys) && key in of,
      get: (of, key) => {
        const own = keys[key as string];
        if (own !== undefined) return own;
        const inner = Reflect.get(of, key) as unknown;
        return typeof inner === 'function' ? inner.bind(of) : inner;
      },
    });
  const create: typeof duckdb.DuckDBInstance.create = async (...args) => {
    const instance = await duckdb.DuckDBInstance.create(...args);
    const connect = async () =>
      without(await instance.connect(), { registerTableFunction: 'none' });
    return without(instance, { connect });
  };
  return { ...duckdb, DuckDBInstance: { create } as typeof duckdb.DuckDBInstance };
}

async function engineOf(duckdb?: Awaited<ReturnType<typeof loadDuckDB>>): Promise<DuckDBEngine> {
  const engine = await DuckDBEngine.open(duckdb);
  for (const [at, opened] of [DRAWN, LONG, LATER].entries()) {
    await engine.add(at + 1, recordingTables(opened, { name: `${at + 1}.data` }));
  }
  await engine.lock();
  return engine;
}

/** Rows to nine digits, in one order: engines add in other orders, a view has none. */
async function comparable(engine: DuckDBEngine, sql: string): Promise<string[]> {
  const rows = await rowsOf(engine, sql);
  const value = (one: unknown) => (typeof one === 'number' ? Number(one.toPrecision(9)) : one);
  return rows.map((row) => JSON.stringify(row.map(value))).sort();
}

test('tables and views are those of a DuckDB that has copies of all rows', async () => {
  const inMemory = await engineOf();
  const copied = await engineOf(await olderDuckDB());
  for (const name of ['samples', 'stacks', ...VIEW_NAMES]) {
    const sql = `select * from ${name}`;
    const rows = await comparable(inMemory, sql);
    expect(rows, name).toEqual(await comparable(copied, sql));
    expect(rows.length, name).toBeGreaterThan(0);
  }
  // Only the one has a function that hands them out.
  await inMemory.run('select * from memory_samples()', LIMITS);
  await expect(copied.run('select * from memory_samples()', LIMITS)).rejects.toThrow(
    'memory_samples',
  );
  inMemory.close();
  copied.close();
});

test('rows are counted, ordered by recording and sample, and read by several scans at once', async () => {
  const engine = await engineOf();
  const counts = 'select recording, count(*) from samples group by recording order by recording';
  expect(await rowsOf(engine, counts)).toEqual([
    [1, 10],
    [2, SAMPLES],
    [3, 8],
  ]);
  const [[all, sum]] = await rowsOf(engine, 'select count(*), sum(sample) from samples');
  expect([all, sum]).toEqual([SAMPLES + 18, (SAMPLES * (SAMPLES - 1)) / 2 + 45 + 28]);
  const joined = `select count(*) from samples a join samples b
    on a.recording = b.recording and a.sample = b.sample + 1`;
  expect(await rowsOf(engine, joined)).toEqual([[SAMPLES - 1 + 9 + 7]]);
  engine.close();
});

test('a query that stops after some rows leaves the engine able to answer, and to close', async () => {
  const engine = await engineOf();
  const some = await engine.run('select * from samples, stacks', { ...LIMITS, maxRows: 3 });
  expect([some.rows.length, some.isCut]).toEqual([3, true]);
  expect(await rowsOf(engine, 'select max(sample) from samples')).toEqual([[SAMPLES - 1]]);
  engine.close();
});

test('a scan that takes too long is ended', async () => {
  const engine = await engineOf();
  const long = `select count(*) from samples a, samples b, samples c
    where a.weight * b.weight * c.weight = 0.5`;
  await expect(engine.run(long, { maxRows: 1, timeoutSeconds: 0.2 })).rejects.toThrow(
    /longer than 0.2 s/,
  );
  engine.close();
});
