import { markdownCode, markdownTable } from '../../base/markdown.ts';
import {
  formatCount,
  formatPoints,
  formatRelative,
  formatShare,
  formatShortWeight,
  formatWeightChange,
} from '../../base/numbers.ts';
import { shortName } from '../../profile/short-name.ts';
import type { ComparisonBy } from '../../questions/compare.ts';
import { certaintyNote, comparisonNotes, sensitivityNote } from '../../questions/compare-words.ts';
import { decidingText, type JudgedCondition } from './fail-if.ts';

const SIGNS = { met: '❌', 'not met': '✅', 'not distinguishable': '➖' } as const;

/** The verdicts on conditions, those that are met first. */
export function conditionsMarkdown(judged: readonly JudgedCondition[]): string[] {
  if (judged.length === 0) return [];
  const met = judged.filter(({ verdict }) => verdict === 'met');
  const rows = [...met, ...judged.filter(({ verdict }) => verdict !== 'met')].map((one) => [
    [`${SIGNS[one.verdict]} ${one.verdict}`, decidingText(one)].filter(Boolean).join(': '),
    markdownCode(one.condition),
    one.event === null
      ? 'turns of event loops'
      : one.name === null
        ? 'everything'
        : markdownCode(shortName(one.name)),
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

/** Changes in one event, for a pull request: the certain rows, and how many are not. */
export function diffMarkdown(diff: ComparisonBy, limit: number): string[] {
  const { event, runs, otherRuns, samples, otherSamples, unit, by } = diff;
  const certain = diff.functions.filter((row) => row[by]?.isCertain);
  const shown = certain.slice(0, limit);
  const total = by === 'share' ? null : diff.total[by];
  const cells = shown.map((row) => {
    const { share } = row;
    const change = row[by] ?? share;
    return [
      by === 'share' ? formatPoints(share.delta) : formatWeightChange(change.delta, unit),
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
    ...[
      certaintyNote(diff),
      ...(certain.length > shown.length ? [`${certain.length - shown.length} more differ`] : []),
      sensitivityNote(diff, markdownCode),
      ...comparisonNotes(diff),
    ].flatMap((note) => (note === '' ? [] : `${note}.`)),
    '',
  ];
}
