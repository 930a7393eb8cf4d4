// A page's output is compared with what is printed by what its figures mean: other figures of the same meaning pass, an
// output that a page does not describe is found. That the pages' own are right is tested by run-commands.test.ts.

import { describe, expect, it } from 'vitest';
import type { Claim } from '../helpers/command-blocks.ts';
import { differencesOf, isCompared } from '../helpers/compare-output.ts';
import { hasPattern } from '../helpers/printed-line.ts';
import { tablesOf } from '../helpers/printed-table.ts';

const REPORT = `# node app.js: 1.19 s · cpu-clock: 4 000 samples, 1.00 s of CPU time, none lost
self  95% interval  total  samples  file       function
 47%    46.4–48.6%    51%    2 000  app.js:12  map callback in parse
  6%     ~5.3–6.9%     8%      281             (Node C++)
  3%     ~2.3–3.9%     3%      120             (garbage collector)
… 98 more rows (-n 0 shows all)`;

const TREE = `# ./hot-paths: 1.00 s · cpu-clock: 4 000 samples, 1.00 s of CPU time, none lost
  total    self
 99.86%   0.00%  main
 66.43%   0.04%  ├─ solve
 66.40%  66.40%  │  └─ mix
 32.51%   0.00%  └─ checksum
 32.51%  32.51%     └─ mix`;

function differences(shown: string, output: string, ...claims: Claim[]): string[] {
  const typed = { command: 'perf-ts report', shown: shown.split('\n') };
  return differencesOf({ typed, claims, output, isInterrupted: false });
}

describe('what is printed passes', () => {
  it('an output passes with the figures of another day', () => {
    const today = REPORT.replace('47%    46.4–48.6%', '52%    51.0–53.1%').replace(
      '4 000 samples, 1.00 s',
      '2 000 samples, 500.0 ms',
    );
    expect(differences(REPORT, today)).toEqual([]);
  });

  it('a table passes where small rows have another order, or are cut off', () => {
    const [head, headings, first, second, third, more] = REPORT.split('\n');
    expect(differences(REPORT, [head, headings, first, third, second, more].join('\n'))).toEqual(
      [],
    );
    expect(differences(REPORT, [head, headings, first, second, more].join('\n'))).toEqual([]);
  });

  it('a line passes with another sign of a figure', () => {
    expect(differences('# CPU time: +919.2 µs (+0.2%)', '# CPU time: -10.6 ms (-5.3%)')).toEqual(
      [],
    );
  });

  it('rates and counts of page faults pass where they are right', () => {
    const pairs =
      '  1 → 2  130 364  1  1  1  7 670.8  7 670.8\n   6 → 7   68 238  5  12  5  73 273.0  14 654.6';
    const stat =
      'hot-paths: state 1 after 26000 page faults\n  26 057          page-faults  # 54.1 K/sec';
    expect(differences('…', `${pairs}\n${stat}`)).toEqual([]);
  });

  it('an output passes with lines that the page leaves out, and text that it has … for', () => {
    const shown = 'perf-ts: … of cpu-clock\n…';
    expect(differences(shown, 'app: 3 bytes\nperf-ts: 17 samples of cpu-clock')).toEqual([]);
  });

  it('a notice of the losses that the closing line counts obeys the laws', () => {
    const output =
      'perf-ts: 3.6% of the samples (108) were lost: larger rings lose less (perf-ts record -m 1M -- COMMAND)\n' +
      'perf-ts: 2 897 samples of cpu-clock:u, lost 108 (3.59%); 1.2 MB in perf.data';
    const typed = { command: 'perf-ts record', shown: [] };
    expect(isCompared({ typed, claims: [], output, isInterrupted: false })).toBe(true);
    expect(differences('…', output)).toEqual([]);
  });
});

