import { expect, test } from 'vitest';
import { isRoot, STOP, STOP_NAMES } from '../../../src/code/unwind/stop-reason.ts';

test('a stack is whole at its root, at a return address 0 and at the end of the chain', () => {
  const whole = Object.entries(STOP).filter(([, reason]) => isRoot(reason));
  expect(whole.map(([name]) => name)).toEqual([
    'ROOT',
    'ZERO_RETURN_ADDRESS',
    'FRAME_POINTER_CHAIN_END',
  ]);
});

test('every reason has its words', () => {
  expect(Object.values(STOP)).toEqual(STOP_NAMES.map((_, reason) => reason));
  expect(new Set(STOP_NAMES).size).toBe(STOP_NAMES.length);
});
