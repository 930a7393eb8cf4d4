import type { Change } from '../../../src/profile/analysis/change.ts';
import type { DiffMeasure } from '../../../src/profile/analysis/diff-measure.ts';
import {
  formatCompared,
  formatDelta,
  formatDeltaInterval,
} from '../../../src/questions/compare-words.ts';
import { formatCount, formatRelative } from '../ask/format.ts';
import { element } from '../dom/dom.ts';
import type { ViewState } from '../state/state.ts';
import type { DiffRow, Unit } from '../worker/messages/messages.ts';
import { parseQuery } from '../worker/recording/query.ts';
import { renderTable, type TableHeading } from './data-table.ts';

const MAX_ROWS = 100;

/** How the rows are shown, and what happens to them. */
export type DiffTableOptions = {
  readonly by: DiffMeasure;
  readonly unit: Unit;
  readonly onSort: (diffSort: string) => void;
  readonly onChoose: (row: DiffRow) => void;
};

/** The functions whose self changed; the search leaves only those that it finds. */
export function renderChanges(
  changes: readonly DiffRow[],
  { diffSort, search, func }: Pick<ViewState, 'diffSort' | 'search' | 'func'>,
  { by, unit, onSort, onChoose }: DiffTableOptions,
): HTMLElement[] {
  const query = parseQuery(search);
  const found = changes.filter(
    ({ name, dso }) => query === null || query.matches(name) || query.matches(dso),
  );
  if (found.length === 0) {
    const text =
      changes.length === 0
        ? 'No function has samples in either recording.'
        : 'No function of which the self time changed matches the search.';
    return [element('p', 'pruned', text)];
  }
  const rows = sortRows(found, diffSort, by).slice(0, MAX_ROWS);
  const table = renderTable({
    caption: 'Changes of self, by function',
    headings: headingsFor(by, unit),
    rows,
    sort: diffSort,
    onSort,
    onChoose,
    isChosen: (row) => row.func === func,
    keyOf: (row) => `${row.dso} ${row.name}`,
    classOf: (row) => (isDoubtful(changeIn(row, by)) ? 'is-uncertain' : ''),
  });
  const all = `${formatCount(found.length)} functions`;
  const reported =
    rows.length < found.length
      ? `${formatCount(rows.length)} of ${all}; search for the others.`
      : `${all}.`;
  return [table, element('p', 'pruned', reported)];
}

/** The worker leaves out no measure that it was asked to sort by. */
function changeIn(row: DiffRow, by: DiffMeasure): Change {
  return row[by] ?? row.share;
}

/** Tells doubtful changes. Text does not tell how its samples were taken, so nothing is said of chance there. */
function isDoubtful({ isCertain, interval }: Change): boolean {
  return interval !== null && !isCertain;
}

/** Sorts rows by the size of the change, whatever its sign, unless another column is asked for. */
function sortRows(rows: readonly DiffRow[], sort: string, by: DiffMeasure): DiffRow[] {
  const sign = sort.endsWith('+') ? 1 : -1;
  if (sort.startsWith('name')) {
    return rows.toSorted((a, b) => sign * (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  }
  const figure = FIGURES[sort.slice(0, -1)] ?? FIGURES.change;
  return rows.toSorted((a, b) => sign * (figure(changeIn(a, by)) - figure(changeIn(b, by))));
}

const FIGURES: Readonly<Record<string, (change: Change) => number>> = {
  change: ({ delta }) => Math.abs(delta),
  here: ({ here }) => here,
  there: ({ there }) => there,
};

function headingsFor(by: DiffMeasure, unit: Unit): readonly TableHeading<DiffRow>[] {
  const change = (row: DiffRow): Change => changeIn(row, by);
  return [
    {
      id: 'change',
      title: 'Change of self',
      hint: 'After less before, without what a function called; sorted by its size, whatever its sign',
      isNumber: true,
      cell: (row) => {
        const { delta } = change(row);
        const isPlain = delta === 0 || isDoubtful(change(row));
        const colour = isPlain ? '' : delta > 0 ? 'more-here' : 'less-here';
        return element('span', colour, formatDelta(delta, by, unit));
      },
    },
    {
      id: null,
      title: 'By',
      isNumber: true,
      cell: (row) => formatRelative(change(row).here, change(row).there),
    },
    {
      id: 'there',
      title: 'Before',
      isNumber: true,
      cell: (row) => formatCompared(change(row).there, by, unit),
    },
    {
      id: 'here',
      title: 'After',
      isNumber: true,
      cell: (row) => formatCompared(change(row).here, by, unit),
    },
    {
      id: null,
      title: 'Differs',
      hint:
        'Yes: the two recordings differ in it, 95% sure for all rows together' +
        (by === 'share' ? '' : ', and by 5% at least: runs of one program differ by as much'),
      isNumber: false,
      cell: (row) => {
        const { interval, isCertain } = change(row);
        return interval === null ? '' : isCertain ? 'yes' : "can't tell";
      },
    },
    {
      id: 'name',
      title: 'Function',
      isNumber: false,
      cell: ({ name, dso, func }) => {
        const cell = element('span', 'name-cell', element('span', 'name', name));
        cell.append(element('span', 'beside', dso));
        cell.title = `${name}\n${dso}${func < 0 ? '\nin the other recording only' : ''}`;
        return cell;
      },
    },
    {
      id: null,
      title: 'Change lies between',
      hint: 'With 95% for this row alone, by the sizes of both samples and the period model, and by how far runs differ where there are several a side; Differs is about all rows together, so it asks for more',
      isNumber: true,
      cell: (row) => {
        const { interval } = change(row);
        if (interval === null) return '';
        return formatDeltaInterval(interval, by, unit);
      },
    },
  ];
}
