import { expect, test } from 'vitest';
import { paintRanges } from '../../../src/code/jit/painted-ranges.ts';

/** Ranges as bars: their row is their line, one column is one byte. */
function painted(drawing: string, top: 'latest' | 'earliest'): string {
  const bars = drawing
    .trimEnd()
    .split('\n')
    .filter((line) => line.includes('-'));
  const start = Float64Array.from(bars, (bar) => bar.indexOf('-'));
  const end = Float64Array.from(bars, (bar) => bar.lastIndexOf('-') + 1);
  const { length, starts, ends, rows } = paintRanges(start, end, top);
  let text = '';
  for (let i = 0; i < length; i++) {
    text = text.padEnd(starts[i]).padEnd(ends[i], String(rows[i]));
  }
  return text;
}

const OVERLAPPING = `
  ----------------
      ----
               ------
                       --
      --
`;

test('overlapping ranges: the latest on top', () => {
  expect(painted(OVERLAPPING, 'latest')).toBe('  0000441100000222222  33');
});

test('overlapping ranges: the earliest on top', () => {
  expect(painted(OVERLAPPING, 'earliest')).toBe('  0000000000000000222  33');
});

test('no ranges cover nothing', () => {
  expect(paintRanges(new Float64Array(), new Float64Array(), 'latest').length).toBe(0);
});
