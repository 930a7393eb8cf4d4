import { expect, test } from 'vitest';
import { isRoot, STOP, STOP_NAMES } from '../../../src/code/unwind/stop-reason.ts';

test('a stack is complete at its root, a return address 0 or the end of the frame pointer chain', () => {
  const whole = Object.entries(STOP).filter(([, reason]) => isRoot(reason));
  expect(whole.map(([name]) => name)).toEqual([
    'ROOT',
    'ZERO_RETURN_ADDRESS',
    'FRAME_POINTER_CHAIN_END',
  ]);
});

test('every stop reason has a text', () => {
  expect(Object.values(STOP)).toEqual(STOP_NAMES.map((_, reason) => reason));
  expect(new Set(STOP_NAMES).size).toBe(STOP_NAMES.length);
});
