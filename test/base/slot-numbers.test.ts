import { expect, test } from 'vitest';
import { SlotNumbers } from '../../src/base/slot-numbers.ts';

test.each([8, 2 ** 50])('the slots that were set, of %d, have a number, all others 0', (slots) => {
  const numbers = new SlotNumbers(slots);
  numbers.set(slots - 1, 7);
  numbers.set(2, 3);
  numbers.set(2, 4);
  expect([0, 2, slots - 1].map((slot) => numbers.get(slot))).toEqual([0, 4, 7]);
});
