import { expect, test } from 'vitest';
import { diffSides } from '../../../src/cli/diff/diff-sides.ts';

test('the files of a comparison are the older one first, by default the last two recordings', () => {
  expect(diffSides([], {})).toEqual({ here: ['perf.data'], there: ['perf.data.old'] });
  expect(diffSides(['a.data'], {})).toEqual({ here: ['perf.data'], there: ['a.data'] });
  expect(diffSides(['a.data', 'b.data'], {})).toEqual({ here: ['b.data'], there: ['a.data'] });
});

test('a recording is not compared with itself because it is named alone', () => {
  expect(() => diffSides(['perf.data'], {})).toThrow('perf.data would be compared with itself');
});
