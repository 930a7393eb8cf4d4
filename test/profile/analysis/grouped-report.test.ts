import { describe, expect, test } from 'vitest';
import { finish } from '../../../src/base/slices.ts';
import { computeFlatReport } from '../../../src/profile/analysis/flat-report.ts';
import type { GroupKey } from '../../../src/profile/analysis/group-keys.ts';
import { computeGroupedReport } from '../../../src/profile/analysis/grouped-report.ts';
import { selectSamples } from '../../../src/profile/analysis/select/filter.ts';
import { profileFromText, simpleWeights } from '../../helpers/profile-from-text.ts';

const PROGRAMS = `
  comm    node       node       gzip       node
  tid     10         11         20         11
  period  4          6          5          1
          main       main       main@gzip  main
          work       work       copy@libc  work
          work       read@libc  read@libc  work
                                           leaf
`;

function draw(keys: readonly GroupKey[], text = PROGRAMS): string[] {
  const profile = profileFromText(text);
  const weights = simpleWeights(profile, 'period');
  const { rows } = computeGroupedReport(profile, weights, finish(selectSamples(profile)), keys);
  return rows.map(
    ({ names, self, total, selfSamples }) =>
      `${names.join(' ')}: ${self}/${total} in ${selfSamples}`,
  );
}

describe('rows per combination of keys', () => {
  test('a comm and a function: self where the sample was taken, total once per stack', () => {
    expect(draw(['comm', 'sym'])).toEqual([
      'node read: 6/6 in 1',
      'gzip read: 5/5 in 1',
      'node work: 4/11 in 1',
      'node leaf: 1/1 in 1',
      'node main: 0/11 in 0',
      'gzip copy: 0/5 in 0',
      'gzip main: 0/5 in 0',
    ]);
  });

  test('names come in the order of the keys', () => {
    expect(draw(['dso', 'comm'])[0]).toBe('libc node: 6/6 in 1');
    expect(draw(['comm', 'dso'])[0]).toBe('node libc: 6/6 in 1');
    expect(draw(['comm', 'dso']).slice(1)).toEqual([
      'node app: 5/11 in 2',
      'gzip libc: 5/5 in 1',
      'gzip gzip: 0/5 in 0',
    ]);
  });

  test('keys of the sample alone have equal self and total', () => {
    expect(draw(['tid', 'event'])).toEqual([
      '11 cycles: 7/7 in 2',
      '20 cycles: 5/5 in 1',
      '10 cycles: 4/4 in 1',
    ]);
  });

  test('functions of one name in two DSOs are one row without the DSO', () => {
    expect(draw(['sym'])).toContain('main: 0/16 in 0');
    expect(draw(['dso', 'sym'])).toContain('app main: 0/11 in 0');
  });

  test('samples of no weight have shares of 0', () => {
    const profile = profileFromText(`
      period  0     0
              main  main
    `);
    const weights = simpleWeights(profile, 'period');
    const { rows } = computeGroupedReport(profile, weights, finish(selectSamples(profile)), [
      'sym',
    ]);
    expect(rows).toEqual([
      { names: ['main'], self: 0, total: 0, selfShare: 0, totalShare: 0, selfSamples: 2 },
    ]);
  });

  test('samples without a stack have a row of their own', () => {
    const text = `
      comm    a     a
      period  3     2
    `;
    expect(draw(['comm', 'sym'], text)).toContain('a [no stack]: 5/5 in 2');
  });

  test('the figures by DSO and function are those of the flat report', () => {
    const profile = profileFromText(PROGRAMS);
    const weights = simpleWeights(profile, 'period');
    const samples = finish(selectSamples(profile, { tids: new Set([11, 20]) }));
    const flat = computeFlatReport(profile, weights, samples);
    const grouped = computeGroupedReport(profile, weights, samples, ['dso', 'sym']);
    expect(grouped.weight).toBe(flat.weight);
    const figures = (rows: readonly { self: number; total: number; selfSamples: number }[]) =>
      rows.map(({ self, total, selfSamples }) => `${self}/${total} in ${selfSamples}`).sort();
    expect(figures(grouped.rows)).toEqual(figures(flat.bySymbol));
  });

  test('lost weight counts in the total and is in no row', () => {
    const profile = profileFromText(PROGRAMS);
    const lostBefore = Float64Array.of(0, 10, 0, 0);
    const weights = { ...simpleWeights(profile, 'period'), lostBefore };
    const report = computeGroupedReport(profile, weights, finish(selectSamples(profile)), ['comm']);
    expect([report.weight, report.lost]).toEqual([26, 10]);
    expect(report.rows.map(({ selfShare }) => selfShare)).toEqual([11 / 26, 5 / 26]);
  });
});
