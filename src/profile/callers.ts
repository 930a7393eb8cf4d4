import { NONE } from '../base/brand.ts';
import type { Profile } from './types.ts';

/** The name of what called the outermost function of a stack, and of callers where no stacks were recorded. */
export const ROOT_NAME = '[root]';
export const NO_CALLER_NAME = '[not recorded]';

/** Whether any stack has a caller. Calls that were inlined need no stack to be known. */
export function hasCallers({ stacks, frames }: Profile): boolean {
  return stacks.prefix.some((prefix, row) => {
    return prefix !== NONE && frames.inlineDepth[stacks.frame[row]] === 0;
  });
}
