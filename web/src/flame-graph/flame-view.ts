import { askLatest } from '../ask/ask.ts';
import { ADDING_UP } from '../ask/format.ts';
import { frameActions, frameKeys } from '../controls/frame-actions.ts';
import { renderNoSamples } from '../controls/no-samples.ts';
import { element, onWidthChange, replaceKeepingFocus } from '../dom/dom.ts';
import type { KeyBinding } from '../dom/keys.ts';
import type { ShownMatch, TabView } from '../shell/tab-view.ts';
import { onColoursChange } from '../shell/theme.ts';
import { treeParams } from '../state/selection.ts';
import type { ViewState } from '../state/state.ts';
import type { ViewContext } from '../state/view-context.ts';
import type { TreeIntervals, TreeParams, TreeResult } from '../worker/messages/messages.ts';
import { renderEdits } from './edit-chips.ts';
import { namesTo } from './flame-graph.ts';
import { listFolded } from './folded-list.ts';
import { leastFrameWidth } from './frame-drawing.ts';
import { describeFrame, speakFrame } from './frame-lines.ts';
import { isSamePlace, pathOf } from './frame-nodes.ts';
import { timesOf } from './lens.ts';
import { isDark } from './palette.ts';
import { pictureActions } from './picture.ts';
import { describeTree } from './tree-remarks.ts';
import { ZoomGraph } from './zoom-graph.ts';
import './flame.css';

/**
 * Milliseconds. The first intervals of a selection take a while, and the worker does one thing at a
 * time: whoever clicks on at once is not to wait for them.
 */
const INTERVALS_AFTER = 600;

/** Pixels: what stands around the picture within its panel. */
const BESIDE_PIXELS = 24;

/** Frames of one picture: so many are drawn within 100 ms (bench/page/redraw.mjs). */
const MAX_FRAMES = 2000;

