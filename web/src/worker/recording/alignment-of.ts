import { ComputedOnce } from '../../../../src/base/slices.ts';
import type { PageProfile } from '../../../../src/formats/export/page-profile.ts';
import { type Alignment, alignPeriods } from '../../../../src/period/alignment.ts';

const known = new WeakMap<PageProfile, ComputedOnce<Alignment>>();

/** The alignment that the views of time and the intervals both begin with; once for a recording. */
export function alignmentOf(page: PageProfile): ComputedOnce<Alignment> {
  let alignment = known.get(page);
  if (alignment === undefined) {
    alignment = new ComputedOnce(() => alignPeriods(page.periodInput));
    known.set(page, alignment);
  }
  return alignment;
}
