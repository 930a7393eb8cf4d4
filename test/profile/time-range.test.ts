import { describe, expect, test } from 'vitest';
import { atCommand, UsageError } from '../../src/base/errors.ts';
import { isInRanges, parseTimeRanges } from '../../src/profile/time-range.ts';

/** The text on a terminal of what `work` throws. */
function refusalOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof UsageError) return atCommand(error).message;
  }
  throw new Error('it is not refused');
}

const SECOND = 1e9;
/** A recording from 100 s to 110 s of its clock, its first sample at 101 s, its last at 106 s. */
const recorded = { startTime: 100_000_000_000n, firstNs: SECOND, lastNs: 6 * SECOND };
const parse = (text: string) => parseTimeRanges(text, recorded);

describe('--time', () => {
  test.each<[string, [number, number][]]>([
    ['101.5,102', [[1.5 * SECOND, 2 * SECOND + 1]]],
    ['101.000000001,101.0000000015', [[SECOND + 1, SECOND + 2]]],
    [',102', [[Number.NEGATIVE_INFINITY, 2 * SECOND + 1]]],
    ['102,', [[2 * SECOND, Number.POSITIVE_INFINITY]]],
    ['102', [[2 * SECOND, Number.POSITIVE_INFINITY]]],
    [
      '104,105 101,102',
      [
        [SECOND, 2 * SECOND + 1],
        [4 * SECOND, 5 * SECOND + 1],
      ],
    ],
    ['10%-20%', [[1.5 * SECOND, 2 * SECOND]]],
    [
      '0%-10%,90%-100%',
      [
        [SECOND, 1.5 * SECOND],
        [5.5 * SECOND, 6 * SECOND + 1],
      ],
    ],
    ['10%/2', [[1.5 * SECOND, 2 * SECOND]]],
    ['10%', [[SECOND, 1.5 * SECOND]]],
    ['50%/2', [[3.5 * SECOND, 6 * SECOND + 1]]],
    ['40%/3', [[5 * SECOND, 6 * SECOND + 1]]],
  ])('%s', (text, expected) => {
    expect(parse(text).map(({ fromNs, toNs }) => [fromNs, toNs])).toEqual(expected);
  });

  test.each([
    ['', 'START,STOP'],
    [',', 'START,STOP'],
    ['1,2,3', 'START,STOP'],
    ['102,101', 'ends before it starts'],
    ['x,2', 'x is not a time in seconds'],
    ['-1,2', '-1 is not a time in seconds'],
    ['1e3,2', 'is not a time in seconds'],
    ['101,103 102,104', 'overlap'],
    ['20%-10%', 'no part of 0% to 100%'],
    ['90%-110%', 'no part'],
    ['10%/0', 'no part'],
    ['10%/11', 'no part'],
    ['10%-20%,x', 'x is not like'],
    ['10%-20% 30%-40%', 'by commas'],
  ])('%s is refused: %s', (text, reason) => {
    expect(() => parse(text)).toThrow(reason);
    expect(() => parse(text)).toThrow(`time ${text}`);
    expect(refusalOf(() => parse(text))).toContain(`--time ${text}`);
  });

  test('pieces have each moment once, the first and the last sample included', () => {
    const pieces = Array.from({ length: 7 }, (_, i) => parse(`14.5%/${i + 1}`)).flat();
    for (let ns = recorded.firstNs; ns <= recorded.lastNs; ns += 12_345_678) {
      expect(pieces.filter((piece) => isInRanges([piece], ns))).toHaveLength(1);
    }
    expect(isInRanges(pieces, recorded.lastNs)).toBe(true);
  });

  test('percentages need samples with times', () => {
    const none = { startTime: 0n, firstNs: Number.NaN, lastNs: Number.NaN };
    expect(() => parseTimeRanges('10%', none)).toThrow('no samples with times');
  });
});
