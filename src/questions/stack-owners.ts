import { NONE } from '../base/brand.ts';
import { isAsyncFrame } from '../profile/async-frame.ts';
import { categoryRow } from '../profile/func-table.ts';
import type { Profile } from '../profile/types.ts';

/** Rank of all that is neither the author's nor a dependency's: categories are in the order of owners. */
const OTHERS = categoryRow('dependency') + 1;

/** The functions that a stack's time is put down to, by StackIndex. */
export type StackOwners = {
  /** The innermost function of the author's, else of a dependency, else that of the innermost frame. */
  readonly innermost: Int32Array;
  /** The innermost function of the author's, else of a dependency; −1 where there is neither. */
  readonly author: Int32Array;
  /** The outermost function of the author's, else of a dependency; −1: none. */
  readonly outermost: Int32Array;
};

export function ownersOfStacks({ stacks, frames, funcs }: Profile): StackOwners {
  const innermost = new Int32Array(stacks.length);
  const author = new Int32Array(stacks.length);
  const outermost = new Int32Array(stacks.length);
  const rank = (func: number): number =>
    func === NONE ? OTHERS + 1 : Math.min(funcs.category[func], OTHERS);
  for (let row = 0; row < stacks.length; row++) {
    const frame = stacks.frame[row];
    // A function that awaits does not run.
    const func = isAsyncFrame(frames, frame) ? NONE : frames.func[frame];
    const above = stacks.prefix[row];
    const inner = above === NONE ? NONE : innermost[above];
    const outer = above === NONE ? NONE : outermost[above];
    innermost[row] = rank(func) <= rank(inner) ? func : inner;
    author[row] = rank(innermost[row]) < OTHERS ? innermost[row] : NONE;
    outermost[row] = rank(func) < Math.min(OTHERS, rank(outer)) ? func : outer;
  }
  return { innermost, author, outermost };
}
