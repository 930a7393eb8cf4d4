import { describe, expect, it } from 'vitest';
import { inseparableLines } from '../../../src/cli/report/inseparable-pairs.ts';
import {
  findingLines,
  hideIdle,
  nextLine,
  recordingLines,
  vouchLine,
} from '../../../src/cli/report/recording-lines.ts';
import { limitsOf, selectRows } from '../../../src/cli/report/report-rows.ts';
import { createFinding } from '../../../src/findings/finding.ts';
import { MARK_KINDS } from '../../../src/profile/mark-table.ts';
import type { FuncIndex } from '../../../src/profile/types.ts';
import type { OpenedProfile } from '../../../src/read/open-profile.ts';
import { profileFromText } from '../../helpers/profile-from-text.ts';

const row = (name: string, dso: string, selfShare: number) => ({ name, dso, selfShare });
const rows = [
  row('pv_native_safe_halt', '[kernel.kallsyms]', 0.6),
  row('work', 'app', 0.3),
  row('default_idle', 'app', 0.06),
  row('cpuidle_enter_state', '[kernel.kallsyms]', 0.04),
];

describe('idle CPUs in a report', () => {
  it('idle CPUs have no row, and a line with their share', () => {
    const { rows: shown, line } = hideIdle(rows, (each) => each, false);
    expect(shown.map(({ name }) => name)).toEqual(['work', 'default_idle']);
    expect(line[0]).toContain('CPUs had nothing to do in 64.00%');
    expect(line[0]).toContain('--idle');
  });

  it('idle CPUs have their rows with --idle', () => {
    expect(hideIdle(rows, (each) => each, true)).toEqual({ rows, line: [] });
  });

  it('idle CPUs are not mentioned where no row is theirs', () => {
    expect(hideIdle([rows[1]], (each) => each, false)).toEqual({ rows: [rows[1]], line: [] });
  });
});

describe('the lines on trust', () => {
  const lost = createFinding('samples-lost', 'wrong', '10% lost', '10% were lost', {
    event: 0,
    command: 'perf-ts record -m 16M -- COMMAND',
  });

  it('a finding is a line with the command that helps', () => {
    expect(findingLines([lost], 0, 'above')).toEqual([
      '# trust: 10% were lost (perf-ts record -m 16M -- COMMAND)',
    ]);
    expect(findingLines([lost], 1, 'above')).toEqual([]);
  });

  it('a text that standard error has printed is no line, unless figures are wrong by it', () => {
    const missing = createFinding('names-missing', 'note', 'names missing', 'no names for a');
    const sideband = createFinding('sideband-lost', 'wrong', 'names uncertain', 'some were lost');
    expect(findingLines([missing, sideband], null, 'above')).toEqual(['# trust: some were lost']);
  });

  it('a finding by which figures are not wrong stands below the table', () => {
    const cut = createFinding('stacks-cut', 'doubt', 'cut', '9% lack callers');
    expect(findingLines([cut, lost], null, 'above')).toEqual([]);
    expect(findingLines([cut, lost], null, 'below')).toEqual(['# trust: 9% lack callers']);
  });

  it('intervals are vouched for where no finding speaks against them', () => {
    expect(vouchLine([], 0)[0]).toBe('# 95% interval: a share lies in it in 95 of 100 recordings');
    expect(vouchLine([lost], 0)).toEqual([]);
    expect(vouchLine([lost], 1)).toHaveLength(1);
  });

  it('the line on trust does not claim that nothing was lost where that is not known', () => {
    const skipped = createFinding('bytes-skipped', 'doubt', '0.1% unread', 'some were not read');
    const [line] = vouchLine([skipped], 0);
    expect(line).toMatch(/95 of 100 recordings, if no sample was lost$/);
  });
});

