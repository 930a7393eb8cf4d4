import { expect, test } from 'vitest';
import { drawSparkline } from '../../../src/cli/render/sparkline.ts';

test('the lowest bar is the least value, the highest the greatest', () => {
  expect(drawSparkline([1, 2, 3, 4, 5, 6, 7, 8])).toEqual({
    text: '▁▂▃▄▅▆▇█',
    isLogarithmic: false,
  });
});

test('equal values are drawn in the middle', () => {
  expect(drawSparkline([33_333, 33_333]).text).toBe('▅▅');
});

test('decades are drawn by their logarithm', () => {
  expect(drawSparkline([1, 10, 100, 1000])).toEqual({ text: '▁▃▆█', isLogarithmic: true });
});

test('a missing value is a gap', () => {
  expect(drawSparkline([5, null, null, 10]).text).toBe('▁  █');
});

test('nothing is drawn of nothing', () => {
  expect(drawSparkline([]).text).toBe('');
  expect(drawSparkline([null]).text).toBe(' ');
});
