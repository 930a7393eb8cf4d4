import { expect, test } from 'vitest';
import { memoize } from '../../src/base/memoize.ts';

test('a memoized function computes each key once, also where there is no result', () => {
  const asked: number[] = [];
  const results = [null, undefined, 'two'];
  const find = memoize((key: number) => {
    asked.push(key);
    return results[key];
  });
  expect([0, 1, 2, 0, 1, 2].map(find)).toEqual([null, undefined, 'two', null, undefined, 'two']);
  expect(asked).toEqual([0, 1, 2]);
});
