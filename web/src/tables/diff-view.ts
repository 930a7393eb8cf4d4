import type { PageFile } from '../../../src/formats/export/page-profile.ts';
import { formatCompared, formatDelta } from '../../../src/questions/compare-words.ts';
import { askLatest } from '../ask/ask.ts';
import { formatCount, formatRelative, formatShare } from '../ask/format.ts';
import { renderNoSamples } from '../controls/no-samples.ts';
import { type Found, SearchField } from '../controls/search-field.ts';
import { shapeSwitch, treeSwitch } from '../controls/tree-switches.ts';
import { element, replaceKeepingFocus, switcher } from '../dom/dom.ts';
import type { KeyBinding } from '../dom/keys.ts';
import type { TooltipLine } from '../dom/tooltip-line.ts';
import { deltaColour } from '../flame-graph/frame-colours.ts';
import type { FrameNode } from '../flame-graph/frame-nodes.ts';
import { ZoomGraph } from '../flame-graph/zoom-graph.ts';
import { loadPageData } from '../setup.ts';
import type { TabView } from '../shell/tab-view.ts';
import { selectionOf } from '../state/selection.ts';
import type { ViewState } from '../state/state.ts';
import type { Store } from '../state/store.ts';
import type { ViewContext } from '../state/view-context.ts';
import { funcOf } from '../worker/messages/frame-key.ts';
import type {
  ChangesParams,
  ChangesResult,
  DiffFound,
  DiffParams,
  DiffResult,
  Side,
} from '../worker/messages/messages.ts';
import type { AskWorker } from '../worker/messages/requests.ts';
import { type MissingNames, renderSummary } from './diff-summary.ts';
import { renderChanges } from './diff-table.ts';
import './diff.css';
import './tables.css';

/**
 * The changes from the other recording to this one: the total, the functions, and both flame graphs laid
 * over each other. Red is more, blue is less.
 */
export class DiffView implements TabView {
  readonly root: HTMLElement;
  readonly #context: ViewContext;
  readonly #search: SearchField;
  readonly #switches = element('div', 'switches');
  readonly #summary = element('p', 'diff-summary');
  readonly #legend = element('div', 'legend');
  readonly #chart: ZoomGraph;
  readonly #tableBox = element('div', 'table-box diff-table');
  readonly #askDiff: (params: DiffParams) => boolean;
  readonly #askChanges: (params: ChangesParams) => boolean;
  /** The worker's copies of the other recordings; null until they are needed. */
  #others: Promise<unknown> | null = null;
  #drawn: { readonly result: DiffResult; readonly shape: ViewState['shape'] } | null = null;
  #changes: ChangesResult | null = null;
  /** Why functions of other recordings have no names. */
  #missing: MissingNames = { before: [], beside: [] };

  constructor(context: ViewContext) {
    const { store } = context;
    this.#context = context;
    this.#search = new SearchField(store);
    this.#chart = new ZoomGraph(store, {
      label: 'Differential flame graph. Arrow keys move, Enter zooms, o opens a menu.',
      actionsOf: ({ labels }, { label }) => {
        if (label < 0) return [];
        return [
          ...openersOf(context, funcOf(labels.key[label])),
          {
            label: 'Search for this name',
            run: () => store.change({ search: labels.name[label], match: null }),
          },
        ];
      },
    });
    this.#summary.setAttribute('role', 'status');
    this.root = element(
      'div',
      'tables diff',
      element('div', 'view-controls', this.#switches, this.#search.root),
      this.#summary,
      this.#tableBox,
      this.#legend,
      this.#chart.root,
      this.#chart.spoken,
    );
    this.#askDiff = askLatest(
      this.#askBoth,
      'diff',
      (result) => {
        // The worker does one thing at a time, and the picture comes before the table.
        const isNew = this.#askChanges({ ...selectionOf(store.get()), by: result.by });
        if (isNew) this.#changes = null;
        this.#draw(result);
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
        this.#drawSummary();
        this.#drawChanges();
      },
      (problem) => {
        this.#tableBox.replaceChildren(element('p', 'problem', problem));
      },
    );
  }

  show(state: ViewState): void {
    const { store } = this.#context;
    replaceKeepingFocus(
      this.#switches,
      measureSwitch(store, state),
      treeSwitch(store, state),
      shapeSwitch(store, state),
    );
    const isNew = this.#askDiff({
      ...selectionOf(state),
      by: state.diffBy,
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
    const open = (tab: 'source' | 'table') => () => {
      const { store } = this.#context;
      if (store.get().func !== null) store.change({ tab });
    };
    return [
      {
        key: 'b',
        does: 'compare as recorded, per second, as shares',
        run: () => this.#nextMeasure(),
      },
      { key: 's', does: 'source of the chosen function', run: open('source') },
      { key: 'u', does: 'callers and callees of the chosen function', run: open('table') },
      ...this.#search.keys(),
      ...this.#chart.keys,
    ];
  }

  #nextMeasure(): void {
    const { store } = this.#context;
    const next = MEASURES.findIndex(({ value }) => value === store.get().diffBy) + 1;
    store.change({ diffBy: MEASURES[next % MEASURES.length].value });
  }

  /** An `AskWorker` that waits until the worker has all recordings. */
  readonly #askBoth: AskWorker = async (kind, params, signal) => {
    this.#others ??= this.#openOthers();
    await this.#others;
    signal?.throwIfAborted();
    return this.#context.ask(kind, params, signal);
  };

  /** Opened once, and late: other recordings are large, and only this view needs them. */
  async #openOthers(): Promise<void> {
    const { ask, beside, before } = this.#context;
    if (before.length === 0) throw new Error('There is no other recording: perf-ts view OLD NEW');
    let slot = 0;
    const openAll = async (files: readonly PageFile[], side: Side): Promise<string[]> => {
      const missing = new Set<string>();
      for (const file of files) {
        const bytes = await loadPageData(document, file);
        const { head } = await ask('open', { slot: ++slot, side, bytes });
        for (const sentence of head.missingNames ?? []) missing.add(sentence);
      }
      return [...missing];
    };
    this.#missing = {
      before: await openAll(before, 'there'),
      beside: await openAll(beside, 'here'),
    };
  }

  #draw(result: DiffResult): void {
    const { store, recording } = this.#context;
    const state = store.get();
    const { tree, delta, found, by, unit } = result;
    this.#drawn = { result, shape: state.shape };
    this.#search.show(state, found && describeFound(found));
    this.#drawSummary();
    if (recording.events[state.event]?.samples === 0 || tree.rows.prefix.length === 0) {
      this.#legend.replaceChildren();
      this.#chart.clear(renderNoSamples(this.#context, state));
      return;
    }
    const most = largestChange(delta);
    this.#legend.replaceChildren(
      ...renderDeltaLegend(most, (change) => formatDelta(change, by, unit)),
    );
    this.#chart.draw(tree, {
      colourOf: (row) => deltaColour(delta[row], most),
      describe: (node) => describeNode(node, result),
      speak: (node) => {
        const lines = describeNode(node, result);
        return `${node.name}: ${lines.map(({ term, text }) => `${term} ${text}`).join(', ')}`;
      },
    });
  }

  #drawSummary(): void {
    if (this.#drawn === null) return;
    const total = this.#changes?.total ?? null;
    const { store } = this.#context;
    this.#summary.replaceChildren(
      ...renderSummary(this.#context, store.get(), this.#drawn.result, total, this.#missing),
    );
  }

  #drawChanges(): void {
    if (this.#changes === null || this.#drawn === null) return;
    const { store } = this.#context;
    const state = store.get();
    const { by, unit } = this.#drawn.result;
    const { notes, rows } = this.#changes;
    replaceKeepingFocus(
      this.#tableBox,
      ...notes.map((note) => element('p', 'note', note.charAt(0).toUpperCase() + note.slice(1))),
      ...renderChanges(rows, state, {
        by,
        unit,
        onSort: (diffSort) => store.change({ diffSort }, 'adjust'),
        onChoose: ({ func }) => {
          if (func >= 0) store.change({ func });
        },
      }),
    );
  }
}

