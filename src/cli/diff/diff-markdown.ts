import { markdownCode, markdownTable } from '../../base/markdown.ts';
import {
  formatCount,
  formatPoints,
  formatRelative,
  formatShare,
  formatShortWeight,
  formatWeightChange,
} from '../../base/numbers.ts';
import { sortChanges } from '../../profile/analysis/compare-functions.ts';
import type { DiffMeasure } from '../../profile/analysis/diff-measure.ts';
import { shortName } from '../../profile/short-name.ts';
import type { EventDiff } from './event-diff.ts';
import type { JudgedCondition } from './fail-if.ts';

const SIGNS = { met: '❌', 'not met': '✅', 'not distinguishable': '➖' } as const;

/** The verdicts on conditions, those that are met first. */
export function conditionsMarkdown(judged: readonly JudgedCondition[]): string[] {
  if (judged.length === 0) return [];
  const met = judged.filter(({ verdict }) => verdict === 'met');
  const rows = [...met, ...judged.filter(({ verdict }) => verdict !== 'met')].map((one) => [
    `${SIGNS[one.verdict]} ${one.verdict}`,
    markdownCode(one.condition),
    one.name === null ? 'everything' : markdownCode(shortName(one.name)),
    formatRelative(one.here, one.there),
    one.interval === null
      ? ''
      : `${formatRelative(one.there + one.interval.low, one.there)} … ${formatRelative(one.there + one.interval.high, one.there)}`,
  ]);
  return [
    met.length > 0 ? `**${met.length} of ${judged.length} met.**` : '**None is met.**',
    '',
    ...markdownTable(
      ['', 'fails if', 'function', 'change', '95 % interval'],
      rows,
      new Set([3, 4]),
    ),
    '',
  ];
}

/** What changed in one event, for a pull request: the certain rows, and how many are not. */
export function diffMarkdown(diff: EventDiff, measure: DiffMeasure, limit: number): string[] {
  const { event, runs, otherRuns, samples, otherSamples, unit } = diff;
  const rows = sortChanges(diff.functions, measure);
  const certain = rows.filter((row) => row[measure]?.isCertain);
  const shown = certain.slice(0, limit);
  const total = measure === 'share' ? null : diff.total[measure];
  const doubtful = rows.length - certain.length;
  const cells = shown.map((row) => {
    const { share } = row;
    const change = row[measure] ?? share;
    return [
      measure === 'share' ? formatPoints(share.delta) : formatWeightChange(change.delta, unit),
      formatRelative(change.here, change.there),
      formatShare(share.there),
      formatShare(share.here),
      markdownCode(shortName(row.name)),
    ];
  });
  return [
    `### ${markdownCode(event)}`,
    '',
    `${formatCount(otherSamples)} samples of ${otherRuns} before, ${formatCount(samples)} of ${runs} after.`,
    ...(total === null
      ? []
      : [
          `Everything: ${formatShortWeight(total.there, unit)} → ${formatShortWeight(total.here, unit)} ` +
            `(${formatRelative(total.here, total.there)})${total.isCertain ? '' : ', not distinguishable'}.`,
        ]),
    '',
    ...(shown.length === 0
      ? ['No function changed by more than runs of one program may differ.']
      : markdownTable(
          ['change', 'by', 'share before', 'after', 'function'],
          cells,
          new Set([0, 1, 2, 3]),
        )),
    '',
    `${formatCount(doubtful)} of ${formatCount(rows.length)} functions are not distinguishable` +
      `${certain.length > shown.length ? `, ${certain.length - shown.length} more changed` : ''} ` +
      '(95 % for all rows together).',
    '',
  ];
}
