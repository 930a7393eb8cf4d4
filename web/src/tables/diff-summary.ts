import type { PageFile } from '../../../src/formats/export/page-profile.ts';
import type { Change } from '../../../src/profile/analysis/change.ts';
import { quantityName } from '../../../src/profile/cpu-time.ts';
import {
  formatNanos,
  formatRelative,
  formatShortWeight,
  formatWeight,
  formatWeightChange,
} from '../ask/format.ts';
import { element } from '../dom/dom.ts';
import { DEFAULT_STATE, type ViewState } from '../state/state.ts';
import type { ViewContext } from '../state/view-context.ts';
import type { ChangesResult, DiffResult } from '../worker/messages/messages.ts';

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
  'foldPassing',
];

/** Why functions have no names, in sentences: of the recordings before, and of those beside the shown one. */
export type MissingNames = {
  readonly before: readonly string[];
  readonly beside: readonly string[];
};

/** `CPU time 1.39 s → 2.48 s  +1.09 s (+78%)`, then of what, and what to know of it. */
export function renderSummary(
  context: ViewContext,
  state: ViewState,
  result: DiffResult,
  total: ChangesResult['total'] | null,
  missing: MissingNames,
): HTMLElement[] {
  const { file, beside, before, recording } = context;
  const { here, there } = result;
  const after = [file, ...beside].slice(0, here.runs);
  const sides = `before: ${describeSide(before, there)}, after: ${describeSide(after, here)}`;
  const notes = notesOn(state, result, after.length <= beside.length);
  const namelessAfter = new Set([...(recording.head.missingNames ?? []), ...missing.beside]);
  return [
    renderTotal(context, state, result, total),
    element('span', 'diff-sides', [sides, ...notes].join('. ')),
    ...renderMissing('Before', missing.before),
    ...renderMissing('After', [...namelessAfter]),
  ];
}

/** A file without names is a row of addresses, which differs from all that have one. */
function renderMissing(side: string, sentences: readonly string[]): HTMLElement[] {
  return sentences.map((sentence) => element('span', 'diff-missing', `${side}: ${sentence}`));
}

/** `new.data (2 781 samples in 0.71 s)`; `mean of a.data, b.data (5 570 samples, 0.71 s each)`. */
function describeSide(
  files: readonly PageFile[],
  { samples, seconds, runs }: DiffResult['here'],
): string {
  const titles = files.map(({ title }) => title).join(', ');
  const count = formatWeight(samples, 'samples');
  const length = seconds === null ? null : formatNanos(seconds * 1e9);
  if (runs === 1) return `${titles} (${count}${length === null ? '' : ` in ${length}`})`;
  return `mean of ${titles} (${count}${length === null ? '' : `, ${length} each`})`;
}

function renderTotal(
  { recording }: ViewContext,
  { event, weight: kind }: ViewState,
  { by, unit, here, there, isSameUnit }: DiffResult,
  total: ChangesResult['total'] | null,
): HTMLElement {
  const described = recording.events[event];
  const title = described === undefined ? '' : quantityName(described, { unit, kind });
  if (!isSameUnit) {
    return element('strong', 'diff-total', `${title}: the other recording weighs in another unit`);
  }
  const perSecond = by === 'second';
  const per = perSecond ? ' per second' : '';
  const change = perSecond ? total?.second : total?.absolute;
  const delta = here.weight - there.weight;
  const isPlain = delta === 0 || (change?.interval != null && !change.isCertain);
  const amount = element(
    'span',
    isPlain ? '' : delta > 0 ? 'more-here' : 'less-here',
    `${formatWeightChange(delta, unit)} (${formatRelative(here.weight, there.weight)})`,
  );
  const line = element(
    'strong',
    'diff-total',
    `${title}${per} ${formatShortWeight(there.weight, unit)} → ${formatShortWeight(here.weight, unit)}, `,
    amount,
  );
  const sure =
    change == null
      ? ''
      : describeCertainty(change, here.runs + there.runs, (end) => formatWeightChange(end, unit));
  return element('span', '', line, element('span', 'diff-sure', sure));
}

function describeCertainty(
  { delta, interval, isCertain }: Change,
  runs: number,
  format: (delta: number) => string,
): string {
  if (delta === 0) return ' the same';
  if (interval === null) return '';
  const ends = [interval.low, interval.high].map(format);
  const between = ends[0] === ends[1] ? '' : ` between ${ends[0]} and ${ends[1]}`;
  if (isCertain) return between;
  return `${between}; ${runs === 2 ? 'two ' : ''}runs of one program differ by as much`;
}

function notesOn(state: ViewState, result: DiffResult, leavesOut: boolean): string[] {
  const isPart = PARTS.some(
    (key) => JSON.stringify(state[key]) !== JSON.stringify(DEFAULT_STATE[key]),
  );
  return [
    ...(isPart ? [leavesOut ? PART_OF_SEVERAL : PART_OF_ONE] : []),
    ...(result.by === state.diffBy ? [] : [MISSING[state.diffBy]]),
  ];
}

const PART_OF_ONE =
  'Filters and edits are those of this recording: what it is compared with is whole';
const PART_OF_SEVERAL =
  'Filters and edits are those of this recording: others of its side are left out, and those before are whole';

const MISSING = {
  absolute: 'Only shares of other units can be compared',
  second: 'A recording without times has nothing per second',
  share: '',
} as const;
