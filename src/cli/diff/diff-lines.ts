import {
  formatCount,
  formatPoints,
  formatRelative,
  formatShare,
  formatShortWeight,
  formatWeightChange,
} from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import type { Change } from '../../profile/analysis/change.ts';
import { shortName } from '../../profile/short-name.ts';
import type { ComparisonBy } from '../../questions/compare.ts';
import { certaintyNote, comparisonNotes } from '../../questions/compare-words.ts';
import { formatTable } from '../render/table.ts';
import { wantsColour } from '../shared/colour.ts';

/** The text of one event's changes, `limit` rows of them. */
export function diffLines(diff: ComparisonBy, limit: number): string[] {
  const { event, samples, otherSamples, functions, by, unit } = diff;
  const shown = functions.slice(0, limit);
  const cut = functions.length - shown.length;
  const measure = by === 'share' ? 'in percentage points' : MEANING[by];
  return [
    ...totalLines(diff),
    `# event ${printable(event)}: self after, ${formatCount(samples)} samples, less self before, ` +
      `${formatCount(otherSamples)} samples; ${measure}`,
    `# ${certaintyNote(diff)}; ?: may be alike`,
    ...comparisonNotes(diff).map((note) => `# ${note}`),
    '',
    ...(by === 'share' ? shareTable(shown) : weightTable(shown, by, unit)),
    ...(cut > 0 ? [`… and ${formatCount(cut)} more (--limit 0 shows all)`] : []),
  ];
}

const MEANING = {
  absolute: 'as recorded (--by second: per second recorded, --by share: parts of all)',
  second: 'per second recorded (--by absolute: as recorded, --by share: parts of all)',
} as const;

/** `# CPU time: 1.39 s → 2.48 s, +1.09 s (+78%), 95%: +1.08 s … +1.10 s`. */
function totalLines({ total, unit, title, runs, otherRuns, by }: ComparisonBy) {
  const change = by === 'second' ? total.second : total.absolute;
  if (change === null) return [];
  const per = by === 'second' ? ' per second' : '';
  const { here, there, delta, interval, isCertain } = change;
  const means = runs + otherRuns > 2 ? ` (means of ${otherRuns} and ${runs} recordings)` : '';
  const certainty = isCertain || delta === 0 ? '' : ', as much as runs of one program may differ';
  return [
    `# ${printable(title)}${per}: ${formatShortWeight(there, unit)} → ` +
      `${formatShortWeight(here, unit)}${means}, ${formatWeightChange(delta, unit)} ` +
      `(${formatRelative(here, there)})${intervalText(interval, unit)}${certainty}`,
  ];
}

function intervalText(interval: Change['interval'], unit: string): string {
  if (interval === null || interval.low === interval.high) return '';
  return `, 95%: ${formatWeightChange(interval.low, unit)} … ${formatWeightChange(interval.high, unit)}`;
}

type Rows = ComparisonBy['functions'];

function shareTable(rows: Rows): string[] {
  const cells = rows.map(({ name, dso, share }) => [
    formatPoints(share.delta),
    share.interval === null
      ? ''
      : `${formatPoints(share.interval.low)} … ${formatPoints(share.interval.high)}`,
    share.isCertain ? '' : '?',
    formatShare(share.there),
    formatShare(share.here),
    printable(dso),
    printable(shortName(name)),
  ]);
  const header = ['change', '95% interval', '', 'before', 'after', 'DSO', 'symbol'];
  return formatTable(header, cells, { right: [0, 1, 3, 4], colour: wantsColour() });
}

function weightTable(rows: Rows, measure: 'absolute' | 'second', unit: string): string[] {
  const cells = rows.map((row) => {
    // The measure is one that these recordings have.
    const { here, there, delta, interval, isCertain } = row[measure] as Change;
    return [
      formatWeightChange(delta, unit),
      interval === null
        ? ''
        : `${formatWeightChange(interval.low, unit)} … ${formatWeightChange(interval.high, unit)}`,
      isCertain ? '' : '?',
      formatRelative(here, there),
      formatShortWeight(there, unit),
      formatShortWeight(here, unit),
      formatShare(row.share.there),
      formatShare(row.share.here),
      printable(row.dso),
      printable(shortName(row.name)),
    ];
  });
  const header = ['change', '95% interval', '', 'by', 'before', 'after'];
  header.push('share before', 'after', 'DSO', 'symbol');
  return formatTable(header, cells, { right: [0, 1, 3, 4, 5, 6, 7], colour: wantsColour() });
}