it('pairs whose order may be chance are explained in one line, with the time that would tell', () => {
  const pair = (seconds: number | null) => ({
    first: 1 as FuncIndex,
    second: 2 as FuncIndex,
    seconds,
  });
  expect(inseparableLines([])).toEqual([]);
  expect(inseparableLines([pair(3.214), pair(28.4), pair(null)])).toEqual([
    '# ~ the order of these rows is not certain: 28 s more of recording would tell',
  ]);
  expect(inseparableLines([pair(null)])).toEqual(['# ~ the order of these rows is not certain']);
});

describe('the rows of a report', () => {
  const limits = { rows: 40, leastShare: 0, isUsual: true };
  const share = (selfShare: number, low: number, high: number, selfSamples: number) => ({
    ...{ self: 0, total: 0, selfShare, totalShare: selfShare, selfSamples },
    selfInterval: { low, high },
  });
  const sure = share(0.3, 0.28, 0.32, 300);
  const wide = share(0.001, 0.0005, 0.0049, 7);
  const few = share(0.03, 0.02, 0.04, 3);

  it('rows that cannot be told from nothing are counted in one line, and shown with -n 0', () => {
    const rows = [sure, few, wide, few, wide, few];
    expect(selectRows(rows, limits)).toEqual({
      rows: [sure],
      rest: ['… 5 more rows, small or not to be told from nothing (-n 0 shows all)'],
    });
    const all = { rows: Number.POSITIVE_INFINITY, leastShare: 0, isUsual: false };
    expect(selectRows(rows, all)).toEqual({ rows, rest: [] });
  });

  it('so many rows as are asked for are shown, whatever their intervals are', () => {
    expect(limitsOf({ limit: 2 }).isUsual).toBe(false);
    expect(limitsOf({ percentLimit: 0 }).isUsual).toBe(false);
    expect(limitsOf({ json: true })).toEqual({ ...limits, rows: Infinity, isUsual: false });
    expect(selectRows([sure, few, wide], limitsOf({ limit: 2 })).rows).toEqual([sure, few]);
  });

  it('rows of exact counts and of losses stay, however few their samples are', () => {
    const exact = share(0.4, 0.4, 0.4, 1);
    const lost = share(0.01, 0, 0.2, 0);
    const rows = [exact, lost, few, few, few, few];
    expect(selectRows(rows, limits).rows).toEqual([exact, lost]);
  });

  it('a recording of which no row is certain shows its first rows', () => {
    expect(selectRows(Array(6).fill(few), limits).rows).toEqual(Array(5).fill(few));
  });
});

it.each([
  ['perf-ts app.js 2', 'app.js 2'],
  ['perf-ts run node app.js', 'node app.js'],
  ['perf-ts record -g -- npx tsx app.ts', 'npx tsx app.ts'],
  ['/usr/bin/perf record ./app', './app'],
  ['perf-ts 1234', 'perf-ts 1234'],
  ['perf-ts -p 1234', 'perf-ts -p 1234'],
  ['perf-ts record -p 12 -- sleep 10', 'perf-ts record -p 12 -- sleep 10'],
])('the head of a recording by %s has the program: %s', (line, program) => {
  const drawn = profileFromText('main');
  const profile = { ...drawn, meta: { ...drawn.meta, commandLine: line.split(' ') } };
  const opened = { profile, facts: { imported: null } } as unknown as OpenedProfile;
  expect(recordingLines(opened, null, false)[0]).toMatch(new RegExp(`^# ${program}(?::|$)`));
});

describe('the line on what to look at next', () => {
  const profile = profileFromText('main;work 3');
  const nextOf = (kind: (typeof MARK_KINDS)[number]): string => {
    const marks = { kind: Uint8Array.of(MARK_KINDS.indexOf(kind)) };
    const opened = { hasStacks: true, facts: { imported: null }, profile: { ...profile, marks } };
    return nextLine(opened as unknown as OpenedProfile, 'app.data', false).join();
  };

  it('a recording of a server names its routes, and another one the callers first', () => {
    expect(nextOf('request')).toMatch(
      /^# next: perf-ts report --by request app\.data has the routes .*--tree app\.data/,
    );
    expect(nextOf('call')).toMatch(/^# next: perf-ts report --tree app\.data shows/);
  });
});
