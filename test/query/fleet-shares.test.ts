// Shares over many windows, by SQL, against loads that know their truth: what a function takes of all that a program
// takes in the long run.

import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, test } from 'vitest';
import { t95 } from '../../src/base/student.ts';
import { changeOfSides } from '../../src/profile/analysis/change.ts';
import { withSensitivity } from '../../src/query/changes.ts';
import { verbSql } from '../../src/query/verbs.ts';
import { seededRandom } from '../helpers/random.ts';

/** A window of a host: what it weighs, the part that the function has of that, and its samples. */
type Window = { readonly host: number; readonly weight: number; readonly share: number };
type Load = {
  readonly hosts: number;
  readonly windows: number;
  /** The windows of one host in their order. */
  readonly next: (random: () => number, host: number) => () => Omit<Window, 'host'>;
};

const TRIES = 500;
const WINDOW_NS = 10e9;
/** A second of a CPU at 19 Hz. */
const HZ = 19;
const OPEN = 1.96;

const LOADS: Readonly<Record<string, Load>> = {
  'a steady load': { hosts: 1, windows: 60, next: () => () => ({ weight: 10, share: 0.3 }) },
  'a load whose busy windows are those of the function': {
    hosts: 1,
    windows: 60,
    next: (random) => () =>
      random() < 0.2 ? { weight: 10, share: 0.95 } : { weight: 0.3, share: 0.05 },
  },
  'a load of phases of some windows': {
    hosts: 1,
    windows: 120,
    next: (random) => {
      let isBusy = random() < 0.5;
      return () => {
        if (random() < 0.5) isBusy = !isBusy;
        return isBusy ? { weight: 10, share: 0.6 } : { weight: 3, share: 0.1 };
      };
    },
  },
  'requests of any length': {
    hosts: 1,
    windows: 60,
    next: (random) => () => ({
      weight: 2 * (0.2 + random()) ** 3,
      share: random() ** 2,
    }),
  },
  'a rare function': { hosts: 1, windows: 60, next: () => () => ({ weight: 10, share: 0.004 }) },
  'twelve hosts of other loads': {
    hosts: 12,
    windows: 12,
    next: (random) => {
      const share = 0.1 + 0.5 * random();
      const weight = 2 + 8 * random();
      return () => ({ weight, share });
    },
  },
  'three hosts alike': {
    hosts: 3,
    windows: 20,
    next: (random) => () => ({ weight: 1 + 9 * random(), share: 0.2 + 0.4 * random() }),
  },
  'six windows': {
    hosts: 1,
    windows: 6,
    next: (random) => () => ({ weight: 4 + 2 * random(), share: 0.3 + 0.2 * random() }),
  },
};

function poisson(mean: number, random: () => number): number {
  const limit = Math.exp(-mean);
  let [count, product] = [0, random()];
  while (product > limit) {
    count++;
    product *= random();
  }
  return count;
}

/** The part of all that the load takes in the long run. */
function truthOf({ next }: Load): number {
  const random = seededRandom(1);
  let [self, all] = [0, 0];
  for (let host = 0; host < 4000; host++) {
    const take = next(random, host);
    for (let i = 0; i < 50; i++) {
      const { weight, share } = take();
      self += weight * share;
      all += weight;
    }
  }
  return self / all;
}

