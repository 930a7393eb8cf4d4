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
import { nameInFile } from '../../profile/script-name.ts';
import { shortName } from '../../profile/short-name.ts';
import type { ComparisonBy } from '../../questions/compare.ts';
import { certaintyNote, comparisonNotes, sensitivityNote } from '../../questions/compare-words.ts';
import { formatTable } from '../render/table.ts';
import { CHANCE_ROWS, type Limits, rowWord } from '../report/report-rows.ts';
import { tableLook } from '../shared/colour.ts';

/** The text of one event's changes: those that are certain, or so many rows as are asked for. */
export function diffLines(diff: ComparisonBy, { rows, isUsual }: Limits): string[] {
  const { event, samples, otherSamples, functions, by, unit } = diff;
  const certain = isUsual ? functions.filter((row) => row[by]?.isCertain) : functions;
  const shown = certain.length === 0 ? functions.slice(0, CHANCE_ROWS) : certain.slice(0, rows);
  const cut = functions.length - shown.length;
  const measure = by === 'share' ? 'in percentage points' : MEANING[by];
  return [
    ...totalLines(diff),
    `# event ${printable(event)}: ${formatCount(otherSamples)} samples before, ` +
      `${formatCount(samples)} after; changes of self, ${measure}`,
    ...(by === 'share' ? shareTable(shown) : weightTable(shown, by, unit)),
    ...(cut > 0
      ? [
          `… ${formatCount(cut)} more ${rowWord(cut)}${isUsual ? ', which may be alike' : ''} (-n 0 shows all)`,
        ]
      : []),
    `# ${certaintyNote(diff)}${shown.some((row) => !row[by]?.isCertain) ? '; ?: may be alike' : ''}`,
    ...[sensitivityNote(diff), ...comparisonNotes(diff)].filter(Boolean).map((note) => `# ${note}`),
  ];
}

const MEANING = {
  absolute: 'as recorded (also --by second, --by share)',
  second: 'per second recorded (also --by absolute, --by share)',
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

function namesOf({ name, path, dso }: Pick<Rows[number], 'name' | 'path' | 'dso'>): string[] {
  return nameInFile(name, path, dso).map((each) => printable(shortName(each)));
}

function shareTable(rows: Rows): string[] {
  const cells = rows.map(({ share, ...row }) => [
    formatPoints(share.delta),
    share.interval === null
      ? ''
      : `${formatPoints(share.interval.low)} … ${formatPoints(share.interval.high)}`,
    share.isCertain ? '' : '?',
    formatShare(share.there),
    formatShare(share.here),
    ...namesOf(row),
  ]);
  const header = ['change', '95% interval', '', 'before', 'after', 'file', 'function'];
  return formatTable(header, cells, { right: [0, 1, 3, 4], spare: [3, 4, 1, 5], ...tableLook() });
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
      ...namesOf(row),
    ];
  });
  const header = ['change', '95% interval', '', 'by', 'before', 'after'];
  header.push('share before', 'after', 'file', 'function');
  return formatTable(header, cells, {
    right: [0, 1, 3, 4, 5, 6, 7],
    spare: [6, 7, 4, 5, 3, 1, 8],
    ...tableLook(),
  });
}
