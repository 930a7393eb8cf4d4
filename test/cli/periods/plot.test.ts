import { expect, test } from 'vitest';
import { drawPlot, type TextPlotOptions } from '../../../src/cli/render/plot.ts';
import { drawMarks, drawTimeAxis } from '../../../src/cli/render/time-axis.ts';

const series = (...values: (number | null)[]) => ({
  startNs: 0,
  endNs: 1e9,
  lowest: values,
  highest: values,
});
const LINE: TextPlotOptions = {
  columns: 18,
  rows: 4,
  hasUnicode: true,
  reference: null,
  kind: 'logarithmic line',
};

test("the plot's axis is logarithmic: each decade has the same height", () => {
  expect(drawPlot(series(1, 10, 100, 1000, 1000), LINE)).toEqual([
    '    1k ┤      ⠉⠉⠉⠉',
    '   100 ┤    ⠒⠒',
    '    10 ┤  ⠤⠤',
    '     1 ┤⣀⣀',
  ]);
});

test('the plot is ASCII, a dot per character, without Unicode', () => {
  const lines = drawPlot(series(1, 10, 100, 1000, 1000), { ...LINE, hasUnicode: false });
  expect(lines).toEqual(['    1k +      ****', '   100 +    **', '    10 +  **', '     1 +**']);
});

test('a plot column spans lowest to highest value; an empty one stays blank', () => {
  const ranges = {
    startNs: 0,
    endNs: 1,
    lowest: [1, 1, null, 1000, 1000],
    highest: [1, 1000, null, 1000, 1000],
  };
  expect(drawPlot(ranges, { ...LINE, hasUnicode: false })).toEqual([
    '    1k +  **  ****',
    '   100 +  **',
    '    10 +  **',
    '     1 +****',
  ]);
});

test("the plot's reference has a label, and a line where there is room", () => {
  const plain = { ...LINE, hasUnicode: false, reference: 30 };
  expect(drawPlot(series(1, 1, null, 1000, 1000), plain)).toEqual([
    '    1k +      ****',
    '   100 +',
    '    30 +----------',
    '     1 +****',
  ]);
  expect(drawPlot(series(30, 30, 30, 30, 1), plain).some((line) => line.includes('-'))).toBe(false);
});

test('a nearly constant value is a flat line, not noise as mountains', () => {
  const lines = drawPlot(series(100, 101, 100, 99, 100), { ...LINE, hasUnicode: false });
  expect(lines.filter((line) => line.includes('*'))).toHaveLength(1);
});

test('an area plot starts at zero, and is clipped far above the reference', () => {
  const area: TextPlotOptions = { ...LINE, hasUnicode: false, kind: 'area', reference: 100 };
  expect(drawPlot(series(0.1, 100, 200, 9000, 50), area)).toEqual([
    '   300 +      **',
    '       |    ****',
    '   100 +  ******',
    '     0 +**********',
  ]);
});

test('the time axis has round labels, also when it starts between them', () => {
  const axis = { startNs: 1.2e6, endNs: 301e6, columns: 68, hasUnicode: true };
  expect(drawTimeAxis(axis)).toEqual([
    '       └┬──────────────────┬───────────────────┬────────────────────',
    '        0 ms               100 ms              200 ms',
  ]);
  expect(drawTimeAxis({ ...axis, startNs: 50e6, hasUnicode: false })).toEqual([
    '       +-----------+-----------------------+------------------------',
    '                   100 ms                  200 ms',
  ]);
  expect(drawTimeAxis({ ...axis, endNs: axis.startNs })).toEqual([]);
});

test('intervals are marked from their first to their last column', () => {
  const axis = { startNs: 0, endNs: 100, columns: 18, hasUnicode: false };
  const marks = [
    { startNs: 0, endNs: 0 },
    { startNs: 50, endNs: 75 },
    { startNs: 99, endNs: 250 },
  ];
  expect(drawMarks('ramps', '^', marks, axis)).toBe('  ramps ^    ^^^ ^');
  expect(drawMarks('ramps', '^', [], axis)).toBeNull();
});
