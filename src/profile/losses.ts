import { NONE } from '../base/brand.ts';
import type { Profile } from './types.ts';

/** The function of what no sample shows, −1 if nothing was lost. */
export function lostFunc({ lostStack, stacks, frames }: Profile): number {
  return lostStack === NONE ? NONE : (frames.func[stacks.frame[lostStack] as number] as number);
}
