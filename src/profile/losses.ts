import { NONE } from '../base/brand.ts';
import { formatCount } from '../base/numbers.ts';
import type { Profile } from './types.ts';

/** The consequence of lost side-band records, for everybody who shows a profile. */
export function reportLostSideband(lost: number): string {
  return (
    `${formatCount(lost)} side-band ${lost === 1 ? 'record was' : 'records were'} lost ` +
    '(forks, execs, mappings): samples may be unnamed, or named as what was there before'
  );
}

/** The function of what no sample shows, −1 if nothing was lost. */
export function lostFunc({ lostStack, stacks, frames }: Profile): number {
  return lostStack === NONE ? NONE : frames.func[stacks.frame[lostStack]];
}
