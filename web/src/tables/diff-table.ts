import { element } from '../dom.ts';
import { formatCount, formatPoints, formatShare } from '../format.ts';
import type { ViewState } from '../state.ts';
import type { DiffRow } from '../worker/messages.ts';
import { parseQuery } from '../worker/query.ts';
import { renderTable, type TableHeading } from './data-table.ts';

const MOST_ROWS = 100;

/** The functions whose self share changed; the search leaves only those that it finds. */
export function renderChanges(
  changes: readonly DiffRow[],
  { diffSort, search }: Pick<ViewState, 'diffSort' | 'search'>,
  onSort: (diffSort: string) => void,
): HTMLElement[] {
  const query = parseQuery(search);
  const found = changes.filter(
    ({ name, dso }) => query === null || query.matches(name) || query.matches(dso),
  );
  if (found.length === 0) {
    const text =
      changes.length === 0
        ? 'No function has samples in either recording.'
        : 'No function of which the self share changed matches the search.';
    return [element('p', 'pruned', text)];
  }
  const rows = sortChanges(found, diffSort).slice(0, MOST_ROWS);
  const table = renderTable({
    caption: 'Changes of self, by function',
    headings: HEADINGS,
    rows,
    sort: diffSort,
    onSort,
    classOf: ({ isCertain }) => (isCertain ? '' : 'is-uncertain'),
  });
  const said =
    rows.length < found.length
      ? `${formatCount(rows.length)} of ${formatCount(found.length)} functions; search for the others.`
      : `${formatCount(rows.length)} functions.`;
  return [table, element('p', 'pruned', said)];
}

/** By the size of the change, whatever its sign, unless another column is asked for. */
function sortChanges(rows: readonly DiffRow[], sort: string): DiffRow[] {
  const sign = sort.endsWith('+') ? 1 : -1;
  const figure = FIGURES[sort.slice(0, -1)] ?? FIGURES.change;
  if (sort.startsWith('name')) {
    return rows.toSorted((a, b) => sign * (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  }
  return rows.toSorted((a, b) => sign * (figure(a) - figure(b)));
}

const FIGURES: Readonly<Record<string, (row: DiffRow) => number>> = {
  change: ({ delta }) => Math.abs(delta),
  here: ({ share }) => share,
  there: ({ otherShare }) => otherShare,
};

/** `+1.23 pp`: percentage points. */
export function formatChange(delta: number): string {
  return `${formatPoints(delta)} pp`;
}

const HEADINGS: readonly TableHeading<DiffRow>[] = [
  {
    id: 'change',
    title: 'Change of self',
    hint: 'Percentage points, this recording less the other; sorted by its size, whatever its sign',
    isNumber: true,
    cell: ({ delta }) =>
      element('span', delta > 0 ? 'more-here' : 'less-here', formatChange(delta)),
  },
  {
    id: null,
    title: '95%',
    hint: 'Where the change between these two runs lies, by the sizes of both samples and the period model',
    isNumber: true,
    cell: ({ interval }) =>
      interval === null ? '' : `${formatPoints(interval.low)} … ${formatChange(interval.high)}`,
  },
  {
    id: null,
    title: 'Differ',
    hint: 'Whether the two runs differ in it: 95% for all rows together. How far runs of one program differ, two runs cannot tell',
    isNumber: false,
    cell: ({ interval, isCertain }) => (interval === null ? '' : isCertain ? 'yes' : 'maybe'),
  },
  { id: 'here', title: 'Here', isNumber: true, cell: ({ share }) => formatShare(share) },
  {
    id: 'there',
    title: 'There',
    isNumber: true,
    cell: ({ otherShare }) => formatShare(otherShare),
  },
  {
    id: 'name',
    title: 'Function',
    isNumber: false,
    cell: ({ name, dso }) => {
      const cell = element('span', 'name-cell', element('span', 'name', name));
      cell.append(element('span', 'beside', dso));
      cell.title = `${name}\n${dso}`;
      return cell;
    },
  },
];