/** The answers of `share` about so many groups of windows of a load, each a build of its own. */
async function sharesOf({ hosts, windows, next }: Load) {
  const random = seededRandom(2);
  type Row = readonly (string | number)[];
  const [recordings, events, functions]: Row[][] = [[], [], []];
  for (let build = 0; build < TRIES; build++) {
    for (let host = 0; host < hosts; host++) {
      const take = next(random, host);
      for (let i = 0; i < windows; i++) {
        const { weight, share } = take();
        const samples = weight * HZ;
        const mine = poisson(samples * share, random);
        const all = mine + poisson(samples * (1 - share), random);
        const id = recordings.length + 1;
        recordings.push([id, 's', `b${build}`, `h${host}`, i * WINDOW_NS]);
        events.push([id, 0, 'cpu-clock', all / HZ, Math.min(1, 3.7 / Math.max(1, all))]);
        if (mine === 0) continue;
        const half = (OPEN * Math.sqrt(Math.max(1, (mine * (all - mine)) / all))) / all;
        const ends = [Math.max(0, mine / all - half), Math.min(1, mine / all + half)];
        functions.push([id, 0, 'f', mine / all, ...ends]);
      }
    }
  }
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    for (const [table, columns, rows] of [
      ['recordings', 'recording, service, build, host, started_ns', recordings],
      ['events', 'recording, event, name, weight, nothing_high', events],
      ['functions', 'recording, event, func, self_share, self_low, self_high', functions],
    ] as const) {
      const isText = (name: string) => /^(?:service|build|host|name|func)$/.test(name);
      const types = columns
        .split(', ')
        .map((name) => `${name} ${isText(name) ? 'text' : 'double'}`);
      await connection.run(`create table ${table} (${types.join(', ')})`);
      const appender = await connection.createAppender(table);
      for (const row of rows) {
        for (const value of row) {
          if (typeof value === 'string') appender.appendVarchar(value);
          else appender.appendDouble(value);
        }
        appender.endRow();
      }
      appender.closeSync();
    }
    const sql = verbSql('share', { func: 'f', limit: 100_000 });
    const rows = (await connection.runAndReadAll(sql)).getRowObjectsJson();
    const ofAll = rows.filter(({ host }) => host === (hosts > 1 ? '*' : 'h0'));
    return ofAll as unknown as Record<'share' | 'low' | 'high' | 'parts', number>[];
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** The part of pairs of groups in which one that has more by its least change is told from the other. */
function seenOf(rows: Awaited<ReturnType<typeof sharesOf>>): number {
  const columns = ['parts', 'share', 'low', 'high'] as const;
  const answer = withSensitivity({
    columns,
    rows: rows.map((row) => columns.map((column) => row[column])),
    isCut: false,
  });
  const sides = answer.rows.map(([parts, share, low, high, least]) => {
    const [n, mean] = [Number(parts), Number(share)];
    const half = Math.max(mean - Number(low), Number(high) - mean);
    return { n, mean, squares: (half / t95(n - 1)) ** 2 * n * (n - 1), least: Number(least) };
  });
  let seen = 0;
  for (let i = 1; i < sides.length; i++) {
    const [there, here] = [sides[i - 1], sides[i]].map(({ n, mean, squares }) => ({
      ...{ count: n, mean, squares, open: 0, interval: null },
    }));
    const more = { ...here, mean: here.mean + sides[i - 1].least };
    if ((changeOfSides(more, there).interval?.low ?? 0) > 0) seen++;
  }
  return seen / (sides.length - 1);
}

describe('the share of a function in many windows', () => {
  test.each(Object.keys(LOADS))(
    'the interval of %s has the truth as often as it claims',
    async (name) => {
      const truth = truthOf(LOADS[name]);
      const rows = await sharesOf(LOADS[name]);
      expect(rows).toHaveLength(TRIES);
      const mean = rows.reduce((sum, { share }) => sum + share, 0) / TRIES;
      const spread = Math.sqrt(
        rows.reduce((sum, { share }) => sum + (share - mean) ** 2, 0) / TRIES,
      );
      const width = rows.reduce((sum, { low, high }) => sum + high - low, 0) / TRIES;
      const inside = rows.filter(({ low, high }) => low <= truth && truth <= high).length / TRIES;
      expect(inside).toBeGreaterThan(0.92);
      expect(width / (2 * OPEN * spread)).toBeLessThan(1.3);
      expect(seenOf(rows)).toBeGreaterThan(0.7);
      expect(seenOf(rows)).toBeLessThan(0.9);
    },
  );
});
