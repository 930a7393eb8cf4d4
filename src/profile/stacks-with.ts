import { NONE } from '../base/brand.ts';
import type { Profile } from './types.ts';

/** Flags the stack rows of which a frame is a function that is meant. */
// Hot: once per stack row.
export function stacksWith(
  { stacks, frames }: Pick<Profile, 'stacks' | 'frames'>,
  isMeant: (func: number) => boolean,
): Uint8Array {
  const isWith = new Uint8Array(stacks.length);
  // Callers come first.
  for (let row = 0; row < stacks.length; row++) {
    const caller = stacks.prefix[row];
    const isBelow = caller !== NONE && isWith[caller] === 1;
    isWith[row] = isBelow || isMeant(frames.func[stacks.frame[row]]) ? 1 : 0;
  }
  return isWith;
}
