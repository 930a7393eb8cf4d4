import { askLatest } from '../ask.ts';
import { Crumbs } from '../controls/crumbs.ts';
import { type Found, SearchField } from '../controls/search-bar.ts';
import { shapeSwitch, treeSwitch } from '../controls/tree-switches.ts';
import { element, replaceKeepingFocus } from '../dom.ts';
import { deltaColour } from '../flame/frame-colours.ts';
import type { FrameNode } from '../flame/frame-nodes.ts';
import type { TooltipLine } from '../flame/tooltip.ts';
import { ZoomChart } from '../flame/zoom-chart.ts';
import { formatCount, formatShare } from '../format.ts';
import type { KeyBinding } from '../keys.ts';
import { selectionOf } from '../selection.ts';
import { loadPageData } from '../setup.ts';
import { DEFAULT_STATE, type ViewState } from '../state.ts';
import type { TabView } from '../tab-view.ts';
import { renderNoSamples } from '../time/no-samples.ts';
import { weightName } from '../time/shown-weight.ts';
import type { ViewContext } from '../view-context.ts';
import type { ChangesResult, DiffFound, DiffParams, DiffResult } from '../worker/messages.ts';
import type { Selection } from '../worker/selection.ts';
import type { AskWorker } from '../worker-client.ts';
import { formatChange, renderChanges } from './diff-table.ts';
import './tables.css';

/** Part of the window that the flame graph leaves to the table below it. */
const CHART_SHARE = 0.45;

/** The changes from the other recording to this one: red more, blue less. */
export class DiffView implements TabView {
  readonly root: HTMLElement;
  readonly #context: ViewContext;
  readonly #search: SearchField;
  readonly #switches = element('div', 'switches');
  readonly #summary = element('p', 'pruned');
  readonly #crumbs: Crumbs;
  readonly #legend = element('div', 'legend');
  readonly #chart: ZoomChart;
  readonly #tableBox = element('div', 'table-box');
  readonly #askDiff: (params: DiffParams) => boolean;
  readonly #askChanges: (params: Selection) => boolean;
  /** The worker's copy of the other recording; null until it is needed. */
  #other: Promise<unknown> | null = null;
  #drawn: { readonly result: DiffResult; readonly shape: ViewState['shape'] } | null = null;
  #changes: ChangesResult | null = null;

