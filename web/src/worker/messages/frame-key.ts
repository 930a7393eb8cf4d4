import type { FrameKey } from './messages.ts';

/** M of `FrameKey`: more functions than any recording has; three times as many keys fit into 32 bits. */
const MAX_FUNCS = 500_000_000;

/** The key of a function, or of the same where the compiler inlined it. */
export function keyOf(func: number, isInline: boolean): FrameKey {
  return isInline ? func + MAX_FUNCS : func;
}

/** FuncIndex of a key; −1 for what is no function. */
export function funcOf(key: FrameKey): number {
  return key < 0 || key >= 2 * MAX_FUNCS ? -1 : key % MAX_FUNCS;
}

/** Whether a key means a function where the compiler inlined it. */
export function isInlined(key: FrameKey): boolean {
  return key >= MAX_FUNCS && key < 2 * MAX_FUNCS;
}

/**
 * Trees have groups where the page has keys:
 *
 *     group   0 … F − 1   F … 2F − 1   2F …          F functions, the same inlined, roots
 *     key     0 …         M …          2M …
 *
 * Groups are dense, so columns can be by group. Keys are what the address holds: they stay the same
 * when a live recording has got more functions.
 */
export function groupOfKey(key: FrameKey, funcs: number): number {
  const kind = Math.min(2, Math.floor(key / MAX_FUNCS));
  const row = key - kind * MAX_FUNCS;
  // A function that this recording does not have is not to become an inlined one.
  if (kind < 2 && row >= funcs) return Number.MAX_SAFE_INTEGER;
  return row + kind * funcs;
}

/** A negative group, which stands for none, is its own key. */
export function keyOfGroup(group: number, funcs: number): FrameKey {
  if (group < 0) return group;
  const kind = group < funcs ? 0 : group < 2 * funcs ? 1 : 2;
  return group - kind * funcs + kind * MAX_FUNCS;
}
