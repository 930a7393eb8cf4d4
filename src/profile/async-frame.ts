import type { FrameTable } from './types.ts';

/** The address of the first frame of a function that awaits; others follow downwards. No code is there, and no other frame. */
export const FIRST_ASYNC_ADDRESS = -(2 ** 23);
export const MOST_ASYNC_FRAMES = 2 ** 20;
/** The frame that stands for functions that await a resumed one. */
export const NOT_KNOWN = '(awaiting functions not known)';

/** Marks a function that awaits, as in a stack of an Error, from the same one where it runs. */
export const ASYNC = 'async ';

/** The name of the function itself. */
export function withoutAsync(name: string): string {
  return name.startsWith(ASYNC) ? name.slice(ASYNC.length) : name;
}

/** Whether the frame is that of a function that awaits the one below it, or of `NOT_KNOWN`. */
export function isAsyncFrame({ address }: FrameTable, frame: number): boolean {
  const above = FIRST_ASYNC_ADDRESS - address[frame];
  return above >= 0 && above < MOST_ASYNC_FRAMES;
}
