import { expect, test } from 'vitest';
import { putInTimeOrder } from '../../../src/read/logs/sample-order.ts';

/** Times, and a letter per sample to see where it went. */
function order(times: readonly number[]) {
  const timeNs = Float64Array.from(times);
  const letters = Int32Array.from(times, (_, row) => row);
  const { newRow, late, withoutTime } = putInTimeOrder({ timeNs, others: [letters] });
  const shown = [...letters].map((row) => String.fromCharCode(97 + row)).join('');
  return { times: [...timeNs], shown, newRow: newRow && [...newRow], late, withoutTime };
}

test('samples in order stay where they are', () => {
  expect(order([0, 5, 5, 9])).toEqual({
    times: [0, 5, 5, 9],
    shown: 'abcd',
    newRow: null,
    late: 0,
    withoutTime: 0,
  });
});

test('a late sample is moved to its time', () => {
  expect(order([0, 7, 9, 3, 9, 10])).toEqual({
    times: [0, 3, 7, 9, 9, 10],
    shown: 'adbcef',
    newRow: [0, 2, 3, 1, 4, 5],
    late: 1,
    withoutTime: 0,
  });
});

test('a damaged time, out of the future or before the start, moves no other sample', () => {
  expect(order([1, 2 ** 62, 2, 3])).toMatchObject({ times: [1, 2, 3, 2 ** 62], shown: 'acdb' });
  expect(order([1, -100, 2, 2 ** 64, 3])).toMatchObject({
    times: [1, 1, 2, 2, 3],
    shown: 'abcde',
    withoutTime: 2,
  });
});

test('samples without times stay in file order', () => {
  const none = [Number.NaN, Number.NaN];
  expect(order(none)).toMatchObject({ times: none, newRow: null });
});
