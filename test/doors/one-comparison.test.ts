import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { formatShare, formatWeightChange } from '../../src/base/numbers.ts';
import { encodePageData } from '../../src/formats/export/page-data.ts';
import { compareRecordings, openProfile } from '../../src/index.ts';
import type { Change } from '../../src/profile/analysis/change.ts';
import type { DiffMeasure } from '../../src/profile/analysis/diff-measure.ts';
import type { ComparisonBy } from '../../src/questions/compare.ts';
import {
  certaintyNote,
  comparisonNotes,
  formatDelta,
  formatDeltaInterval,
} from '../../src/questions/compare-words.ts';
import { describePageProfile } from '../../src/read/outputs/describe-page-profile.ts';
import { perfTs, scratchDirectory } from '../helpers/cli.ts';
import { createAnswers } from '../helpers/page-answers.ts';
import { WHOLE } from '../helpers/selections.ts';

/** A frame as perf script prints it: address, name and DSO. */
type Drawn = string;

/** A text of perf script with so many samples of each of these frames, in no regular order. */
function recording(name: string, counts: Readonly<Record<Drawn, number>>): string {
  const frames = Object.entries(counts).flatMap(([frame, count]) =>
    Array.from({ length: count }, () => frame),
  );
  const place = (at: number): number => Math.imul(at + 1, 2_654_435_761) ^ (at * 40_503);
  const mixed = frames.map((frame, at) => ({ frame, at }));
  mixed.sort((a, b) => place(a.at) - place(b.at));
  const lines = mixed.map(({ frame }, ms) => {
    const time = `100.${String(ms).padStart(3, '0')}000`;
    const [pid] = /(?<=perf-)\d+/.exec(frame) ?? ['10'];
    const main = `\t401000 main+0x0 (/bin/app)`;
    return `app ${pid}/${pid} [000] ${time}: 7 cycles: \n\t${frame}\n${main}\n`;
  });
  const file = join(scratchDirectory(), name);
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}

/** Code without a symbol, a name in two libraries, a function that is new and one that is gone. */
const native = (): Pair => ({
  older: recording('old.txt', {
    '402000 parse(char const*)+0x0 (/bin/app)': 60,
    '403000 hash+0x0 (/bin/app)': 120,
    '404000 gone+0x0 (/bin/app)': 20,
    '7000 copy+0x0 (/lib/liba.so)': 30,
    '8000 copy+0x0 (/lib/libb.so)': 30,
    '9000 [unknown] (/lib/libc.so.6)': 40,
  }),
  newer: recording('new.txt', {
    '402000 parse(char const*)+0x0 (/bin/app)': 160,
    '403000 hash+0x0 (/bin/app)': 122,
    '405000 fresh+0x0 (/bin/app)': 25,
    '7000 copy+0x0 (/lib/liba.so)': 12,
    '8000 copy+0x0 (/lib/libb.so)': 48,
    '9000 [unknown] (/lib/libc.so.6)': 41,
  }),
});

/** Workers that run one script, each with JIT code of its own; the line of a function has moved. */
const workers = (): Pair => ({
  older: recording('old.txt', {
    '2000 JS:*parse /srv/app.js:4:10 (/tmp/perf-12.map)': 40,
    '3000 JS:*parse /srv/app.js:4:10 (/tmp/perf-13.map)': 40,
    '4000 JS:*hash /srv/app.js:9:10 (/tmp/perf-12.map)': 90,
  }),
  newer: recording('new.txt', {
    '2000 JS:*parse /srv/app.js:5:10 (/tmp/perf-21.map)': 90,
    '3000 JS:*parse /srv/app.js:5:10 (/tmp/perf-22.map)': 80,
    '4000 JS:*hash /srv/app.js:10:10 (/tmp/perf-22.map)': 92,
  }),
});

type Pair = { readonly older: string; readonly newer: string };
type Row = { readonly name: string; readonly dso: string } & Change;

/** The library's comparison, which every door has to give. */
async function askLibrary({ older, newer }: Pair, by?: DiffMeasure): Promise<ComparisonBy> {
  const open = async (path: string) => [{ path, opened: await openProfile(path) }];
  const { comparisons } = compareRecordings(
    await open(older),
    await open(newer),
    by === undefined ? {} : { by },
  );
  expect(comparisons).toHaveLength(1);
  return comparisons[0];
}