const MEASURES = [
  {
    value: 'absolute',
    label: 'Absolute',
    hint: 'Time or events as they were recorded: for a program that ran from beginning to end',
  },
  {
    value: 'second',
    label: 'Per second',
    hint: 'Per second that was recorded: for a part of what runs on, as a server does',
  },
  {
    value: 'share',
    label: 'Share',
    hint: 'Parts of all. Where one function takes more, the share of all others is less',
  },
] as const satisfies readonly {
  readonly value: ViewState['diffBy'];
  label: string;
  hint: string;
}[];

function measureSwitch(store: Store, { diffBy }: ViewState): HTMLElement {
  return switcher('Compare', MEASURES, diffBy, (chosen) => store.change({ diffBy: chosen }));
}

/** The actions that lead from a function to the other views of it; none where only another recording has it. */
function openersOf({ store, recording }: ViewContext, func: number) {
  if (recording.funcNames[func] === undefined) return [];
  return [
    { label: 'Callers and callees', run: () => store.change({ func, tab: 'table' }) },
    { label: 'Source', run: () => store.change({ func, tab: 'source' }) },
  ];
}

function describeFound({ share, otherShare, functions, ...found }: DiffFound): Found {
  return {
    ...found,
    reported: `${formatShare(otherShare)} before, ${formatShare(share)} after matched`,
    title: `in stacks with one of ${formatCount(functions)} matching functions`,
  };
}

function largestChange(delta: Float64Array): number {
  let most = 0;
  for (const value of delta) if (!Number.isNaN(value)) most = Math.max(most, Math.abs(value));
  return most;
}

function renderDeltaLegend(most: number, format: (delta: number) => string): HTMLElement[] {
  const entry = (delta: number, text: string) => {
    const swatch = element('span', 'swatch');
    swatch.style.background = deltaColour(delta, most);
    return element('span', 'legend-entry', swatch, text);
  };
  return [
    entry(-most, `less: ${format(-most)}`),
    entry(-most / 4, format(-most / 4)),
    entry(0, 'the same'),
    entry(most / 4, format(most / 4)),
    entry(most, `more: ${format(most)}`),
    element('span', 'legend-entry', 'Frames are as wide as the mean of both.'),
  ];
}

function describeNode(
  { row, value, parent }: FrameNode,
  { delta, other, by, unit }: DiffResult,
): TooltipLine[] {
  const mean = { term: 'mean', text: formatCompared(value, by, unit) };
  const there = row < 0 ? Number.NaN : other[row];
  if (Number.isNaN(there)) return [mean];
  const here = there + delta[row];
  const above = parent?.value ?? 0;
  return [
    { term: 'before', text: formatCompared(there, by, unit) },
    { term: 'after', text: formatCompared(here, by, unit) },
    {
      term: 'change',
      text: `${formatDelta(delta[row], by, unit)}, ${formatRelative(here, there)}`,
    },
    ...(above > 0 ? [{ term: 'share', text: `${formatShare(value / above)} of its caller` }] : []),
  ];
}
