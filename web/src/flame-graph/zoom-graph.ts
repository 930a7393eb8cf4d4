import { type MenuItem, showMenu } from '../controls/frame-menu.ts';
import { element, type PlaceInWindow } from '../dom/dom.ts';
import type { KeyBinding } from '../dom/keys.ts';
import type { ViewState } from '../state/state.ts';
import type { Store } from '../state/store.ts';
import { funcOf } from '../worker/messages/frame-key.ts';
import type { FrameKey, TreeResult } from '../worker/messages/messages.ts';
import { cursorKeys } from './cursor-keys.ts';
import { FlameGraph, type GraphOptions } from './flame-graph.ts';
import { type FrameNode, isSamePlace, pathOf } from './frame-nodes.ts';
import { createChartBox } from './graph-box.ts';
import { Lens, timesOf } from './lens.ts';
import { Minimap } from './minimap.ts';
import { moveInto, type ZoomedChart } from './zoom-motion.ts';

export type ZoomGraphOptions = {
  /** Names the chart and its keys. */
  readonly label: string;
  /** The items of a frame's menu besides the zoom. */
  readonly actionsOf: (tree: TreeResult, node: FrameNode) => readonly MenuItem[];
  /** True: a click selects the function, too, since keys are those of the recording. */
  readonly canSelect?: boolean;
  /** True: a part of the width can be looked at, `ViewState.lens`. */
  readonly hasLens?: boolean;
  /** Lists what a frame for folded ones stands for, where a zoom would show no more of it. */
  readonly listFolded?: (tree: TreeResult, node: FrameNode, at: PlaceInWindow) => void;
};

/** A zoom into a frame of this part of the zoomed one shows nothing that was folded. */
const NO_WIDER = 0.99;

/** Colours and descriptions of the frames of one tree. */
export type FrameLook = Pick<GraphOptions, 'colourOf' | 'describe'> & {
  /** A frame as a sentence, for those who hear the page. */
  readonly speak: (node: FrameNode) => string;
};

type DrawnChart = ZoomedChart & {
  readonly tree: TreeResult;
  readonly shape: ViewState['shape'];
};

/** The flame graph of a tab: clicks, keys and a menu zoom in the state's tree. Fills its box. */
export class ZoomGraph {
  readonly root: HTMLElement;
  /** The frame under the keyboard's cursor, as a sentence. */
  readonly spoken = element('output', 'spoken');
  readonly #store: Store;
  readonly #options: ZoomGraphOptions;
  readonly #lens: Lens | null;
  readonly minimap: Minimap;
  #drawn: DrawnChart | null = null;

  constructor(store: Store, options: ZoomGraphOptions) {
    this.#store = store;
    this.#options = options;
    this.root = createChartBox(options.label);
    this.minimap = new Minimap((at) => this.#lens?.centre(at));
    this.#lens = options.hasLens
      ? new Lens(
          store,
          this.root,
          () => this.chart,
          (from, to) => this.minimap.move(this.chart, from, to),
        )
      : null;
    new ResizeObserver(() => this.#drawn?.chart.fill()).observe(this.root);
  }

  draw(tree: TreeResult, { speak, ...look }: FrameLook): void {
    const before = this.#drawn;
    const fromRoot = before?.chart.fromRoot ?? 0;
    const state = this.#store.get();
    const { shape, search, func } = state;
    const times = this.#lens === null ? 1 : timesOf(state.lens);
    const chart = new FlameGraph(this.root, {
      ...look,
      result: tree,
      title: 'all',
      isIcicle: shape === 'icicle',
      width: this.root.clientWidth * times,
      isSearching: search.trim() !== '',
      selected: this.#options.canSelect ? func : null,
      onZoom: (node) => this.choose(node),
      onMenu: (node, at) => this.#openMenu(node, at),
      onCursor: (node) => {
        this.spoken.textContent = speak(node);
      },
    });
    this.root.classList.toggle('from-below', shape === 'flame');
    const zoom = tree.zoom.map(({ key }) => key);
    this.#drawn = { tree, chart, zoom, shape };
    if (before === null) this.root.replaceChildren(chart.svg);
    else before.chart.destroy();
    if (before === null || before.shape !== shape) chart.reveal(0);
    else if (isSamePlace(before.tree, tree)) chart.scrollFromRoot(fromRoot);
    else chart.reveal(fromRoot);
    this.#lens?.place(state);
    if (before?.shape === shape) moveInto(this.#drawn, before);
  }

  /** Shows the part of the width that the state has, of the picture that is drawn. */
  follow(state: ViewState): void {
    this.#lens?.place(state);
  }

  /** Removes the chart; `content` is shown in its place. */
  clear(...content: readonly Node[]): void {
    this.#drawn?.chart.destroy();
    this.#drawn = null;
    this.root.replaceChildren(...content);
  }

  /** The drawn chart; null if none is. */
  get chart(): FlameGraph | null {
    return this.#drawn?.chart ?? null;
  }

  /** Brings the frame at the end of a path into view; nothing where another one is zoomed into. */
  showPath(path: readonly FrameKey[], withCursor: boolean): void {
    if (this.#drawn === null) return;
    const { tree, chart } = this.#drawn;
    if (tree.zoom.some(({ key }, depth) => path[depth] !== key)) return;
    chart.showPath(path, withCursor);
  }

  /** False where the frame at the end of a path is among those that are folded, which a zoom would show. */
  reaches(path: readonly FrameKey[]): boolean {
    if (this.#drawn === null) return true;
    const { tree, chart } = this.#drawn;
    const isBelow = tree.zoom.every(({ key }, depth) => path[depth] === key);
    return !isBelow || path.length <= tree.zoom.length || chart.reaches(path);
  }

  get keys(): readonly KeyBinding[] {
    const keys = cursorKeys({
      store: this.#store,
      chart: () => this.chart,
      onEnter: (node) => this.choose(node),
      onMenu: (node, at) => this.#openMenu(node, at),
    });
    return [...keys, ...(this.#lens?.keys ?? [])];
  }

  /** Zooms into a frame and selects its function: one step back undoes both. */
  choose(node: FrameNode): void {
    if (this.#drawn === null) return;
    const { tree, chart } = this.#drawn;
    const parent = node.parent;
    if (node.folded > 0) {
      // Their caller may be as wide as the zoomed frame already.
      const isShown = parent === null || parent.value >= NO_WIDER * chart.zoomed.value;
      const { listFolded } = this.#options;
      if (isShown) listFolded?.(tree, node, chart.placeInWindow(node));
      else this.choose(parent);
      return;
    }
    const zoom = pathOf(tree, node);
    const isSelected = this.#options.canSelect && node.label >= 0;
    const func = isSelected ? funcOf(tree.labels.key[node.label]) : -1;
    this.#store.change(func < 0 ? { zoom } : { zoom, func });
  }

  #openMenu(node: FrameNode, at: PlaceInWindow): void {
    if (this.#drawn === null) return;
    const { tree, chart } = this.#drawn;
    const zoom = {
      label: node.folded > 0 ? 'Show them' : 'Zoom',
      key: 'Enter',
      run: () => this.choose(node),
    };
    const items = [
      ...(node === chart.zoomed ? [] : [zoom]),
      ...(node.folded > 0 ? [] : this.#options.actionsOf(tree, node)),
    ];
    if (items.length > 0) showMenu(node.name, items, at);
  }
}
