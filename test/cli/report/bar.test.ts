import { expect, test } from 'vitest';
import { drawBar } from '../../../src/cli/report/plain-table.ts';

test('a bar is as long as its share, to an eighth of a column', () => {
  expect([1, 0.5, 0.0625, 0.02, 0].map((share) => drawBar(share, 4, true))).toEqual([
    '████',
    '██',
    '▎',
    '▏',
    '',
  ]);
});

test('a bar without Unicode has whole columns, and none is longer than its room', () => {
  expect([2, 0.5, 0.1].map((share) => drawBar(share, 4, false))).toEqual(['####', '##', '']);
});
