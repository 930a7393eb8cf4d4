import type { Change } from '../../../src/profile/analysis/change.ts';
import { element } from '../dom.ts';
import {
  formatNanos,
  formatRelative,
  formatShortWeight,
  formatWeight,
  formatWeightChange,
} from '../format.ts';
import { DEFAULT_STATE, type ViewState } from '../state.ts';
import type { ViewContext } from '../view-context.ts';
import type { ChangesResult, DiffResult } from '../worker/messages.ts';

/** The choices that leave out samples or frames of this recording. */
const PARTS: readonly (keyof ViewState)[] = [
  'threads',
  'pid',
  'cpu',
  'range',
  'focus',
  'focusDso',
  'hidden',
  'hiddenDsos',
  'mergedFuncs',
  'mergedDsos',
  'foldRecursion',
];

/** `CPU time 1.39 s → 2.48 s  +1.09 s (+78%)`, then of what, and what to know of it. */
export function renderSummary(
  context: ViewContext,
  state: ViewState,
  result: DiffResult,
  total: ChangesResult['total'] | null,
  otherMissing: readonly string[],
): HTMLElement[] {
  const { file, other, recording } = context;
  const { samples, otherSamples, seconds, otherSeconds } = result;
  const sides =
    `before: ${other?.title ?? ''} (${lengthOf(otherSamples, otherSeconds)}), ` +
    `after: ${file.title} (${lengthOf(samples, seconds)})`;
  return [
    renderTotal(context, state, result, total),
    element('span', 'diff-sides', [sides, ...notesOn(state, result)].join('. ')),
    ...renderMissing('Before', otherMissing),
    ...renderMissing('After', recording.head.missingNames ?? []),
  ];
}

/** A file without names is a row of addresses, which differs from all that have one. */
function renderMissing(side: string, sentences: readonly string[]): HTMLElement[] {
  return sentences.map((sentence) => element('span', 'diff-missing', `${side}: ${sentence}`));
}

/** `2 781 samples in 0.71 s`. */
function lengthOf(samples: number, seconds: number | null): string {
  const recorded = seconds === null ? '' : ` in ${formatNanos(seconds * 1e9)}`;
  return `${formatWeight(samples, 'samples')}${recorded}`;
}

function renderTotal(
  { recording }: ViewContext,
  { event }: ViewState,
  { by, unit, weight, otherWeight, seconds, otherSeconds, isSameUnit }: DiffResult,
  total: ChangesResult['total'] | null,
): HTMLElement {
  const { name = '', mode = 'period' } = recording.events[event] ?? {};
  const title =
    mode === 'clock' && unit === 'nanoseconds' ? 'CPU time' : unit === 'samples' ? 'Samples' : name;
  if (!isSameUnit) {
    return element('strong', 'diff-total', `${title}: the other recording weighs in another unit`);
  }
  const perSecond = by === 'second' && seconds !== null && otherSeconds !== null;
  const per = perSecond ? ' per second' : '';
  const here = perSecond ? weight / seconds : weight;
  const there = perSecond ? otherWeight / otherSeconds : otherWeight;
  const change = perSecond ? total?.second : total?.absolute;
  const delta = here - there;
  const isPlain = delta === 0 || (change?.interval != null && !change.isCertain);
  const amount = element(
    'span',
    isPlain ? '' : delta > 0 ? 'more-here' : 'less-here',
    `${formatWeightChange(delta, unit)} (${formatRelative(here, there)})`,
  );
  const line = element(
    'strong',
    'diff-total',
    `${title}${per} ${formatShortWeight(there, unit)} → ${formatShortWeight(here, unit)}, `,
    amount,
  );
  const sure =
    change == null ? '' : describeCertainty(change, (end) => formatWeightChange(end, unit));
  return element('span', '', line, element('span', 'diff-sure', sure));
}

function describeCertainty(
  { delta, interval, isCertain }: Change,
  format: (delta: number) => string,
): string {
  if (delta === 0) return ' the same';
  if (interval === null) return '';
  const ends = [interval.low, interval.high].map(format);
  const between = ends[0] === ends[1] ? '' : ` between ${ends[0]} and ${ends[1]}`;
  return isCertain ? between : `${between}; two runs of one program differ by as much`;
}

function notesOn(state: ViewState, result: DiffResult): string[] {
  const isPart = PARTS.some(
    (key) => JSON.stringify(state[key]) !== JSON.stringify(DEFAULT_STATE[key]),
  );
  return [
    ...(isPart ? ['Filters and edits are those of this recording: the other is whole'] : []),
    ...(result.by === state.diffBy ? [] : [MISSING[state.diffBy]]),
    ...(result.areSampledAlike ? [] : [OTHER_RATE]),
  ];
}

const OTHER_RATE =
  'Sampled at different rates: sampling itself takes time, more of it at the higher rate';

const MISSING = {
  absolute: 'Only shares of other units can be compared',
  second: 'A recording without times has nothing per second',
  share: '',
} as const;