const rowsIn = ({ functions }: Pick<ComparisonBy, 'functions'>, by: DiffMeasure): Row[] =>
  functions.map(({ name, dso, ...row }) => ({ name, dso, ...(row[by] as Change) }));

function json(...args: readonly string[]) {
  const { stdout, stderr, status } = perfTs([...args, '--json']);
  expect([status, stderr]).toEqual([0, expect.anything()]);
  return JSON.parse(stdout);
}

/** The page's worker with the newer recording shown and the older one opened to compare with. */
async function page({ older, newer }: Pair) {
  const answers = createAnswers();
  for (const [slot, side, file] of [
    [0, 'here', newer],
    [1, 'there', older],
  ] as const) {
    const bytes = encodePageData(describePageProfile(await openProfile(file)));
    answers.open({ slot, side, bytes });
  }
  return answers;
}

describe.each([
  ['two native recordings', native],
  ['two recordings of forked workers', workers],
])('the comparison of %s', (_title, draw) => {
  test('the comparison has one row for each function, by the size of its change, in the library', async () => {
    const comparison = await askLibrary(draw());
    const rows = rowsIn(comparison, 'absolute');
    expect(comparison.by).toBe('absolute');
    expect(new Set(rows.map(({ name, dso }) => `${name} ${dso}`)).size).toBe(rows.length);
    const sizes = rows.map(({ delta }) => Math.abs(delta));
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
    expect(rows[0].name).toMatch(/^parse/);
    expect(rows[0].isCertain).toBe(true);
    expect(rows.every(({ interval }) => interval !== null)).toBe(true);
  });

  test.each(['absolute', 'second', 'share'] as const)(
    'diff --json has the changes of the library by %s',
    async (by) => {
      const pair = draw();
      const { functions, ...comparison } = await askLibrary(pair, by);
      const [event] = json('diff', pair.older, pair.newer, '--by', by).events;
      expect(event.by).toBe(by);
      expect(event.total).toEqual(comparison.total);
      const shares = event.changes.map((change: Readonly<Record<string, unknown>>) => {
        const { share: here, otherShare: there, delta, interval, isCertain, ...row } = change;
        return { ...row, share: { here, there, delta, interval, isCertain } };
      });
      expect(shares).toEqual(functions.map(({ id: _, path: __, ...row }) => row));
    },
  );

  test('the comparison is the same in the text of diff', async () => {
    const pair = draw();
    const comparison = await askLibrary(pair);
    const { stdout } = perfTs(['diff', pair.older, pair.newer, '--limit', '0']);
    const [, table] = stdout.split(/^ *change .*function$/m);
    const cells = table
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => line.trim().split(/ {2,}/));
    const expected = rowsIn(comparison, 'absolute').map(({ delta, isCertain, ...row }) => [
      formatWeightChange(delta, comparison.unit),
      isCertain ? '' : '?',
      row.name.replace('(char const*)', ''),
    ]);
    // The place of a function of JavaScript stands in the column before its name.
    const shown = cells.map((row) => [
      row[0],
      row[2] === '?' ? '?' : '',
      `${row.at(-2)}`.includes(':') ? `${row.at(-1)} ${row.at(-2)}` : row.at(-1),
    ]);
    expect(shown).toEqual(expected);
    expect(stdout).toContain(`# ${certaintyNote(comparison)}; ?: may be alike\n`);
  });

  test('the comparison is the same in query diff', async () => {
    const pair = draw();
    const { rows } = json('query', 'diff', pair.older, pair.newer);
    const expected = rowsIn(await askLibrary(pair, 'share'), 'share').map((row) => ({
      share_before: row.there,
      share_after: row.here,
      share_change: row.delta,
      change_low: row.interval?.low ?? null,
      change_high: row.interval?.high ?? null,
      verdict: row.isCertain ? (row.delta > 0 ? 'more' : 'less') : 'not distinguishable',
      dso: row.dso,
      func: row.name,
    }));
    expect(rows).toEqual(expected);
  });

  test.each(['absolute', 'share'] as const)(
    'the tools of an assistant have the changes of the library by %s',
    async (by) => {
      const pair = draw();
      const asked = { old: pair.older, new: pair.newer, by };
      const { stdout } = perfTs(['mcp', '--md', `diff ${JSON.stringify(asked)}`]);
      const comparison = await askLibrary(pair, by);
      const table = stdout
        .split('\n')
        .filter((line) => /`/.test(line) && line.startsWith('| '))
        .map((line) => line.slice(2, -2).split(' | '));
      const { unit } = comparison;
      const expected = comparison.functions.map((row) => {
        const { delta, interval, isCertain } = row[by] as Change;
        return [
          formatDelta(delta, by, unit),
          interval && formatDeltaInterval(interval, by, unit),
          isCertain ? 'differs' : 'not distinguishable',
          formatShare(row.share.there),
          formatShare(row.share.here),
          `\`${row.name}\``,
        ];
      });
      expect(table.map((row) => [...row.slice(0, 3), ...row.slice(5)])).toEqual(expected);
      expect(stdout).toContain(certaintyNote(comparison));
    },
  );

  test.each(['absolute', 'second', 'share'] as const)(
    "the page's worker has the changes of the library by %s",
    async (by) => {
      const pair = draw();
      const comparison = await askLibrary(pair, by);
      const { rows, total, length, notes } = (await page(pair)).changes({
        ...WHOLE,
        weight: 'events',
        by,
      });
      const { functions } = comparison;
      expect(rows.map(({ func: _, ...row }) => row)).toEqual(
        functions.map(({ id: _, path: __, ...row }) => row),
      );
      expect({ total, length, notes }).toEqual({
        total: comparison.total,
        length: functions.length,
        notes: comparisonNotes(comparison),
      });
    },
  );

  test('judges what the gate judges, by any name of a function', async () => {
    const pair = draw();
    const condition = `share(parse) grows by 10%`;
    const four = (file: string) => [file, file, file, file];
    const sides = ['--old', ...four(pair.older), '--new', ...four(pair.newer)];
    const { stdout, status } = perfTs(['diff', ...sides, '--fail-if', condition, '--json']);
    expect(status).toBe(1);
    const { events, conditions } = JSON.parse(stdout);
    const [judged] = conditions;
    const row = events[0].changes.find(({ name }: { name: string }) => name === judged.name);
    const { verdict, there, here, interval } = judged;
    expect({ verdict, there, here, interval }).toEqual({
      verdict: 'met',
      there: row.otherShare,
      here: row.share,
      interval: row.interval,
    });
  });
});

