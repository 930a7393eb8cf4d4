import { NONE } from '../../../base/brand.ts';
import { mapInts } from '../../../base/int-column.ts';
import { StackTableBuilder } from '../../stack-table.ts';
import type { Profile } from '../../types.ts';

/**
 * The profile without the frames of some functions: what was done in them counts as done in their
 * callers.
 *
 *     main → work → LoadIC   ──▶   main → work
 *
 * `isFolded` and `takesLeaf` have a row for each function. An outermost frame stays, since it has no
 * caller; an innermost one stays unless its caller takes it.
 */
export function foldFrames(profile: Profile, isFolded: Uint8Array, takesLeaf: Uint8Array): Profile {
  const { stacks, frames, samples, lostStack } = profile;
  const builder = new StackTableBuilder();
  const newStack = new Int32Array(stacks.length);
  // Hot: once per stack row. Prefixes come first, so theirs are known.
  for (let row = 0; row < stacks.length; row++) {
    const prefix = stacks.prefix[row];
    const frame = stacks.frame[row];
    const newPrefix = prefix === NONE ? NONE : newStack[prefix];
    const goes = newPrefix !== NONE && isFolded[frames.func[frame]] === 1;
    newStack[row] = goes ? newPrefix : builder.intern(newPrefix, frame);
  }
  const innermost = (row: number): number => {
    const prefix = stacks.prefix[row];
    const frame = stacks.frame[row];
    if (prefix === NONE || isFolded[frames.func[frame]] === 0) return newStack[row];
    const caller = newStack[prefix];
    const callerFunc = frames.func[builder.frame(caller)];
    return takesLeaf[callerFunc] === 1 ? caller : builder.intern(caller, frame);
  };
  const stack = mapInts(samples.stack, (row) => (row === NONE ? NONE : innermost(row)));
  return {
    ...profile,
    stacks: builder.finish(),
    samples: { ...samples, stack },
    lostStack: (lostStack === NONE ? NONE : newStack[lostStack]) as Profile['lostStack'],
  };
}
