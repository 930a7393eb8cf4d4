import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { VIEW_NAMES } from '../../src/formats/tables/views.ts';
import type { DuckDBEngine } from '../../src/query/duckdb.ts';
import { answerByName } from '../../src/query/named-answers.ts';
import { profileFromText } from '../helpers/profile-from-text.ts';
import { analysed, DRAWN, engineWith, LIMITS, rowsOf } from '../helpers/query-tables.ts';

let engine: DuckDBEngine;
beforeAll(async () => {
  engine = await engineWith(DRAWN);
});
afterAll(() => engine.close());

test.each(['self', 'total'] as const)(
  'top_%s has the figures and intervals of the report',
  async (by) => {
    const rows = await rowsOf(
      engine,
      `select func, weight, share, low, high from top_${by} order by func`,
    );
    const expected = DRAWN.report()
      .bySymbol.map((row) => {
        const interval = by === 'self' ? row.selfInterval : row.totalInterval;
        const share = by === 'self' ? row.selfShare : row.totalShare;
        return [DRAWN.nameOf(row.func), row[by], share, interval?.low, interval?.high] as const;
      })
      .filter(([, weight]) => weight > 0)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    expect(rows).toEqual(expected);
  },
);

test('every view that has shares has the row [lost], as the report estimates it', async () => {
  const { lost, weight } = DRAWN.report();
  expect(lost).toBeGreaterThan(0);
  const figures = 'weight, share';
  const ofLost = "where func = '[lost]'";
  const [self] = await rowsOf(engine, `select ${figures} from top_self ${ofLost}`);
  expect(self[0]).toBeCloseTo(lost, 6);
  expect(self[1]).toBeCloseTo(lost / weight, 9);
  // All samples are within one second.
  const [second] = await rowsOf(engine, `select ${figures} from timeline ${ofLost}`);
  for (const [at, value] of self.entries()) expect(second[at]).toBeCloseTo(value as number, 9);
  expect(await rowsOf(engine, "select weight from folded where path = '[lost]'")).toEqual([
    [self[0]],
  ]);
  expect(await rowsOf(engine, 'select lost, lost_samples from ledger')).toEqual([[self[0], 2]]);
});

test('callers count a sample once for each caller, however deep a function recurs', async () => {
  const rows = await rowsOf(
    engine,
    "select caller, weight, samples from callers where func = 'work' order by caller",
  );
  const { values } = DRAWN.weights();
  const main = [0, 1, 2, 4, 5].map((at) => values[at]);
  const sum = (parts: readonly number[]) => parts.reduce((all, part) => all + part, 0);
  expect(rows).toEqual([
    ['idle', values[8], 1],
    ['main', sum(main), 5],
    ['work', values[2], 1],
  ]);
});

test('callees and [self] of a function add up to its total where it does not recur', async () => {
  const [[callees]] = await rowsOf(engine, "select sum(weight) from callees where func = 'parse'");
  const [[total]] = await rowsOf(engine, "select weight from top_total where func = 'parse'");
  expect(callees).toBeCloseTo(total as number, 6);
});

test('a view without the intervals of the report has none', async () => {
  for (const view of ['callers', 'callees', 'lines', 'timeline']) {
    const { columns, rows } = await engine.run(`select * from ${view}`, LIMITS);
    expect(columns).toContain('share');
    expect(columns).not.toContain('low');
    expect(rows.length).toBeGreaterThan(0);
  }
});

test('folded paths are those of the folded export, with all weight', async () => {
  const rows = await rowsOf(engine, 'select path, weight from folded order by path');
  expect(rows.map(([path]) => path)).toEqual([
    '[lost]',
    '[no stack]',
    'main;idle',
    'main;idle;work',
    'main;parse',
    'main;parse;leaf',
    'main;work',
    'main;work;leaf',
    'main;work;read',
    'main;work;work;leaf',
  ]);
  const [[weight]] = await rowsOf(engine, 'select weight from events');
  expect(rows.reduce((sum, [, value]) => sum + (value as number), 0)).toBeCloseTo(
    weight as number,
    6,
  );
});

describe('a locked engine', () => {
  test.each([
    ["select * from read_text('/etc/hostname')"],
    ["copy samples to 'out.csv'"],
    ["attach 'other.db'"],
    ['install httpfs'],
    ["load 'httpfs'"],
    ["select * from read_csv('https://localhost/x')"],
    ['set enable_external_access = true'],
    ['reset lock_configuration'],
    ["export database 'folder'"],
  ])('refuses %s', async (sql) => {
    await expect(engine.run(sql, LIMITS)).rejects.toThrow(
      /file system|Cannot (access|change)|disabled|locked/,
    );
  });

  test('a limit of time ends a query, and the next one is answered', async () => {
    const endless = 'select count(*) from range(100000000) t(a), range(100000) u(b)';
    await expect(engine.run(endless, { maxRows: 1, timeoutSeconds: 0.2 })).rejects.toThrow(
      /longer than 0.2 s/,
    );
    expect(await rowsOf(engine, 'select 1')).toEqual([[1]]);
  });

  test('a signal ends a query', async () => {
    const endless = 'select count(*) from range(100000000) t(a), range(100000) u(b)';
    const stop = new AbortController();
    const ended = engine.run(endless, { ...LIMITS, signal: stop.signal });
    setTimeout(() => stop.abort(), 50);
    await expect(ended).rejects.toThrow('aborted');
  });

  test('a limit of rows stops a query', async () => {
    const { rows, isCut } = await engine.run('select * from range(100000)', {
      maxRows: 7,
      timeoutSeconds: 60,
    });
    expect([rows.length, isCut]).toEqual([7, true]);
  });
});

test('functions of one name in files of one name are told apart, as the question by name does', async () => {
  const drawn = profileFromText(`
    period 10         20         5
           main       main       main
           run@a.so   run@b.so   run@a.so
  `);
  const dsos = drawn.dsos.map((dso) =>
    /^[ab]\.so$/.test(dso.name) ? { ...dso, name: 'plugin.so', path: `/opt/${dso.name}` } : dso,
  );
  const opened = analysed({ ...drawn, dsos });
  const answer = await answerByName('top', [{ recording: 1, file: 'x' }], async () => opened, {
    ...{ func: 'run', limit: 9, maxRows: 9 },
  });
  const expected = answer.rows
    .map((row) => ['func', 'dso', 'weight'].map((name) => row[answer.columns.indexOf(name)]))
    .sort(([, a], [, b]) => (`${a}` < `${b}` ? -1 : 1));
  expect(expected.map(([, dso]) => dso)).toEqual(['/opt/a.so', '/opt/b.so']);
  const one = await engineWith(opened);
  for (const view of ['top_self', 'timeline', 'callers', 'lines']) {
    const weight = view === 'lines' ? 'self' : 'weight';
    const where = "where func = 'run' order by dso";
    const rows = await rowsOf(one, `select func, dso, ${weight} from ${view} ${where}`);
    expect(rows, view).toEqual(expected);
  }
  one.close();
});

test('every view can be asked', async () => {
  for (const view of VIEW_NAMES) await engine.run(`select * from ${view}`, LIMITS);
});
