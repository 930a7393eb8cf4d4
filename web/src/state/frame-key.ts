import type { FrameKey } from '../worker/messages/messages.ts';

/** FuncIndex of a key; −1 for what is no function. */
export function funcOfKey(key: FrameKey, funcs: number): number {
  if (key < 0 || key >= 2 * funcs) return -1;
  return key < funcs ? key : key - funcs;
}