test('query diff of Parquet folders answers as it does of recordings', () => {
  const { older, newer } = workers();
  const folders = [older, newer].map((file) => {
    const folder = join(scratchDirectory(), 'run.parquet');
    expect(perfTs(['export', file, '--format', 'parquet', '-o', folder]).status).toBe(0);
    return folder;
  });
  const rounded = (files: readonly string[]) =>
    json('query', 'diff', ...files).rows.map((row: object) =>
      Object.values(row).map((cell) => (typeof cell === 'number' ? cell.toFixed(9) : cell)),
    );
  expect(rounded(folders)).toEqual(rounded([older, newer]));
});

test('functions of one name in two libraries are two rows, and code without a symbol goes by its file', async () => {
  const comparison = await askLibrary(native());
  const named = comparison.functions.map(({ name, dso }) => `${name} ${dso}`);
  expect(named).toEqual(
    expect.arrayContaining(['copy liba.so', 'copy libb.so', '[libc.so.6] libc.so.6']),
  );
});

test('a function whose line has moved is one row under its new line', async () => {
  const { functions } = await askLibrary(workers());
  expect(functions.map(({ name, dso }) => [name, dso]).slice(0, 2)).toEqual([
    ['parse /srv/app.js:5', '[JIT]'],
    ['hash /srv/app.js:10', '[JIT]'],
  ]);
});

test('recordings of which one has no names of JavaScript are compared with all frames', async () => {
  const collector = '9000 v8::internal::Heap::CollectGarbage+0x0 (/bin/app)';
  const parse = '2000 JS:*parse /srv/app.js:4:10 (/tmp/perf-12.map)';
  const named = recording('named.txt', { [parse]: 40, [collector]: 30 });
  const unnamed = recording('unnamed.txt', {
    '2000 [unknown] ([JIT] tid 12)': 40,
    [collector]: 30,
  });
  const { functions } = await askLibrary({ older: unnamed, newer: named });
  const names = functions.map(({ name }) => name);
  expect(names).toContain('v8::internal::Heap::CollectGarbage');
  expect(names).not.toContain('(garbage collector)');
  const { stdout } = perfTs(['diff', unnamed, named, '-n', '0']);
  expect(stdout).not.toContain('# frames:');
  expect(stdout).not.toContain('(garbage collector)');
});
