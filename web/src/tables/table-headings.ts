import { formatEstimate, metricTitle } from '../../../src/counting/count/format-metric.ts';
import { splitPlace } from '../../../src/formats/export/frame-label.ts';
import {
  formatCount,
  formatShare,
  formatShareInterval,
  formatWeight,
  nounOf,
} from '../ask/format.ts';
import { element } from '../dom/dom.ts';
import type { ViewState } from '../state/state.ts';
import type { TableRatio, TableResult, TableRow, Unit } from '../worker/messages/messages.ts';
import { nameText, shareCell, type TableHeading } from './data-table.ts';

const NAME_TITLES = { function: 'Function', file: 'File', dso: 'DSO', thread: 'Thread' };

/** The columns that rows of this kind have, intervals once they are there. Those of ratios take the place of others. */
export function headingsOf(
  tableBy: ViewState['tableBy'],
  { unit, ratios, ratioScope }: TableResult,
  hasIntervals: boolean,
): TableHeading<TableRow>[] {
  const interval = (of: 'selfInterval' | 'totalInterval') =>
    hasIntervals ? [intervalHeading(of)] : [];
  return [
    {
      id: 'self',
      title: 'Self',
      hint: 'Weight of the samples whose innermost frame is here',
      isNumber: true,
      cell: ({ selfShare }) => shareCell(formatShare(selfShare), selfShare),
    },
    ...interval('selfInterval'),
    ...(unit === 'samples' || ratios.length > 0 ? [] : [weightHeading(unit)]),
    // A thread's total would be its self.
    ...(tableBy === 'thread' ? [] : [totalHeading(unit), ...interval('totalInterval')]),
    ...ratios.map((ratio, column) => ratioHeading(ratio, column, ratioScope)),
    ...(ratios.length > 1 ? [] : [SAMPLES]),
    { id: 'name', title: NAME_TITLES[tableBy], isNumber: false, cell: nameCell },
  ];
}

const SAMPLES: TableHeading<TableRow> = {
  id: 'samples',
  title: 'Samples',
  isNumber: true,
  isExtra: true,
  cell: (row) => formatCount(row.samples),
};

/** A ratio of two events, with its interval in the same cell: names need the room. */
function ratioHeading(
  { name, event }: TableRatio,
  column: number,
  scope: TableResult['ratioScope'],
): TableHeading<TableRow> {
  const title = metricTitle(name, event);
  const whose =
    scope === 'self'
      ? "The row's own code; sorted by total, with all that it calls"
      : 'The row with all that it calls; sorted by self, its own code';
  return {
    id: null,
    title: scope === 'self' ? title : `${title}, total`,
    hint: `${whose}; where it lies in 95 of 100 recordings`,
    isNumber: true,
    isLong: true,
    cell: ({ ratios }) => {
      if (ratios.length === 0) return '';
      const shown = formatEstimate(name, ratios[column]);
      if (shown === null) return unknownRatio(ratios[column].reason);
      const unit = name === 'per-second' ? ` ${shown.unit}` : '';
      return `${shown.number}${unit} (${shown.interval})`;
    },
  };
}

function unknownRatio(reason: TableRow['ratios'][number]['reason']): HTMLElement {
  const cell = element('span', '', 'unknown');
  cell.title =
    reason === 'mixed'
      ? "Others ran between its samples, which a group's counters do not tell apart: record the events without {…}:S"
      : 'Too few samples';
  return cell;
}

function intervalHeading(of: 'selfInterval' | 'totalInterval'): TableHeading<TableRow> {
  return {
    id: null,
    title: '95%',
    hint: 'Where the share lies in 95 of 100 recordings, by the period model',
    isNumber: true,
    isExtra: true,
    cell: ({ [of]: range }) => formatShareInterval(range ?? undefined),
  };
}

function weightHeading(unit: Unit): TableHeading<TableRow> {
  return {
    id: null,
    title: `Self ${nounOf(unit)}`,
    isNumber: true,
    isExtra: true,
    cell: ({ self }) => formatWeight(self, unit),
  };
}

function totalHeading(unit: Unit): TableHeading<TableRow> {
  return {
    id: 'total',
    title: 'Total',
    hint: 'Weight of the samples with this anywhere on the stack, each once',
    isNumber: true,
    cell: ({ total, totalShare }) => {
      const cell = shareCell(formatShare(totalShare), totalShare);
      cell.title = formatWeight(total, unit);
      return cell;
    },
  };
}

function nameCell({ name, dso, place }: TableRow): HTMLElement {
  const known = (...texts: readonly string[]) => texts.filter((text) => text !== '');
  // Names of JavaScript's functions have their places, which are told once; the DSO of such code tells nothing.
  const { name: own, place: ofName } = splitPlace(name, '');
  const cell = element('span', 'name-cell', nameText(own));
  cell.title = known(name, dso, place).join('\n');
  const beside =
    ofName === '' ? known(dso.replace(/^.*\//, ''), place).join(' · ') : place || ofName;
  if (beside !== '' && beside !== name) cell.append(nameText(beside, 'beside'));
  return cell;
}
