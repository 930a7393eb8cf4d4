import { describe, expect, test } from 'vitest';
import { displayWidth } from '../../../src/cli/render/display-width.ts';
import { firstState } from '../../../src/cli/top/top-state.ts';
import { screenOf, type TopLook, tableLines } from '../../../src/cli/top/top-text.ts';
import { ShareSums, type TopRow } from '../../../src/tools/top/share-sums.ts';
import type { TopReport } from '../../../src/tools/top/top-options.ts';

const LOOK: TopLook = {
  columns: 80,
  lines: 10,
  colour: false,
  hasStacks: true,
  keys: [],
  rows: Number.POSITIVE_INFINITY,
};

/** Rows `DSO symbol` with so many samples, of one event. */
function reportOf(
  counts: Readonly<Record<string, number>>,
  changed: Partial<TopReport> = {},
): TopReport {
  const sums = new ShareSums();
  const rows = Object.entries(counts).map(([names, count]) => ({
    names: names.split(' '),
    self: count,
    total: count,
    samples: count,
    squares: count,
  }));
  const all = rows.reduce((sum, { samples }) => sum + samples, 0);
  sums.add({ weight: all, samples: all, squares: all, rows });
  const event = {
    name: 'cpu-clock',
    unit: 'nanoseconds' as const,
    rateHz: 996.6,
    ownShare: 0.0125,
    callers: null,
    samples: all,
    table: () => sums.table(),
  };
  return {
    elapsedMs: 65_000,
    shownMs: 65_000,
    isWindow: false,
    cpus: 2,
    events: [event],
    samples: all,
    lost: 0,
    lostNow: 0,
    lostSideband: 0,
    throttles: 0,
    ownCpu: 0.031,
    isLast: false,
    ...changed,
  };
}

const COUNTS = { 'app parse': 600, 'app render': 300, '[kernel.kallsyms] clear_page_erms': 100 };
const state = firstState(['sym', 'dso']);

describe('the screen of top', () => {
  test('the screen of top has a head, the rows that fit, and the keys', () => {
    expect(screenOf(reportOf(COUNTS), state, LOOK, null)).toEqual([
      'cpu-clock: 1 000 samples, none lost · 997 samples/s on 2 CPUs · 01:05',
      'since the start, 65 s; perf-ts: 3.10% of a CPU, 1.25% of samples, left out',
      '',
      '  self  95% interval  total  samples  file               function',
      '>  60%    56.9–63.0%    60%      600  app                parse',
      '   30%    27.2–32.9%    30%      300  app                render',
      '   10%     8.3–12.0%    10%      100  [kernel.kallsyms]  clear_page_erms',
      '',
      '',
      'q quit   s rows   z anew   h help',
    ]);
  });

  test('the screen of top explains losses and the window', () => {
    const report = reportOf(COUNTS, { lost: 250, lostNow: 50, isWindow: true, shownMs: 9_900 });
    const [first, second, third] = screenOf(report, state, { ...LOOK, columns: 200 }, null);
    expect(first).toContain('lost 250 (20.00%)');
    expect(second).toMatch(/^the last 9\.9 s;/);
    expect(third).toMatch(/^lost 50 samples just now: what ran in bursts has too little here/);
  });

  test.each([20, 30, 40, 60, 100, 200])(
    'the screen of top is never wider than %i columns',
    (columns) => {
      const long = { [`${'lib'.repeat(40)} ${'名前'.repeat(60)}`]: 5, 'a b': 1 };
      for (const lines of [1, 4, 5, 24]) {
        const shown = screenOf(reportOf(long), state, { ...LOOK, columns, lines }, null);
        expect(shown.length).toBeLessThanOrEqual(lines);
        for (const line of shown) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
      }
    },
  );

  test('the screen of top escapes control characters of names', () => {
    const report = reportOf({ 'app \u001b[2Jgone\u202e': 1 });
    const text = screenOf(report, state, LOOK, null).join('\n');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be there.
    expect(text).not.toMatch(/[\x1b\u202e]/);
    expect(text).toContain('\\x1b[2Jgone\\u202e');
  });

  test('the screen of top shows rows that match the filter', () => {
    const filtered = { ...state, filter: 'REND' };
    const lines = screenOf(reportOf(COUNTS), filtered, LOOK, null);
    expect(lines.filter((line) => line.includes('%  '))).toHaveLength(1);
    expect(lines.at(-1)).toContain('only “REND” (Esc: all)');
    const none = screenOf(reportOf(COUNTS), { ...state, filter: 'nothing' }, LOOK, null);
    expect(none).toContain('no such row');
  });

  test('the screen of top scrolls to the chosen row', () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`app f${i}`, 100 - i]));
    const lines = screenOf(reportOf(many), { ...state, selected: 20 }, LOOK, null);
    expect(lines.find((line) => line.startsWith('> '))).toMatch(/ f20$/);
    const beyond = screenOf(reportOf(many), { ...state, selected: 99 }, LOOK, null);
    expect(beyond.find((line) => line.startsWith('> '))).toMatch(/ f29$/);
  });
});

test('the screen of top ends where rows may be chance, and marks rows whose order may be', () => {
  const few = { 'app a': 300, 'app b': 290, 'app c': 200, 'app d': 100, 'app e': 60, 'app f': 1 };
  const lines = screenOf(reportOf(few), state, LOOK, null);
  expect(lines.filter((line) => / [a-f]$/.test(line)).map((line) => line.at(-1))).toEqual([
    ...'abcde',
  ]);
  expect(lines.filter((line) => line.includes('~')).map((line) => line.at(-1))).toEqual(['a', 'b']);
  // Who looks for it finds it.
  const found = screenOf(reportOf(few), { ...state, filter: 'f' }, LOOK, null);
  expect(found.some((line) => / f$/.test(line))).toBe(true);
});

describe('columns of the table', () => {
  const { rows } = reportOf(COUNTS).events[0].table('sym') as { rows: readonly TopRow[] };
  const titlesAt = (columns: number): string =>
    tableLines(rows, 'sym', { ...LOOK, columns }, new Set())[0]
      .replace(/ {2,}/g, '  ')
      .trim();

  test('columns of top are dropped without room: the interval first, the share last', () => {
    expect(titlesAt(80)).toBe('self  95% interval  total  samples  file  function');
    expect(titlesAt(60)).toBe('self  total  samples  file  function');
    expect(titlesAt(50)).toBe('self  total  file  function');
    expect(titlesAt(24)).toBe('self  function');
  });
});