/** The flame graph with its controls. */
export class FlameView implements TabView {
  readonly root: HTMLElement;
  readonly #context: ViewContext;
  readonly #edits = element('div', 'chips');
  readonly #chart: ZoomGraph;
  readonly #remarks = element('p', 'pruned');
  readonly #askTree: (params: TreeParams) => boolean;
  readonly #askIntervals: (params: TreeParams | null) => boolean;
  #drawn: {
    readonly tree: TreeResult;
    readonly shape: ViewState['shape'];
    readonly isDark: boolean;
  } | null = null;
  /** Figures of the tree drawn; null until they are there. */
  #intervals: TreeIntervals | null = null;
  #intervalsTimer = 0;
  /** Pixels of the chart, 0 where it is not known: to ask for them among changes takes a layout. */
  #width = 0;
  /** Pixels of the picture that `#claimHeight` asked for, and of all that it did. */
  #claimed = { picture: 0, all: 0 };
  /** The match that is to be seen once the tree that was asked for is drawn. */
  #toReveal: ShownMatch | null = null;

  constructor(context: ViewContext) {
    const { store, ask } = context;
    this.#context = context;
    this.#chart = new ZoomGraph(store, {
      label: 'Flame graph. Arrow keys move, Enter zooms, o opens a menu.',
      canSelect: true,
      hasLens: true,
      actionsOf: (tree, node) => [
        ...frameActions(store, tree.labels, node.label, namesTo(node)),
        ...pictureActions(() => this.#chart.chart, context.file.title),
      ],
      listFolded: (tree, node, at) => void listFolded(context, tree, node, at),
    });
    this.root = element(
      'div',
      'flame',
      this.#edits,
      element('div', 'chart-frame', this.#chart.root, this.#chart.minimap.root),
      this.#chart.spoken,
      this.#remarks,
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
    const width = Math.max(300, this.#width || this.#chart.root.clientWidth);
    const least = leastFrameWidth(width) / (width * timesOf(state.lens));
    const params = { ...treeParams(state, least), maxRows: MAX_FRAMES };
    if (this.#askTree(params)) {
      this.#chart.root.setAttribute('aria-busy', 'true');
      if (this.#drawn === null) this.#chart.clear(element('p', 'empty', ADDING_UP));
      this.#askIntervals(null);
      clearTimeout(this.#intervalsTimer);
    } else if (this.#drawn !== null && this.#looksElse(state)) {
      this.#draw(this.#drawn.tree);
    } else this.#chart.follow(state);
    this.#chart.chart?.select(state.func);
  }

  reveal(match: ShownMatch): void {
    this.#toReveal = match;
    if (!this.#chart.root.hasAttribute('aria-busy')) this.#revealMatch();
  }

  hide(): void {
    this.#chart.chart?.hideTooltip();
  }

  get keys(): readonly KeyBinding[] {
    const { store } = this.#context;
    return [
      ...this.#chart.keys,
      ...frameKeys(store, () => {
        const node = this.#chart.chart?.target ?? null;
        if (node === null || this.#drawn === null) return null;
        const { labels } = this.#drawn.tree;
        return { labels, label: node.label, stack: namesTo(node) };
      }),
    ];
  }

  /** Whether the tree that is drawn looks different in the state. */
  #looksElse({ shape }: ViewState): boolean {
    return this.#drawn?.shape !== shape || this.#drawn.isDark !== isDark(document);
  }

  #showControls(state: ViewState): void {
    const { store, recording } = this.#context;
    replaceKeepingFocus(
      this.#edits,
      ...renderEdits(store, state, {
        func: (index) => recording.funcNames[index] ?? '[unknown]',
        dso: (index) => recording.dsoNames[index] ?? '[unknown]',
      }),
    );
  }

  #draw(tree: TreeResult): void {
    const { store, recording } = this.#context;
    const state = store.get();
    const cursor = this.#chart.chart?.cursor ?? null;
    const before = this.#drawn;
    this.#drawn = { tree, shape: state.shape, isDark: isDark(document) };
    if (tree.samples === 0 && tree.weight === 0) {
      this.#chart.clear(renderNoSamples(this.#context, state));
      this.#describe(describeTree(tree, state, recording));
      return;
    }
    const inverted = state.tree === 'callers';
    this.#chart.draw(tree, {
      describe: (node) => describeFrame(tree, node, { inverted, intervals: this.#intervals }),
      speak: (node) => speakFrame(tree, node, inverted),
    });
    this.#describe(describeTree(tree, state, recording));
    if (before !== null && cursor !== null) {
      // Whoever zoomed by keys goes on from what fills the width now.
      if (!isSamePlace(before.tree, tree)) this.#chart.chart?.moveCursor('caller');
      else this.#chart.chart?.restoreCursor(pathOf(before.tree, cursor));
    }
    this.#claimHeight(tree.zoom.length === 0);
    this.#revealMatch();
  }

  /** The picture is up to date; `remarks` stand below it. */
  #describe(remarks: string): void {
    this.#chart.root.removeAttribute('aria-busy');
    if (this.#remarks.textContent !== remarks) this.#remarks.textContent = remarks;
  }

  /**
   * Asks for the height of the whole picture; the pane below the views has the rest. A zoom, which has fewer rows, moves
   * nothing.
   */
  #claimHeight(isWhole: boolean): void {
    const { chart } = this.#chart;
    // To measure the parts around it takes a layout, which only a picture that grows needs.
    if (chart === null || (!isWhole && chart.height <= this.#claimed.picture)) return;
    // The map lies below the frames, where there is room.
    const map = this.#chart.minimap.root.offsetHeight;
    const beside = this.#edits.offsetHeight + this.#remarks.offsetHeight + map;
    const height = Math.ceil(chart.height) + beside + BESIDE_PIXELS;
    if (!isWhole && height <= this.#claimed.all) return;
    this.#claimed = { picture: chart.height, all: height };
    this.root.closest<HTMLElement>('.work')?.style.setProperty('--graph-height', `${height}px`);
  }

  #revealMatch(): void {
    if (this.#toReveal === null) return;
    const { path, isGoneTo, takesFocus } = this.#toReveal;
    // In folded frames it is seen by a zoom alone; the picture that has it comes here again.
    if (isGoneTo && !this.#chart.reaches(path)) {
      this.#context.store.change({ zoom: path }, 'adjust');
      if (this.#chart.root.hasAttribute('aria-busy')) return;
    }
    this.#toReveal = null;
    this.#chart.showPath(path, isGoneTo);
    if (takesFocus) this.#chart.root.focus({ preventScroll: true });
  }

  #fail(problem: string): void {
    this.#drawn = null;
    this.#chart.root.removeAttribute('aria-busy');
    this.#chart.clear(element('p', 'problem', problem));
  }

  /** Keeps the chart as wide as its box and as high as the window has room for it. */
  #followWindow(): void {
    const { root } = this.#chart;
    onWidthChange(root, (width) => {
      this.#width = width;
      if (width > 0) this.show(this.#context.store.get());
    });
  }

  #listen(): void {
    const { store } = this.#context;
    onColoursChange(window, store, () => {
      if (this.root.isConnected) this.show(store.get());
    });
    const { root } = this.#chart;
    root.addEventListener('focus', () => {
      const { chart } = this.#chart;
      if (chart?.cursor === null && root.matches(':focus-visible')) chart.moveCursor('caller');
    });
  }
}
