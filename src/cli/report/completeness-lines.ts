import { formatCount, formatShare } from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import type { Completeness, CutStacks } from '../../profile/analysis/stacks/completeness.ts';
import type { OpenedProfile } from '../../read/open-profile.ts';
import { adviceTextForCut, placeOfCut } from '../../read/unwind/cut-advice.ts';

const MOST_ROWS = 10;

/** `-v`: why stacks end early, and what to do. */
export function completenessLines(opened: OpenedProfile): string[] {
  const { completeness } = opened;
  if (completeness === null || completeness.samples === 0) return [];
  const { samples, complete, unknown, cut } = completeness;
  const unknownText =
    unknown === 0 ? '' : `, ${formatShare(unknown / samples)} unknown (no symbols)`;
  return [
    `# stacks: ${formatShare(complete / samples)} of ${formatCount(samples)} are complete${unknownText}`,
    ...cut.slice(0, MOST_ROWS).map((row) => `#   ${cutLine(opened, row)}`),
  ];
}

function cutLine(opened: OpenedProfile, cut: CutStacks): string {
  const { reason, samples } = cut;
  const share = formatShare(samples / (opened.completeness as Completeness).samples);
  const advice = adviceTextForCut(cut, opened.profile);
  return (
    `${share} end in ${printable(placeOfCut(opened.profile, cut))}: ${reason}` +
    (advice === null ? '' : ` (${advice})`)
  );
}

function nameOf({ profile }: OpenedProfile, dso: number): string {
  return profile.dsos[dso]?.name ?? 'no mapping';
}

/** The completeness of stacks as JSON: shares are 0…1. Null where no event records stacks. */
export function completenessJson(opened: OpenedProfile) {
  const { completeness } = opened;
  if (completeness === null) return null;
  const { samples, complete, unknown, cut } = completeness;
  return {
    samples,
    complete,
    unknown,
    share: samples === 0 ? null : complete / samples,
    cut: cut.map((row) => ({
      reason: row.reason,
      dso: nameOf(opened, row.dso),
      samples: row.samples,
      advice: adviceTextForCut(row, opened.profile),
    })),
  };
}
