import { describe, expect, test } from 'vitest';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import {
  checkRuns,
  decidingText,
  judgeCondition,
  parseCondition,
} from '../../../src/cli/diff/fail-if.ts';
import type { Change } from '../../../src/profile/analysis/change.ts';
import type { Comparison } from '../../../src/questions/compare.ts';
import { decodeLoops } from '../../../src/read/jit/loop-streams.ts';
import type { ComparedFile } from '../../../src/read/outputs/compare-recordings.ts';
import { profileFromText } from '../../helpers/profile-from-text.ts';
import { TurnStream } from '../../helpers/turn-stream.ts';

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
  judge(text, diffOf(share)).map(({ verdict }) => verdict);

function judge(
  text: string,
  diff: Comparison,
  there: readonly ComparedFile[] = [],
  here: readonly ComparedFile[] = [],
) {
  return judgeCondition(parseCondition(text), { diff, here, there });
}

/** Recordings of a loop with 100 turns of 2 ms each, the longest two of which took so many milliseconds. */
function recordings(...longestMs: number[]): ComparedFile[] {
  return longestMs.map((ms, run) => {
    const stream = new TurnStream(10).turn({ fromNs: 0, lengthNs: 5e9 }, 0, 1);
    for (let i = 0; i < 100; i++) {
      stream.turn({ fromNs: 5e9 + i * 1e9, lengthNs: (i < 98 ? 2 : ms) * 1e6 });
    }
    const start = { high: 0, low: 0 };
    const streams = [{ pid: 10, bytes: stream.attachment() }];
    const { turns } = decodeLoops(streams, start, [], 0, new Diagnostics());
    return { path: `${run}.data`, opened: { profile: { turns } } } as unknown as ComparedFile;
  });
}

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
    ['share(f) shrinks', 'share', 'f', 'shrinks', 0],
  ])('%s is read', (text, measure, func, direction, by) => {
    const of = { kind: 'function', measure, func };
    expect(parseCondition(text)).toEqual({ text: text.trim(), of, direction, by: { share: by } });
  });

  test.each([
    ['p99(turn) grows by 10ms', 'p99Ns', { ns: 10e6 }],
    ['max( turn ) grows by 0.5 s', 'longestNs', { ns: 0.5e9 }],
    ['p50(turn) grows by 5%', 'p50Ns', { share: 0.05 }],
  ])('%s is of turns', (text, length, by) => {
    const of = { kind: 'turns', length };
    expect(parseCondition(text)).toEqual({ text, of, direction: 'grows', by });
  });

  test.each([
    'share(f) grows by',
    'share f grows by 10%',
    'cpu(f) grows by 1%',
    'share(*) grows by 1%',
    'share(f) grows by 10ms',
    'p99(f) grows by 10ms',
    'p98(turn) grows by 10ms',
    'p99(turn) grows by 10',
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

test('a condition that recordings cannot tell has the change that they could, and how many would', () => {
  const three = [1, 2, 3].map(() => ({}) as ComparedFile);
  const [open] = judge('share(parse) grows by 10%', diffOf(change(0.2, 0.23, 0.02)), three, three);
  expect(open.verdict).toBe('not distinguishable');
  // Half an interval is 2.78 standard errors of 4 degrees, and less is seen of a change only by luck.
  expect(open.least).toBeGreaterThan(0.02 + 0.02 * 1.1);
  expect(open.least).toBeLessThan(0.02 + 2 * 0.02 * 1.1);
  const [wide] = judge('share(parse) grows by 10%', diffOf(change(0.2, 0.23, 0.04)), three, three);
  expect((wide.least ?? 0) - 0.02).toBeCloseTo(2 * ((open.least ?? 0) - 0.02), 9);
  expect(wide.runs).toBeGreaterThan(open.runs ?? 0);
  expect(decidingText(open)).toMatch(
    /^a change by 2\d\.\d\d% could be seen; about \d+ recordings a side would decide$/,
  );
  const [clear] = judge('share(parse) grows by 10%', diffOf(change(0.2, 0.3, 0.02)), three, three);
  expect([clear.verdict, clear.runs, decidingText(clear)]).toEqual(['met', null, '']);
});

test('weight(*) is everything', () => {
  const diff = diffOf(change(0.2, 0.2, 0), change(100, 130, 10));
  const [judged] = judge('weight(*) grows by 10%', diff);
  expect(judged).toMatchObject({ name: null, verdict: 'met', there: 100, here: 130 });
});

test('a function that nobody has is refused, since its gate would pass for ever', () => {
  const diff = diffOf(change(0, 0, 0));
  expect(() => judge('share(pars) grows by 10%', diff)).toThrow('no recording has a function pars');
});

test('one recording a side is refused', () => {
  expect(() => checkRuns(['a', 'b'], ['c'])).toThrow('two recordings a side');
  expect(() => checkRuns(['a', 'b'], ['c', 'd'])).not.toThrow();
});

describe('turns of event loops', () => {
  const diff = diffOf(change(0, 0, 0));
  const before = recordings(20, 21, 22);

  test('a bound in time is met where all of the interval lies above it, and not where all lies below', () => {
    const [judged] = judge('p99(turn) grows by 10ms', diff, before, recordings(40, 41, 42));
    expect(judged).toMatchObject({ event: null, verdict: 'met', there: 21e6, here: 41e6 });
    const verdicts = (...ms: number[]) =>
      judge('p99(turn) grows by 10ms', diff, before, recordings(...ms))[0].verdict;
    expect(verdicts(24, 25, 26)).toBe('not met');
    expect(verdicts(25, 32, 39)).toBe('not distinguishable');
  });

  test('a bound that is a part, and the other lengths, are judged likewise', () => {
    const slower = recordings(40, 41, 42);
    expect(judge('max(turn) grows by 50%', diff, before, slower)[0].verdict).toBe('met');
    expect(judge('p50(turn) grows by 50%', diff, before, slower)[0]).toMatchObject({
      verdict: 'not met',
      here: 2e6,
    });
  });

  test('a recording without turns is refused by its name', () => {
    const without = { path: 'none.data', opened: { profile: profileFromText('a') } };
    const condition = () =>
      judge('p99(turn) grows by 1ms', diff, before, [without as unknown as ComparedFile]);
    expect(condition).toThrow('none.data has no turns of an event loop');
  });
});