  constructor(context: ViewContext) {
    const { store } = context;
    this.#context = context;
    this.#search = new SearchField(store);
    this.#crumbs = new Crumbs(store);
    this.#chart = new ZoomChart(store, {
      label: 'Differential flame graph. Arrow keys move, Enter zooms, m opens a menu.',
      heightShare: CHART_SHARE,
      actionsOf: ({ labels, rows }, row) => [
        {
          label: 'Search for this name',
          run: () => store.change({ search: labels.name[rows.label[row]] }),
        },
      ],
    });
    this.#summary.setAttribute('role', 'status');
    this.root = element(
      'div',
      'tables',
      element('div', 'view-controls', this.#switches, this.#search.root),
      this.#summary,
      this.#crumbs.root,
      this.#legend,
      this.#chart.root,
      this.#chart.spoken,
      this.#tableBox,
    );
    this.#askDiff = askLatest(
      this.#askBoth,
      'diff',
      (result) => {
        this.#draw(result);
        // The worker does one thing at a time, and the picture comes before the table.
        this.#askChanges(selectionOf(store.get()));
      },
      (problem) => {
        this.#summary.textContent = problem;
      },
    );
    this.#askChanges = askLatest(
      this.#askBoth,
      'changes',
      (changes) => {
        this.#changes = changes;
        this.#drawChanges();
      },
      (problem) => {
        this.#tableBox.replaceChildren(element('p', 'problem', problem));
      },
    );
  }

  show(state: ViewState): void {
    const { store } = this.#context;
    replaceKeepingFocus(this.#switches, treeSwitch(store, state), shapeSwitch(store, state));
    const isNew = this.#askDiff({
      ...selectionOf(state),
      inverted: state.tree === 'callers',
      zoom: state.zoom,
      search: state.search.trim(),
    });
    if (isNew) {
      this.#search.show(state, null);
      if (this.#drawn === null) this.#summary.textContent = 'Comparing …';
    } else if (this.#drawn !== null && this.#drawn.shape !== state.shape) {
      this.#draw(this.#drawn.result);
    }
    this.#drawChanges();
  }

  hide(): void {
    this.#chart.chart?.hideTooltip();
  }

  get keys(): readonly KeyBinding[] {
    return [...this.#search.keys(), ...this.#chart.keys];
  }

  /** An `AskWorker` that waits until the worker has both recordings. */
  readonly #askBoth: AskWorker = async (kind, params, signal) => {
    this.#other ??= this.#openOther();
    await this.#other;
    signal?.throwIfAborted();
    return this.#context.ask(kind, params, signal);
  };

  /** Opened once, and late: the other recording is large, and only this view needs it. */
  async #openOther(): Promise<void> {
    const { ask, other } = this.#context;
    if (other === null) throw new Error('There is no other recording: perf-ts view NEW OLD');
    const bytes = await loadPageData(document, other);
    await ask('open', { slot: 1, bytes });
  }

  #draw(result: DiffResult): void {
    const { store, recording } = this.#context;
    const state = store.get();
    const { tree, delta, found } = result;
    this.#drawn = { result, shape: state.shape };
    this.#search.show(state, found && describeFound(found));
    this.#summary.textContent = describeRecordings(this.#context, state, result);
    this.#crumbs.show(tree);
    if (recording.events[state.event]?.samples === 0 || tree.rows.prefix.length === 0) {
      this.#legend.replaceChildren();
      this.#chart.clear(renderNoSamples(this.#context, state));
      return;
    }
    const most = largestChange(delta);
    this.#legend.replaceChildren(...renderDeltaLegend(most));
    this.#chart.draw(tree, {
      funcs: Number.MAX_SAFE_INTEGER,
      colourOf: (row) => deltaColour(delta[row], most),
      describe: (node) => describeNode(node, result),
      speak: (node) => {
        const lines = describeNode(node, result);
        return `${node.name}: ${lines.map(({ term, text }) => `${term} ${text}`).join(', ')}`;
      },
    });
  }

  #drawChanges(): void {
    if (this.#changes === null) return;
    const { store } = this.#context;
    const { renamed, rows } = this.#changes;
    replaceKeepingFocus(
      this.#tableBox,
      ...renamed.map(({ name, otherName }) =>
        element('p', 'note', `Compared as one program: ${name} here, ${otherName} there`),
      ),
      ...renderChanges(rows, store.get(), (diffSort) => store.change({ diffSort }, 'adjust')),
    );
  }
}

/** The choices that leave out samples or frames of this recording. */
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

function describeRecordings(
  { recording, file, other }: ViewContext,
  state: ViewState,
  { otherSamples }: DiffResult,
): string {
  const samples = recording.events[state.event]?.samples ?? 0;
  const isPart = PARTS.some(
    (key) => JSON.stringify(state[key]) !== JSON.stringify(DEFAULT_STATE[key]),
  );
  const part = isPart ? ' Filters and edits are those of this recording: the other is whole.' : '';
  return (
    `${file.title} (${formatCount(samples)} samples) against ${other?.title ?? ''} ` +
    `(${formatCount(otherSamples)} samples). Shares of ${weightName(recording, state)} are ` +
    `compared; the width is the mean of both.${part}`
  );
}

function describeFound({ share, otherShare, functions, ...found }: DiffFound): Found {
  return {
    ...found,
    said: `${formatShare(share)} here, ${formatShare(otherShare)} there matched`,
    title: `in stacks with one of ${formatCount(functions)} matching functions`,
  };
}

function largestChange(delta: Float64Array): number {
  let most = 0;
  for (const value of delta) if (!Number.isNaN(value)) most = Math.max(most, Math.abs(value));
  return most;
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

function describeNode(
  { row, value, parent }: FrameNode,
  { delta, otherShare }: DiffResult,
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
