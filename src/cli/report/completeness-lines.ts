import { formatCount, formatShare } from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import type { Completeness, CutStacks } from '../../profile/analysis/completeness.ts';
import type { OpenedProfile } from '../../read/open-profile.ts';
import { adviceForCut } from '../../read/unwind/cut-advice.ts';

/** More cut stacks than this are worth a line. */
const WORTH_REPORTING = 0.01;
const MOST_ROWS = 10;

/** Why stacks end early, and what to do: nothing while 99 % are complete, unless `isVerbose`. */
export function completenessLines(opened: OpenedProfile, isVerbose: boolean): string[] {
  const { completeness } = opened;
  if (completeness === null || completeness.samples === 0) return [];
  const { samples, complete, unknown, cut } = completeness;
  const cutSamples = samples - complete - unknown;
  if (!isVerbose && cutSamples < WORTH_REPORTING * samples) return [];
  const unknownText =
    unknown === 0 ? '' : `, ${formatShare(unknown / samples)} unknown (no symbols)`;
  const head = `# stacks: ${formatShare(complete / samples)} of ${formatCount(samples)} are complete${unknownText}`;
  if (isVerbose)
    return [head, ...cut.slice(0, MOST_ROWS).map((row) => `#   ${cutLine(opened, row)}`)];
  const [most] = cut;
  return most === undefined ? [head] : [`${head}; ${cutLine(opened, most)}`];
}

function cutLine(opened: OpenedProfile, cut: CutStacks): string {
  const { reason, dso, samples } = cut;
  const share = formatShare(samples / (opened.completeness as Completeness).samples);
  const advice = adviceForCut(cut, opened.profile);
  return (
    `${share} end in ${printable(shownName(opened, dso))}: ${reason}` +
    (advice === null ? '' : ` (${advice})`)
  );
}

function nameOf({ profile }: OpenedProfile, dso: number): string {
  return profile.dsos[dso]?.name ?? 'no mapping';
}

/** The kernel calls memory of no file `//anon`. */
function shownName(opened: OpenedProfile, dso: number): string {
  const name = nameOf(opened, dso);
  return name === '//anon' ? 'memory of no file' : name;
}

/** The same as JSON: shares are 0…1. Null where no event records stacks. */
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
      advice: adviceForCut(row, opened.profile),
    })),
  };
}
