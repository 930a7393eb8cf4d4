import { type MenuItem, showMenu } from '../controls/frame-menu.ts';
import { element } from '../dom.ts';
import type { KeyBinding } from '../keys.ts';
import type { Store } from '../store.ts';
import type { TreeResult } from '../worker/messages.ts';
import { createChartBox, fitHeight } from './chart-box.ts';
import { cursorKeys } from './cursor-keys.ts';
import { type ChartOptions, FlameChart } from './flame-chart.ts';
import { type FrameNode, pathOf } from './frame-nodes.ts';

export type ZoomChartOptions = {
  /** Names the chart and its keys. */
  readonly label: string;
  /** Part of the window's height that it takes at most. */
  readonly heightShare: number;
  /** The items of a frame's menu besides the zoom. */
  readonly actionsOf: (tree: TreeResult, row: number) => readonly MenuItem[];
};

/** Colours and descriptions of the frames of one tree. */
export type FrameLook = Pick<ChartOptions, 'funcs' | 'colourOf' | 'describe'> & {
  /** A frame as a sentence, for those who hear the page. */
  readonly speak: (node: FrameNode) => string;
};

/** The flame graph of a tab: clicks, keys and a menu zoom in the state's tree. */
export class ZoomChart {
  readonly root: HTMLElement;
  /** The frame under the keyboard's cursor, as a sentence. */
  readonly spoken = element('output', 'spoken');
  readonly #store: Store;
  readonly #options: ZoomChartOptions;
  #drawn: { readonly tree: TreeResult; readonly chart: FlameChart } | null = null;

  constructor(store: Store, options: ZoomChartOptions) {
    this.#store = store;
    this.#options = options;
    this.root = createChartBox(options.label);
  }

  draw(tree: TreeResult, { speak, ...look }: FrameLook): void {
    this.clear();
    const { shape, search } = this.#store.get();
    const chart = new FlameChart(this.root, {
      ...look,
      result: tree,
      title: 'all',
      isIcicle: shape === 'icicle',
      width: this.root.clientWidth,
      isSearching: search.trim() !== '',
      onZoom: (node) => this.#zoomTo(node),
      onMenu: (node, at) => this.#openMenu(node, at),
      onCursor: (node) => {
        this.spoken.textContent = speak(node);
      },
    });
    this.#drawn = { tree, chart };
    this.fit();
    if (shape === 'flame') this.root.scrollTop = this.root.scrollHeight;
  }

  /** Removes the chart; `content` is shown in its place. */
  clear(...content: readonly Node[]): void {
    this.#drawn?.chart.destroy();
    this.#drawn = null;
    this.root.replaceChildren(...content);
  }

  /** Takes the height that the window has for it. */
  fit(): void {
    fitHeight(this.root, this.#options.heightShare);
  }

  /** The drawn chart; null if none is. */
  get chart(): FlameChart | null {
    return this.#drawn?.chart ?? null;
  }

  get keys(): readonly KeyBinding[] {
    return cursorKeys({
      store: this.#store,
      chart: () => this.chart,
      onEnter: (node) => this.#zoomTo(node),
      onMenu: (node, at) => this.#openMenu(node, at),
    });
  }

  #zoomTo(node: FrameNode): void {
    if (this.#drawn === null) return;
    const { tree } = this.#drawn;
    if (isFolded(tree, node)) return;
    // The root again: one step back out.
    const path = node.row < 0 ? tree.zoom.slice(0, -1).map(({ key }) => key) : pathOf(tree, node);
    this.#store.change({ zoom: path });
  }

  #openMenu(node: FrameNode, at: { readonly x: number; readonly y: number }): void {
    if (this.#drawn === null || node.row < 0) return;
    const { tree } = this.#drawn;
    const zoom = { label: 'Zoom', run: () => this.#zoomTo(node) };
    const items = [
      ...(isFolded(tree, node) ? [] : [zoom]),
      ...this.#options.actionsOf(tree, node.row),
    ];
    if (items.length > 0) showMenu(node.name, items, at);
  }
}

/** True for a node that stands for frames too light to be drawn. */
function isFolded({ rows }: TreeResult, { row }: FrameNode): boolean {
  return row >= 0 && rows.folded[row] > 0;
}
