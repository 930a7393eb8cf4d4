import { element } from '../dom.ts';
import { splitPlace } from '../flame/frame-label.ts';
import { formatCount, formatShare, formatShareInterval, formatWeight } from '../format.ts';
import type { ViewState } from '../state.ts';
import type { TableResult, TableRow, Unit } from '../worker/messages.ts';
import { nameText, shareCell, type TableHeading } from './data-table.ts';

const NAME_TITLES = { function: 'Function', file: 'File', dso: 'DSO', thread: 'Thread' };

/** The columns that rows of this kind have, intervals once they are there. */
export function headingsOf(
  tableBy: ViewState['tableBy'],
  { unit, rows }: TableResult,
): TableHeading<TableRow>[] {
  const hasIntervals = rows.some(({ selfInterval }) => selfInterval !== null);
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
    ...(unit === 'samples' ? [] : [weightHeading(unit)]),
    // A thread's total would be its self.
    ...(tableBy === 'thread' ? [] : [totalHeading(unit), ...interval('totalInterval')]),
    {
      id: 'samples',
      title: 'Samples',
      isNumber: true,
      isExtra: true,
      cell: (row) => formatCount(row.samples),
    },
    { id: 'name', title: NAME_TITLES[tableBy], isNumber: false, cell: nameCell },
  ];
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
    title: unit === 'nanoseconds' ? 'Self time' : 'Self events',
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
