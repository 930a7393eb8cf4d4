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

test('each decade takes as much height as the next', () => {
  expect(drawPlot(series(1, 10, 100, 1000, 1000), LINE)).toEqual([
    '    1k ┤      ⠉⠉⠉⠉',
    '   100 ┤    ⠒⠒',
    '    10 ┤  ⠤⠤',
    '     1 ┤⣀⣀',
  ]);
});

test('without Unicode a character is a dot, and everything is ASCII', () => {
  const lines = drawPlot(series(1, 10, 100, 1000, 1000), { ...LINE, hasUnicode: false });
  expect(lines).toEqual(['    1k +      ****', '   100 +    **', '    10 +  **', '     1 +**']);
});

test('a slice is drawn from its lowest to its highest value, an empty one not at all', () => {
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

test('the reference has a label, and a line where little else is', () => {
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

test('an area stands on zero, and is cut far above the reference', () => {
  const area: TextPlotOptions = { ...LINE, hasUnicode: false, kind: 'area', reference: 100 };
  expect(drawPlot(series(0.1, 100, 200, 9000, 50), area)).toEqual([
    '   300 +      **',
    '       |    ****',
    '   100 +  ******',
    '     0 +**********',
  ]);
});

test('the axis has round times, also when it does not start at one', () => {
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

test('stretches are marked from their first to their last column', () => {
  const axis = { startNs: 0, endNs: 100, columns: 18, hasUnicode: false };
  const marks = [
    { startNs: 0, endNs: 0 },
    { startNs: 50, endNs: 75 },
    { startNs: 99, endNs: 250 },
  ];
  expect(drawMarks('ramps', '^', marks, axis)).toBe('  ramps ^    ^^^ ^');
  expect(drawMarks('ramps', '^', [], axis)).toBeNull();
});