describe('what is printed is refused', () => {
  const refusals: readonly [string, string, string, RegExp][] = [
    ['other words', REPORT, REPORT.replace('none lost', 'some lost'), /no line such as: # node/],
    ['another rate', REPORT, REPORT.replace('1.00 s of', '2.00 s of'), /2000 samples per second/],
    ['other columns', REPORT, REPORT.replace('interval', 'range'), /no table with the columns/],
    ['another first function', REPORT, REPORT.replace('in parse', 'in read'), /first row/],
    ['another line of the file', REPORT, REPORT.replace('app.js:12', 'app.js:13'), /first row/],
    [
      'a share that is far off',
      REPORT,
      REPORT.replace('47%    46.4–48.6%', '20%    19.1–20.9%'),
      /self of .* is 20%/,
    ],
    ['no row of a function', TREE, TREE.replace('checksum', 'other'), /no row of checksum/],
    ['another caller', TREE, TREE.replace('├─ solve', '├─ other'), /no row of/],
    ['no rows', REPORT, REPORT.split('\n').slice(0, 2).join('\n'), /table without rows/],
    ['no samples', '…', '# perf.data: 0 of 2 301 samples', /no samples/],
    [
      'a closing line without samples',
      '…',
      'perf-ts: 0 samples of cpu-clock, none lost',
      /no samples/,
    ],
    ['a share beside its interval', '…', REPORT.replace('46.4–48.6%', '56.4–58.6%'), /can't be/],
    [
      'a notice of other losses than the closing line counts',
      '…',
      'perf-ts: 3.6% of the samples (108) were lost\nperf-ts: 2 897 samples of cpu-clock:u, lost 18 (0.62%)',
      /losses that disagree/,
    ],
    ['more than all', '…', REPORT.replace(' 51%', '510%'), /can't be/],
    [
      'a rate that is no count by time',
      '…',
      '  1 → 2  130 364  1  1  1  9 670.8  9 670.8',
      /a rate that is wrong/,
    ],
    [
      'fewer page faults than the program made',
      '…',
      'hot-paths: state 1 after 26000 page faults\n  25 057          page-faults  # 54.1 K/sec',
      /25057 page faults/,
    ],
    ['a sum that is wrong', '…', 'ledger  30 events = 19 in samples + 10 lost', /wrong by -1/],
  ];
  it.each(refusals)('an output is refused with %s', (_what, shown, printed, sentence) => {
    expect(differences(shown, printed).join('\n')).toMatch(sentence);
  });
});

describe('a claim', () => {
  const ratio = (one: number, other: number, within = 0): Claim => ({
    kind: 'ratio',
    names: ['solve', 'checksum'],
    parts: [one, other],
    within,
  });

  it('a claim on two functions holds within 5 standard deviations of the ratio', () => {
    expect(differences('…', TREE, ratio(2, 1))).toEqual([]);
    expect(differences('…', TREE, ratio(1, 1))[0]).toMatch(/solve has 67\.1% of both/);
    expect(differences('…', TREE, ratio(3, 2, 50))).toEqual([]);
    expect(differences('…', TREE.replace('solve', 'other'), ratio(2, 1))).toHaveLength(1);
  });

  it('a claim on a share takes the place of the band that all shares have', () => {
    const claim: Claim = { kind: 'share', column: 'self', name: '(Node C++)', low: 1, high: 5 };
    expect(differences(REPORT, REPORT, claim)[0]).toMatch(/self of \(Node C\+\+\) is 6%/);
    expect(differences('…', REPORT, { ...claim, name: 'nobody' })).toEqual(['no row of nobody']);
  });

  it('a claim on a line has figures in ranges, and any text', () => {
    const line = '  counted        210 292 events in 316 samples';
    expect(hasPattern(line, 'counted {200000–220000} events in {1–400} samples')).toBe(true);
    expect(hasPattern(line, 'counted {1–2} events')).toBe(false);
    expect(hasPattern(' 47%  46.4–48.6%  51%  map callback in parse', '{40–60}% … parse')).toBe(
      true,
    );
    expect(hasPattern('-3.43%  less', '{-5–-1}%')).toBe(true);
    expect(hasPattern('CPU time: 995.5 ms → 1.04 s', 'time: {0.9–1.6} s → {0.9–1.6} s')).toBe(true);
    expect(hasPattern('5 002.29  ms    cpu-clock', '{4900–6000} ms cpu-clock')).toBe(true);
    expect(hasPattern('CPU time: 95.5 ms → 1.04 s', 'time: {0.9–1.6} s → {0.9–1.6} s')).toBe(false);
    expect(hasPattern('CPU time: 0.95 kB → 1.04 s', 'time: {0.9–1.6} s → {0.9–1.6} s')).toBe(false);
  });
});

it('a table is read by its headings, a tree with the function above each row', () => {
  const [table] = tablesOf(REPORT.split('\n'));
  expect(table.rows[0]).toMatchObject({
    names: ['app.js:12', 'map callback in parse'],
    interval: [46.4, 48.6],
  });
  expect([...table.rows[0].shares]).toEqual([
    ['self', 47],
    ['total', 51],
  ]);
  const [tree] = tablesOf(TREE.split('\n'));
  expect(tree.rows.map(({ names, parent }) => [...names, parent])).toEqual([
    ['main', null],
    ['solve', 'main'],
    ['mix', 'solve'],
    ['checksum', 'main'],
    ['mix', 'checksum'],
  ]);
});

it('figures that are compared with nothing are found', () => {
  const printed = (output: string, ...shown: string[]) =>
    isCompared({ typed: { command: 'c', shown }, claims: [], output, isInterrupted: false });
  expect(printed('3 rows')).toBe(false);
  expect(printed('3 rows', '…')).toBe(false);
  expect(printed('3 rows', '2 rows')).toBe(true);
  expect(printed('perf-ts: 4 000 samples of cpu-clock, none lost; 1.2 MB in perf.data')).toBe(true);
});
