import { expect, it } from 'vitest';
import {
  ComputedOnce,
  eachSlice,
  finish,
  followPieces,
  SLICE_ITEMS,
  type Slices,
} from '../../src/base/slices.ts';

it('a shared computation resumes where its first caller was interrupted, and runs once', () => {
  const log: string[] = [];
  const once = new ComputedOnce(function* (): Slices<number> {
    log.push('a');
    yield;
    log.push('b');
    yield;
    log.push('c');
    return 7;
  });
  const first = once.get();
  first.next();
  expect(log).toEqual(['a']);
  expect(finish(once.get())).toBe(7);
  expect(log).toEqual(['a', 'b', 'c']);
  expect(first.next()).toEqual({ done: true, value: 7 });
  expect(finish(once.get())).toBe(7);
  expect(log).toEqual(['a', 'b', 'c']);
});

it('a shared computation reports its failure to every caller', () => {
  const once = new ComputedOnce(function* (): Slices<number> {
    yield;
    throw new RangeError('no weights');
  });
  expect(() => finish(once.get())).toThrow('no weights');
  expect(() => finish(once.get())).toThrow('no weights');
});

it('uninterrupted work reports its progress piece by piece, until nobody follows', () => {
  let pieces = 0;
  followPieces(() => pieces++);
  finish(eachSlice(2 * SLICE_ITEMS + 1, () => {}));
  expect(pieces).toBe(3);
  followPieces(null);
  finish(eachSlice(1, () => {}));
  expect(pieces).toBe(3);
});
