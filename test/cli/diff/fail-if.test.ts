import { describe, expect, test } from 'vitest';
import { checkRuns, judgeCondition, parseCondition } from '../../../src/cli/diff/fail-if.ts';
import type { Change } from '../../../src/profile/analysis/change.ts';
import type { Comparison } from '../../../src/questions/compare.ts';

const change = (there: number, here: number, half: number): Change => ({
  there,
  here,
  delta: here - there,
  interval: { low: here - there - half, high: here - there + half },
  isCertain: false,
});

/** One function of a share of 20 % before, and everything. */
function diffOf(share: Change, total: Change = change(1e9, 1e9, 1e7)): Comparison {
  const functions = ['parse src/a.ts:12', 'parseAll'].map((name, id) => ({
    ...{ id, name, dso: 'app', path: '', share, absolute: share, second: null },
  }));
  return {
    ...{ event: 'cpu-clock', title: 'CPU time', unit: 'nanoseconds', areSampledAlike: true },
    ...{ samples: 10, otherSamples: 10, runs: 3, otherRuns: 3, seconds: 1, otherSeconds: 1 },
    ...{ total: { absolute: total, second: null }, functions, renamed: [], ruleDoubts: [] },
    measures: ['absolute', 'share'],
  };
}

const verdictOf = (text: string, share: Change) =>
  judgeCondition(parseCondition(text), diffOf(share)).map(({ verdict }) => verdict);

describe('a condition', () => {
  test.each([
    ['share(f) grows by 10%', 'share', 'f', 'grows', 0.1],
    [
      ' weight( std::sort<int> )  shrinks by 2.5 % ',
      'absolute',
      'std::sort<int>',
      'shrinks',
      0.025,
    ],
    ['rate(*) grows by 0%', 'second', null, 'grows', 0],
  ])('%s is read', (text, measure, func, direction, by) => {
    expect(parseCondition(text)).toMatchObject({ measure, func, direction, by });
  });

  test.each([
    'share(f) grows',
    'share f grows by 10%',
    'cpu(f) grows by 1%',
    'share(*) grows by 1%',
  ])('%s is refused', (text) => {
    expect(() => parseCondition(text)).toThrow(`--fail-if '${text}'`);
  });
});

describe('growth by 10% of a share of 20%', () => {
  const condition = 'share(parse) grows by 10%';

  test('the condition is met where the whole interval lies above 22%', () => {
    expect(verdictOf(condition, change(0.2, 0.25, 0.02))).toEqual(['met']);
  });

  test('the condition is not met where the whole interval lies below 22%', () => {
    expect(verdictOf(condition, change(0.2, 0.2, 0.01))).toEqual(['not met']);
  });

  test('the condition is undecided where the interval holds the bound, on whichever side the mean is', () => {
    expect(verdictOf(condition, change(0.2, 0.23, 0.02))).toEqual(['not distinguishable']);
    expect(verdictOf(condition, change(0.2, 0.21, 0.02))).toEqual(['not distinguishable']);
  });

  test('a condition allows for the uncertainty of the bound itself', () => {
    // 0.05 − 0.0299 > 0.02, but the interval of here − 1.1 × there is wider.
    expect(verdictOf(condition, change(0.2, 0.25, 0.0299))).toEqual(['not distinguishable']);
  });
});

test('shrinking is judged the other way round', () => {
  const condition = 'share(parse) shrinks by 10%';
  expect(verdictOf(condition, change(0.2, 0.15, 0.02))).toEqual(['met']);
  expect(verdictOf(condition, change(0.2, 0.2, 0.01))).toEqual(['not met']);
});

test('weight(*) is everything', () => {
  const diff = diffOf(change(0.2, 0.2, 0), change(100, 130, 10));
  const [judged] = judgeCondition(parseCondition('weight(*) grows by 10%'), diff);
  expect(judged).toMatchObject({ name: null, verdict: 'met', there: 100, here: 130 });
});

test('a function that nobody has is refused, since its gate would pass for ever', () => {
  const condition = parseCondition('share(pars) grows by 10%');
  expect(() => judgeCondition(condition, diffOf(change(0, 0, 0)))).toThrow(
    'no recording has a function pars',
  );
});

test('one recording a side is refused', () => {
  expect(() => checkRuns(['a', 'b'], ['c'])).toThrow('two recordings a side');
  expect(() => checkRuns(['a', 'b'], ['c', 'd'])).not.toThrow();
});
