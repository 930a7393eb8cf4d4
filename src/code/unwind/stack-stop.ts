import { STOP } from './stop-reason.ts';
import type { StackReader } from './types.ts';

/** No thread's stack is larger, so an address further up is not of this stack. */
const LARGEST_STACK = 2 ** 30;

/** Why the word at `address` can't be read; NaN is an address made of an unknown register. */
export function stackStop(address: number, stack: StackReader): number {
  if (Number.isNaN(address)) return STOP.MISSING_REGISTER;
  const isAbove = address > stack.end - stack.wordBytes && address < stack.end + LARGEST_STACK;
  return isAbove ? STOP.STACK_CUT : STOP.OUTSIDE_STACK;
}
