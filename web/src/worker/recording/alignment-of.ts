import { getOrMake } from '../../../../src/base/group-by.ts';
import { ComputedOnce } from '../../../../src/base/slices.ts';
import type { PageProfile } from '../../../../src/formats/export/page-profile.ts';
import { type Alignment, alignPeriods } from '../../../../src/period/alignment.ts';

const known = new WeakMap<PageProfile, ComputedOnce<Alignment>>();

/** The alignment that the views of time and the intervals both begin with; once for a recording. */
export function alignmentOf(page: PageProfile): ComputedOnce<Alignment> {
  return getOrMake(known, page, () => new ComputedOnce(() => alignPeriods(page.periodInput)));
}
