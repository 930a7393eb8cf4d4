import { expect, it } from 'vitest';
import { finish, type Slices } from '../../src/base/slices.ts';
import { Recent } from '../../web/src/worker/recording/recent.ts';

/** Keys in the order asked, with those that had to be computed marked. */
function ask(recent: Recent<number>, keys: string): string {
  let log = '';
  for (const key of keys) {
    log += key;
    recent.get(key, () => {
      log += '!';
      return Number(key);
    });
  }
  return log;
}

it('the cache keeps its maximum, and drops the least recently used', () => {
  expect(ask(new Recent(2), '121312')).toBe('1!2!13!12!');
});

it('the cache keeps to its budget, but always the last entry', () => {
  const recent = new Recent<number>(9, 5, (value) => value);
  expect(ask(recent, '2323')).toBe('2!3!23');
  // 4 and 3 are too much together; 9 is too much alone, but in use.
  expect(ask(recent, '43')).toBe('4!3!');
  expect(ask(recent, '9993')).toBe('9!993!');
});

it('an answer is computed in slices once, whoever of several goes on, and again after a failure', () => {
  const recent = new Recent<number>(2);
  const log: string[] = [];
  const compute = function* (): Slices<number> {
    log.push('begun');
    yield;
    if (log.length === 1) throw new RangeError('not yet');
    return 7;
  };
  expect(() => finish(recent.getInSlices('a', compute))).toThrow('not yet');
  const left = recent.getInSlices('a', compute);
  left.next();
  expect(finish(recent.getInSlices('a', compute))).toBe(7);
  expect(left.next()).toEqual({ done: true, value: 7 });
  expect(recent.get('a', () => 8)).toBe(7);
  expect(log).toEqual(['begun', 'begun']);
});
