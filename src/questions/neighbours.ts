import { NONE } from '../base/brand.ts';
import { mapInts } from '../base/int-column.ts';
import type { Slices } from '../base/slices.ts';
import type { FuncIndex, Profile } from '../profile/types.ts';
import { type Asked, type Share, sharesByKey } from './shares-by-key.ts';

export type NeighbourSide = 'callers' | 'callees';

/** A caller or callee of a function; `func` null: nobody, so that it is the outermost, or runs itself. */
export type NeighbourShare = Share & { readonly func: FuncIndex | null };

/** How a neighbour is called that is no function. */
export const NOBODY: Readonly<Record<NeighbourSide, string>> = {
  callers: '[root]',
  callees: '[self]',
};

/**
 * Finds callers or callees of the functions of `isMeant` (by FuncIndex), heaviest first. Of each
 * stack the outermost call counts, so that recursion counts once, and all shares together are those of the
 * stacks with one of the functions on them:
 *
 *     samples              callers of work     callees of work
 *     main work leaf       main   2            leaf    1
 *     main work work       [root] 1            work    1
 *     work                                     [self]  1
 */
export function* findNeighbours(
  asked: Asked,
  isMeant: Uint8Array,
  side: NeighbourSide,
): Slices<NeighbourShare[]> {
  const { profile } = asked;
  const keys = neighbourOfSample(profile, isMeant, side);
  yield;
  const shares = yield* sharesByKey(asked, keys, profile.funcs.length + 1);
  return shares.map(({ key, ...share }) => ({
    func: key === 0 ? null : ((key - 1) as FuncIndex),
    ...share,
  }));
}

/** FuncIndex + 1; 0: nobody; −1 where none of the functions is on the stack. */
function neighbourOfSample(
  { stacks, frames, samples }: Profile,
  isMeant: Uint8Array,
  side: NeighbourSide,
): Int32Array {
  const key = new Int32Array(stacks.length).fill(NONE);
  const isCall = new Uint8Array(stacks.length);
  // Hot: once per stack row; parents come first.
  for (let row = 0; row < stacks.length; row++) {
    const above = stacks.prefix[row];
    const func = frames.func[stacks.frame[row]];
    if (above !== NONE && key[above] !== NONE) {
      key[row] = side === 'callees' && isCall[above] === 1 ? func + 1 : key[above];
    } else if (isMeant[func] === 1) {
      isCall[row] = 1;
      const caller = above === NONE ? 0 : frames.func[stacks.frame[above]] + 1;
      key[row] = side === 'callers' ? caller : 0;
    }
  }
  return mapInts(samples.stack, (stack) => (stack === NONE ? NONE : key[stack]));
}
