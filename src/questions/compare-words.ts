import {
  formatCount,
  formatPoints,
  formatShare,
  formatShortWeight,
  formatWeightChange,
} from '../base/numbers.ts';
import { printable } from '../base/printable.ts';
import type { Bounds } from '../profile/analysis/change.ts';
import type { DiffMeasure } from '../profile/analysis/diff-measure.ts';
import { shortName } from '../profile/short-name.ts';
import { type Comparison, type ComparisonBy, sensitivityOf } from './compare.ts';

/** `1.39 s`, `520.0 ms/s`, `25.09%`: a quantity as it is compared. */
export function formatCompared(value: number, by: DiffMeasure, unit: string): string {
  if (by === 'share') return formatShare(value);
  return `${formatShortWeight(value, unit)}${by === 'second' ? '/s' : ''}`;
}

/** `+1.09 s`, `+520.0 ms/s`, `+1.23 points`: how much more of it. */
export function formatDelta(delta: number, by: DiffMeasure, unit: string): string {
  if (by === 'share') return `${formatPoints(delta)} points`;
  return `${formatWeightChange(delta, unit)}${by === 'second' ? '/s' : ''}`;
}

/** `+512.5 … +527.4 ms`: ends in the same unit have it once. */
export function formatDeltaInterval({ low, high }: Bounds, by: DiffMeasure, unit: string): string {
  const [from, to] = [low, high].map((end) => formatDelta(end, by, unit));
  const unitOf = (text: string) => /[^\d]*$/.exec(text)?.[0] ?? '';
  return unitOf(from) === unitOf(to)
    ? `${from.slice(0, from.length - unitOf(from).length)} … ${to}`
    : `${from} … ${to}`;
}

/** Facts to know of the recordings before believing their comparison, a sentence without a full stop each. */
export function comparisonNotes(comparison: Omit<Comparison, 'total'>): string[] {
  const { areSampledAlike, ruleDoubts, renamed, functions } = comparison;
  const shared = sharedPart(functions);
  return [
    ...(areSampledAlike === false
      ? ['sampled at different rates: sampling itself takes time, more of it at the higher rate']
      : []),
    ...(shared < LEAST_SHARED
      ? [
          `no more than ${formatShare(shared)} of either side is in functions that both have: they may be of different programs`,
        ]
      : []),
    ...ruleDoubts.map(({ side, text }) => `${side}: ${text}`),
    ...renamed.map(
      ({ name, otherName }) =>
        `compared as one program: ${printable(otherName)} before, ${printable(name)} after`,
    ),
  ];
}

/** Builds of one program have more than this in common, whatever was renamed. */
const LEAST_SHARED = 0.1;

/** The share in functions that both sides have, of that side where it is more; 1 where a side has none. */
function sharedPart(functions: Comparison['functions']): number {
  let [here, there] = [0, 0];
  for (const { share } of functions) {
    if (share.here > 0 && share.there > 0) {
      here += share.here;
      there += share.there;
    }
  }
  const hasBoth = (['here', 'there'] as const).every((side) =>
    functions.some(({ share }) => share[side] > 0),
  );
  return hasBoth ? Math.max(here, there) : 1;
}

/** `6 of 101 functions differ (95% for all together)`, and how that is known. */
export function certaintyNote({ functions, runs, otherRuns, by }: ComparisonBy): string {
  const certain = functions.filter((row) => row[by]?.isCertain).length;
  const areSeveral = runs + otherRuns > 2;
  const least = by === 'share' || areSeveral ? '' : ', by 5% at least';
  return (
    `${formatCount(certain)} of ${formatCount(functions.length)} functions differ (95% for all together${least}); ` +
    (areSeveral
      ? `means of ${otherRuns} older and ${runs} newer recordings, by how far these differ`
      : 'how far runs of one program differ, two recordings cannot tell: record several a side')
  );
}

/** `of score, a change by 12% could be seen; by 10%, about 9 recordings a side would show it`; '' where that is not known. `quoted`: names as the door has them. */
export function sensitivityNote(
  comparison: ComparisonBy,
  quoted: (name: string) => string = printable,
): string {
  const found = sensitivityOf(comparison);
  if (found === null) return '';
  const { name, part, runsForTenth } = found;
  const runs = runsForTenth === null ? 'more than 100' : `about ${runsForTenth}`;
  const tenth = part > 0.1 ? `; for one by 10%, ${runs} recordings a side` : '';
  return `of ${quoted(shortName(name))}, a change by ${formatShare(part)} could be seen, four times in five${tenth}`;
}
