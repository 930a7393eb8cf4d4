import { describe, expect, it } from 'vitest';
import { inseparableLines } from '../../../src/cli/report/inseparable-pairs.ts';
import { findingLines, hideIdle, vouchLine } from '../../../src/cli/report/recording-lines.ts';
import { createFinding } from '../../../src/findings/finding.ts';

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
    expect(findingLines([lost], 0)).toEqual([
      '# trust: 10% were lost (perf-ts record -m 16M -- COMMAND)',
    ]);
    expect(findingLines([lost], 1)).toEqual([]);
  });

  it('what standard error has printed is no line, unless figures are wrong by it', () => {
    const missing = createFinding('names-missing', 'note', 'names missing', 'no names for a');
    const sideband = createFinding('sideband-lost', 'wrong', 'names uncertain', 'some were lost');
    expect(findingLines([missing, sideband], null)).toEqual(['# trust: some were lost']);
  });

  it('intervals are vouched for where no finding speaks against them', () => {
    expect(vouchLine([], 0)[0]).toContain('no sample was lost; in 95 of 100');
    expect(vouchLine([lost], 0)).toEqual([]);
    expect(vouchLine([lost], 1)).toHaveLength(1);
  });

  it('the line on trust does not claim that nothing was lost where that is not known', () => {
    const skipped = createFinding('bytes-skipped', 'doubt', '0.1% unread', 'some were not read');
    const [line] = vouchLine([skipped], 0);
    expect(line).toContain('95 of 100');
    expect(line).not.toContain('no sample was lost;');
  });
});

it('a pair whose order may be chance is reported as that, with the time that would tell', () => {
  const pair = { first: 'a(int)', second: 'b', seconds: 0.3214 };
  expect(inseparableLines([pair])[1]).toBe(
    '# order not certain: a and b may be the other way round; 0.32 s more of recording would tell',
  );
});
