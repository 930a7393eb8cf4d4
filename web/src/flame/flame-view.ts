import { askLatest } from '../ask.ts';
import { Crumbs } from '../controls/crumbs.ts';
import { frameActions } from '../controls/frame-actions.ts';
import { SearchBar } from '../controls/search-bar.ts';
import { orderSwitch, RootsChooser, shapeSwitch, treeSwitch } from '../controls/tree-switches.ts';
import { element, onWidthChange, replaceKeepingFocus } from '../dom.ts';
import type { KeyBinding } from '../keys.ts';
import { treeParams } from '../selection.ts';
import type { ViewState } from '../state.ts';
import type { TabView } from '../tab-view.ts';
import { renderNoSamples } from '../time/no-samples.ts';
import type { ViewContext } from '../view-context.ts';
import type { OpenResult, TreeIntervals, TreeParams, TreeResult } from '../worker/messages.ts';
import { renderEdits } from './edit-chips.ts';
import { MIN_FRAME_WIDTH } from './flame-chart.ts';
import { createLegend, describeFolding } from './frame-legend.ts';
import { describeFrame, speakFrame } from './frame-lines.ts';
import { ZoomChart } from './zoom-chart.ts';
import './flame.css';

/**
 * Milliseconds. The first intervals of a selection take a while, and the worker does one thing at a
 * time: whoever clicks on at once is not to wait for them.
 */
const INTERVALS_AFTER = 600;

/** The flame graph with its controls. */
export class FlameView implements TabView {
  readonly root: HTMLElement;
  readonly #context: ViewContext;
  readonly #search: SearchBar;
  readonly #roots: RootsChooser;
  readonly #switches = element('div', 'switches');
  readonly #edits = element('div', 'chips');
  readonly #legend = createLegend();
  readonly #crumbs: Crumbs;
  readonly #chart: ZoomChart;
  readonly #folded = element('p', 'pruned');
  readonly #askTree: (params: TreeParams) => boolean;
  readonly #askIntervals: (params: TreeParams | null) => boolean;
  #drawn: { readonly tree: TreeResult; readonly shape: ViewState['shape'] } | null = null;
  /** Figures of the tree drawn; null until they are there. */
  #intervals: TreeIntervals | null = null;
  #intervalsTimer = 0;

