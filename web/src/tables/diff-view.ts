import { element, switcher } from '../dom.ts';
import { drawFlameChart, type FlameChart } from '../flame/flame-chart.ts';
import { deltaColour } from '../flame/frame-colours.ts';
import { pathOf } from '../flame/frame-nodes.ts';
import type { TooltipLine } from '../flame/tooltip.ts';
import { formatCount, formatShare } from '../format.ts';
import { selectionOf } from '../selection.ts';
import { loadPageData } from '../setup.ts';
import type { ViewState } from '../state.ts';
import type { TabView } from '../tab-view.ts';
import type { ViewContext } from '../view-context.ts';
import type { ChangesResult, DiffParams, DiffResult, DiffRow } from '../worker/messages.ts';
import { renderTable, type TableHeading } from './data-table.ts';
import { createLatest } from './latest.ts';
import './tables.css';

const MOST_ROWS = 100;

/** What changed from the other recording to this one: red more, blue less. */
export function createDiffView(context: ViewContext): TabView {
  const { store, ask, recording, other } = context;
  const switches = element('div', 'switches');
  const summary = element('p', 'pruned');
  const box = element('div', 'chart');
  const tableBox = element('div', 'table-box');
  const root = element(
    'div',
    'tables',
    element('div', 'view-controls', switches),
    summary,
    box,
    tableBox,
  );
  let opened: Promise<unknown> | null = null;
  let chart: FlameChart | null = null;
  let asked = '';
  let running: AbortController | null = null;

  const askChanges = createLatest(ask, 'changes', drawChanges, (problem) => {
    tableBox.replaceChildren(element('p', 'problem', problem));
  });

  /** Once: the other recording is large, and only this view needs it. */
  async function openOther(): Promise<void> {
    if (other === null) throw new Error('There is no other recording: perf-ts view NEW OLD');
    const bytes = await loadPageData(document, other);
    await ask('open', { slot: 1, bytes });
  }

  function show(state: ViewState): void {
    switches.replaceChildren(
      switcher(
        'Tree',
        [
          { value: 'callees', label: 'Callees', hint: 'From the outermost function inwards' },
          { value: 'callers', label: 'Callers', hint: 'From where the weight was spent outwards' },
        ],
        state.tree,
        (tree) => store.change({ tree, zoom: [] }),
      ),
    );
    const params: DiffParams = {
      ...selectionOf(state),
      inverted: state.tree === 'callers',
      zoom: state.zoom,
      search: state.search.trim(),
    };
    const question = JSON.stringify(params);
    if (question === asked) return;
    asked = question;
    running?.abort();
    running = new AbortController();
    const { signal } = running;
    summary.textContent = 'Comparing …';
    opened ??= openOther();
    opened
      .then(() => ask('diff', params, signal))
      .then(
        (result) => {
          if (signal.aborted) return;
          draw(result, state);
          askChanges(selectionOf(state));
        },
        (problem: Error) => {
          if (!signal.aborted) summary.textContent = problem.message;
        },
      );
  }

  function draw(result: DiffResult, state: ViewState): void {
    const { tree, delta, otherShare } = result;
    const most = delta.reduce(
      (max, value) => Math.max(max, Number.isNaN(value) ? 0 : Math.abs(value)),
      0,
    );
    summary.textContent =
      `${context.file.title} (${formatCount(recording.events[state.event]?.samples ?? 0)} samples) ` +
      `against ${other?.title ?? ''} (${formatCount(result.otherSamples)} samples). Shares are ` +
      `compared. Width: the mean of both. Red: more here; blue: less here; full colour: ` +
      `${formatChange(most)}. Grey rows of the table are uncertain: their interval holds 0.`;
    chart?.destroy();
    box.replaceChildren();
    chart = drawFlameChart(box, {
      result: tree,
      title: 'all',
      funcs: Number.MAX_SAFE_INTEGER,
      isIcicle: state.shape === 'icicle',
      width: box.clientWidth,
      isSearching: state.search.trim() !== '',
      colourOf: (row) => deltaColour(delta[row] as number, most),
      describe: (node) => describe(node.row, node.value, delta, otherShare),
      onZoom: (node) => {
        const path =
          node.row < 0 ? tree.zoom.slice(0, -1).map(({ key }) => key) : pathOf(tree, node);
        store.change({ zoom: path });
      },
      onMenu: () => {},
    });
    if (state.shape === 'flame') box.scrollTop = box.scrollHeight;
  }

  function drawChanges(changes: ChangesResult): void {
    const rows = changes.rows.slice(0, MOST_ROWS);
    const table = renderTable({
      caption: 'Changes of self, by function',
      headings: HEADINGS,
      rows,
      sort: '',
    });
    const lines = table.tBodies[0]?.rows ?? [];
    for (const [index, row] of rows.entries()) {
      lines[index]?.classList.toggle('is-uncertain', !row.isCertain);
    }
    tableBox.replaceChildren(table);
  }

  return {
    root,
    show,
    keys: [{ key: 'Escape', does: 'no zoom', run: () => store.change({ zoom: [] }) }],
  };
}

function describe(
  row: number,
  mean: number,
  delta: Float64Array,
  otherShare: Float64Array,
): TooltipLine[] {
  if (row < 0) return [{ term: 'mean', text: formatShare(mean) }];
  const there = otherShare[row] as number;
  if (Number.isNaN(there)) return [{ term: 'mean', text: formatShare(mean) }];
  const change = delta[row] as number;
  return [
    { term: 'here', text: formatShare(there + change) },
    { term: 'there', text: formatShare(there) },
    { term: 'change', text: formatChange(change) },
  ];
}

/** `+1.23` percentage points. */
export function formatChange(delta: number): string {
  const points = delta * 100;
  const text = Math.abs(points) < 0.1 ? points.toFixed(3) : points.toFixed(2);
  return `${delta > 0 ? '+' : ''}${text.replace('-', '−')} pp`;
}

const HEADINGS: readonly TableHeading<DiffRow>[] = [
  {
    id: null,
    title: 'Change of self',
    hint: 'Percentage points, this recording less the other',
    isNumber: true,
    cell: ({ delta }) =>
      element('span', delta > 0 ? 'more-here' : 'less-here', formatChange(delta)),
  },
  {
    id: null,
    title: '95 %',
    hint: 'Where the change lies, by the sizes of both samples and the period model',
    isNumber: true,
    cell: ({ interval }) =>
      interval === null ? '' : `${formatChange(interval.low)} to ${formatChange(interval.high)}`,
  },
  { id: null, title: 'Here', isNumber: true, cell: ({ share }) => formatShare(share) },
  { id: null, title: 'There', isNumber: true, cell: ({ otherShare }) => formatShare(otherShare) },
  {
    id: null,
    title: 'Function',
    isNumber: false,
    cell: ({ name, dso }) =>
      element('span', 'name-cell', element('span', 'name', name), element('span', 'beside', dso)),
  },
];
