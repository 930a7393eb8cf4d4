import { describe, expect, it } from 'vitest';
import { inseparableLines } from '../../../src/cli/report/inseparable-pairs.ts';
import { hideIdle, trustLine } from '../../../src/cli/report/recording-lines.ts';
import type { EventIndex, Profile } from '../../../src/profile/types.ts';

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

describe('the line on trust', () => {
  const sure = { areIntervalsSure: true, areLossesKnown: true };
  const profileWith = (lostSamples: number) =>
    ({ losses: [{ event: 0, lostRecords: 0, lostSamples }] }) as unknown as Profile;

  it('names the losses and what helps against them', () => {
    const [line] = trustLine(profileWith(100), 0 as EventIndex, 900, sure);
    expect(line).toMatch(/10\.00% of the samples were lost/);
    expect(line).toMatch(/-m 16M.*-F/);
  });

  it('the line on trust does not claim that nothing was lost where that is not known', () => {
    const [line] = trustLine(profileWith(0), 0 as EventIndex, 900, {
      ...sure,
      areLossesKnown: false,
    });
    expect(line).toContain('95 of 100');
    expect(line).not.toContain('no sample was lost;');
  });

  it('says what the intervals mean where nothing was lost', () => {
    expect(trustLine(profileWith(0), 0 as EventIndex, 900, sure)[0]).toContain('95 of 100');
    expect(
      trustLine(profileWith(0), 0 as EventIndex, 900, { ...sure, areIntervalsSure: false }),
    ).toEqual([]);
  });
});

it('a pair whose order may be chance is reported as that, with the time that would tell', () => {
  const pair = { first: 'a(int)', second: 'b', seconds: 0.3214 };
  expect(inseparableLines([pair])[1]).toBe(
    '# order not certain: a and b may be the other way round; 0.32 s more of recording would tell',
  );
});