  constructor(context: ViewContext) {
    const { store, ask, recording } = context;
    this.#context = context;
    this.#search = new SearchBar(context);
    this.#roots = new RootsChooser(store);
    this.#crumbs = new Crumbs(store);
    this.#chart = new ZoomChart(store, {
      label: 'Flame graph. Arrow keys move, Enter zooms, m opens a menu.',
      heightShare: 1,
      actionsOf: ({ labels, rows }, row) =>
        frameActions(store, labels, rows.label[row], recording.funcCount),
    });
    this.root = element(
      'div',
      'flame',
      element(
        'div',
        'view-controls',
        this.#roots.root,
        this.#switches,
        this.#legend.root,
        this.#search.root,
      ),
      this.#edits,
      this.#crumbs.root,
      this.#chart.root,
      this.#chart.spoken,
      this.#folded,
    );
    const fail = (problem: string) => this.#fail(problem);
    this.#askTree = askLatest(
      ask,
      'tree',
      (tree, params) => {
        this.#intervals = null;
        this.#draw(tree);
        this.#intervalsTimer = window.setTimeout(() => this.#askIntervals(params), INTERVALS_AFTER);
      },
      fail,
    );
    this.#askIntervals = askLatest(
      ask,
      'intervals',
      (intervals) => {
        this.#intervals = intervals;
      },
      fail,
    );
    this.#followWindow();
    this.#listen();
  }

  show(state: ViewState): void {
    this.#showControls(state);
    const width = Math.max(300, this.#chart.root.clientWidth);
    const params = treeParams(state, MIN_FRAME_WIDTH / width);
    if (this.#askTree(params)) {
      this.#chart.root.setAttribute('aria-busy', 'true');
      this.#askIntervals(null);
      clearTimeout(this.#intervalsTimer);
    } else if (this.#drawn !== null && this.#drawn.shape !== state.shape) {
      this.#draw(this.#drawn.tree);
    }
  }

  hide(): void {
    this.#chart.chart?.hideTooltip();
  }

  get keys(): readonly KeyBinding[] {
    return [...this.#search.keys('search (also Ctrl-F)'), ...this.#chart.keys];
  }

  #showControls(state: ViewState): void {
    const { store, recording } = this.#context;
    this.#roots.show(state);
    replaceKeepingFocus(
      this.#switches,
      treeSwitch(store, state),
      shapeSwitch(store, state),
      orderSwitch(store, state),
    );
    replaceKeepingFocus(
      this.#edits,
      ...renderEdits(store, state, {
        func: (index) => recording.funcNames[index] ?? '[unknown]',
        dso: (index) => recording.dsoNames[index] ?? '[unknown]',
      }),
    );
    this.#search.show(state);
  }

  #draw(tree: TreeResult): void {
    const { store, recording } = this.#context;
    const state = store.get();
    const hadCursor = this.#chart.chart?.cursor() != null;
    this.#drawn = { tree, shape: state.shape };
    this.#chart.root.removeAttribute('aria-busy');
    this.#crumbs.show(tree);
    this.#legend.show(tree, recording.funcCount);
    this.#folded.textContent = describeFolding(tree, hasStacks(tree, state, recording));
    if (tree.samples === 0 && tree.weight === 0) {
      this.#chart.clear(renderNoSamples(this.#context, state));
      return;
    }
    const inverted = state.tree === 'callers';
    this.#chart.draw(tree, {
      funcs: recording.funcCount,
      describe: (node) => describeFrame(tree, node, { inverted, intervals: this.#intervals }),
      speak: (node) => speakFrame(tree, node, inverted),
    });
    // Whoever zoomed by keys goes on from what fills the width now.
    if (hadCursor) this.#chart.chart?.moveCursor('caller');
  }

  #fail(problem: string): void {
    this.#drawn = null;
    this.#chart.root.removeAttribute('aria-busy');
    this.#chart.clear(element('p', 'problem', problem));
  }

  /** Keeps the chart as wide as its box and as high as the window has room for it. */
  #followWindow(): void {
    const { root } = this.#chart;
    onWidthChange(root, () => {
      if (root.clientWidth > 0) this.show(this.#context.store.get());
    });
    // The page above may grow when the report arrives.
    const header = document.querySelector('.recording');
    if (header === null) return;
    new ResizeObserver(() => {
      if (this.#chart.chart !== null && this.root.isConnected) this.#chart.fit();
    }).observe(header);
  }

  #listen(): void {
    const { root } = this.#chart;
    root.addEventListener('focus', () => {
      const { chart } = this.#chart;
      if (chart?.cursor() === null && root.matches(':focus-visible')) chart.moveCursor('caller');
    });
    document.addEventListener('keydown', (event) => {
      if (!this.root.isConnected || !(event.ctrlKey || event.metaKey) || event.key !== 'f') return;
      event.preventDefault();
      this.#search.focus();
    });
  }
}

/** An imported text does not state how it was recorded: one in which nothing calls has no stacks. */
function hasStacks({ rows, zoom }: TreeResult, state: ViewState, { head }: OpenResult): boolean {
  if (head.completeness !== null || zoom.length > 0) return true;
  const roots = state.tree === 'callers' || state.roots === 'none' ? 0 : 1;
  const depth = new Int32Array(rows.prefix.length);
  for (let row = 0; row < depth.length; row++) {
    const above = rows.prefix[row];
    depth[row] = above < 0 ? 1 : depth[above] + 1;
    if (depth[row] > roots + 1) return true;
  }
  return false;
}
