import { askLatest } from '../ask.ts';
import { Crumbs } from '../controls/crumbs.ts';
import { showMenu } from '../controls/frame-menu.ts';
import { type Found, SearchField } from '../controls/search-bar.ts';
import { shapeSwitch, treeSwitch } from '../controls/tree-switches.ts';
import { element, replaceKeepingFocus } from '../dom.ts';
import { cursorKeys } from '../flame/cursor-keys.ts';
import { drawFlameChart, type FlameChart } from '../flame/flame-chart.ts';
import { fitHeight } from '../flame/flame-view.ts';
import { deltaColour } from '../flame/frame-colours.ts';
import { type FrameNode, pathOf } from '../flame/frame-nodes.ts';
import type { TooltipLine } from '../flame/tooltip.ts';
import { formatCount, formatShare } from '../format.ts';
import { renderNoSamples } from '../no-samples.ts';
import { selectionOf } from '../selection.ts';
import { loadPageData } from '../setup.ts';
import { DEFAULT_STATE, type ViewState } from '../state.ts';
import type { TabView } from '../tab-view.ts';
import { weightName } from '../time/shown-weight.ts';
import type { ViewContext } from '../view-context.ts';
import type { ChangesResult, DiffFound, DiffParams, DiffResult } from '../worker/messages.ts';
import { formatChange, renderChanges } from './diff-table.ts';
import './tables.css';

/** Part of the window that the flame graph leaves to the table below it. */
const CHART_SHARE = 0.45;

/** What changed from the other recording to this one: red more, blue less. */
export function createDiffView(context: ViewContext): TabView {
  const { store, ask, recording, other } = context;
  const search = new SearchField(store);
  const switches = element('div', 'switches');
  const crumbs = new Crumbs(store);
  const summary = element('p', 'pruned');
  summary.setAttribute('role', 'status');
  const legend = element('div', 'legend');
  const box = element('div', 'chart');
  box.tabIndex = 0;
  box.setAttribute('role', 'group');
  box.setAttribute(
    'aria-label',
    'Differential flame graph. Arrow keys move, Enter zooms, m opens a menu.',
  );
  const spoken = element('output', 'spoken');
  const tableBox = element('div', 'table-box');
  const root = element(
    'div',
    'tables',
    element('div', 'view-controls', switches, search.root),
    summary,
    crumbs.root,
    legend,
    box,
    spoken,
    tableBox,
  );
  let opened: Promise<unknown> | null = null;
  let chart: FlameChart | null = null;
  let result: DiffResult | null = null;
  let changes: ChangesResult | null = null;
  let asked = '';
  let running: AbortController | null = null;

  const askChanges = askLatest(
    ask,
    'changes',
    (answer) => {
      changes = answer;
      drawChanges();
    },
    (problem) => {
      tableBox.replaceChildren(element('p', 'problem', problem));
    },
  );

  /** Once: the other recording is large, and only this view needs it. */
  async function openOther(): Promise<void> {
    if (other === null) throw new Error('There is no other recording: perf-ts view NEW OLD');
    const bytes = await loadPageData(document, other);
    await ask('open', { slot: 1, bytes });
  }

  function show(state: ViewState): void {
    replaceKeepingFocus(switches, treeSwitch(store, state), shapeSwitch(store, state));
    const params: DiffParams = {
      ...selectionOf(state),
      inverted: state.tree === 'callers',
      zoom: state.zoom,
      search: state.search.trim(),
    };
    const question = JSON.stringify([params, state.shape]);
    if (question === asked) {
      drawChanges();
      return;
    }
    asked = question;
    search.show(state, null);
    running?.abort();
    running = new AbortController();
    const { signal } = running;
    if (result === null) summary.textContent = 'Comparing …';
    opened ??= openOther();
    opened
      .then(() => ask('diff', params, signal))
      .then(
        (answer) => {
          if (signal.aborted) return;
          result = answer;
          draw(answer, store.get());
          askChanges(selectionOf(store.get()));
        },
        (problem: Error) => {
          if (!signal.aborted) summary.textContent = problem.message;
        },
      );
    drawChanges();
  }

  function draw({ tree, delta, otherShare, otherSamples, found }: DiffResult, state: ViewState) {
    let most = 0;
    for (const value of delta) if (!Number.isNaN(value)) most = Math.max(most, Math.abs(value));
    search.show(state, found && describeFound(found));
    summary.textContent = summarise(state, otherSamples);
    crumbs.show(tree);
    chart?.destroy();
    chart = null;
    box.replaceChildren();
    if (recording.events[state.event]?.samples === 0 || tree.rows.prefix.length === 0) {
      legend.replaceChildren();
      box.append(renderNoSamples(context, state));
      return;
    }
    legend.replaceChildren(...renderDeltaLegend(most));
    chart = drawFlameChart(box, {
      result: tree,
      title: 'all',
      funcs: Number.MAX_SAFE_INTEGER,
      isIcicle: state.shape === 'icicle',
      width: box.clientWidth,
      isSearching: state.search.trim() !== '',
      colourOf: (row) => deltaColour(delta[row], most),
      describe: (node) => describe(node, delta, otherShare),
      onZoom: zoomTo,
      onMenu: openMenu,
      onCursor: (node) => {
        const lines = describe(node, delta, otherShare);
        const said = lines.map(({ term, text }) => `${term} ${text}`).join(', ');
        spoken.textContent = `${node.name}: ${said}`;
      },
    });
    fitHeight(box, CHART_SHARE);
    if (state.shape === 'flame') box.scrollTop = box.scrollHeight;
  }

  function drawChanges(): void {
    if (changes === null) return;
    replaceKeepingFocus(
      tableBox,
      ...changes.renamed.map(({ name, otherName }) =>
        element('p', 'note', `Compared as one program: ${name} here, ${otherName} there`),
      ),
      ...renderChanges(changes.rows, store.get(), (diffSort) =>
        store.change({ diffSort }, 'adjust'),
      ),
    );
  }

  function zoomTo(node: FrameNode): void {
    if (result === null) return;
    const { tree } = result;
    if (node.row >= 0 && tree.rows.folded[node.row] > 0) return;
    const path = node.row < 0 ? tree.zoom.slice(0, -1).map(({ key }) => key) : pathOf(tree, node);
    store.change({ zoom: path });
  }

  function openMenu(node: FrameNode, at: { readonly x: number; readonly y: number }): void {
    if (result === null || node.row < 0) return;
    const { labels, rows } = result.tree;
    const name = labels.name[rows.label[node.row]];
    const items = [
      { label: 'Zoom', run: () => zoomTo(node) },
      { label: 'Search for this name', run: () => store.change({ search: name }) },
    ];
    showMenu(node.name, items, at);
  }

  function summarise(state: ViewState, otherSamples: number): string {
    const samples = formatCount(recording.events[state.event]?.samples ?? 0);
    const isPart = PARTS.some(
      (key) => JSON.stringify(state[key]) !== JSON.stringify(DEFAULT_STATE[key]),
    );
    const part = isPart
      ? ' Filters and edits are those of this recording: the other is whole.'
      : '';
    return (
      `${context.file.title} (${samples} samples) against ${other?.title ?? ''} ` +
      `(${formatCount(otherSamples)} samples). Shares of ${weightName(recording, state)} are ` +
      `compared; the width is the mean of both.${part}`
    );
  }

  return {
    root,
    show,
    hide: () => chart?.hideTooltip(),
    keys: [
      ...search.keys(),
      ...cursorKeys({ store, chart: () => chart, onEnter: zoomTo, onMenu: openMenu }),
    ],
  };
}

/** What makes a part of the recording of it. */
const PARTS: readonly (keyof ViewState)[] = [
  'thread',
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

function describeFound({ share, otherShare, functions, ...found }: DiffFound): Found {
  return {
    ...found,
    said: `${formatShare(share)} here, ${formatShare(otherShare)} there matched`,
    title: `in stacks with one of ${formatCount(functions)} matching functions`,
  };
}

function renderDeltaLegend(most: number): HTMLElement[] {
  const entry = (delta: number, text: string) => {
    const swatch = element('span', 'swatch');
    swatch.style.background = deltaColour(delta, most);
    return element('span', 'legend-entry', swatch, text);
  };
  return [
    entry(-most, `less here: ${formatChange(-most)}`),
    entry(-most / 4, formatChange(-most / 4)),
    entry(0, 'the same'),
    entry(most / 4, formatChange(most / 4)),
    entry(most, `more here: ${formatChange(most)}`),
    element('span', 'legend-entry', 'Grey rows of the table may be alike in these two runs.'),
  ];
}

function describe(
  { row, value, parent }: FrameNode,
  delta: Float64Array,
  otherShare: Float64Array,
): TooltipLine[] {
  const mean = { term: 'mean', text: formatShare(value) };
  const there = row < 0 ? Number.NaN : otherShare[row];
  if (Number.isNaN(there)) return [mean];
  const change = delta[row];
  const above = parent?.value ?? 0;
  return [
    { term: 'here', text: formatShare(there + change) },
    { term: 'there', text: formatShare(there) },
    { term: 'change', text: formatChange(change) },
    ...(above > 0 ? [{ term: 'share', text: `${formatShare(value / above)} of its caller` }] : []),
  ];
}
