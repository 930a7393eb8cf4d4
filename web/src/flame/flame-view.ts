import { Crumbs } from '../controls/crumbs.ts';
import { frameActions } from '../controls/frame-actions.ts';
import { showMenu } from '../controls/frame-menu.ts';
import { SearchBar } from '../controls/search-bar.ts';
import { orderSwitch, RootsChooser, shapeSwitch, treeSwitch } from '../controls/tree-switches.ts';
import { element, replaceKeepingFocus } from '../dom.ts';
import { renderNoSamples } from '../no-samples.ts';
import { selectionOf } from '../selection.ts';
import type { ViewState } from '../state.ts';
import type { TabView } from '../tab-view.ts';
import type { ViewContext } from '../view-context.ts';
import type { TreeIntervals, TreeParams, TreeResult } from '../worker/messages.ts';
import { createChartBox, fitHeight } from './chart-box.ts';
import { cursorKeys } from './cursor-keys.ts';
import { renderEdits } from './edit-chips.ts';
import { drawFlameChart, type FlameChart, MIN_FRAME_WIDTH } from './flame-chart.ts';
import { createLegend, describeFolding } from './frame-legend.ts';
import { describeFrame, speakFrame } from './frame-lines.ts';
import { type FrameNode, pathOf } from './frame-nodes.ts';
import './flame.css';

/** The flame graph with its controls. */
export function createFlameView(context: ViewContext): TabView {
  const { store, ask, recording } = context;
  const funcs = recording.funcCount;
  const search = new SearchBar(context);
  const roots = new RootsChooser(store);
  const switches = element('div', 'switches');
  const crumbs = new Crumbs(store);
  const edits = element('div', 'chips');
  const legend = createLegend();
  const box = createChartBox('Flame graph. Arrow keys move, Enter zooms, m opens a menu.');
  const spoken = element('output', 'spoken');
  const folded = element('p', 'pruned');
  const root = element(
    'div',
    'flame',
    element('div', 'view-controls', roots.root, switches, legend.root, search.root),
    edits,
    crumbs.root,
    box,
    spoken,
    folded,
  );

  let state = store.get();
  let chart: FlameChart | null = null;
  let result: TreeResult | null = null;
  let intervals: TreeIntervals | null = null;
  let drawnFor = '';
  let running: AbortController | null = null;

  function show(next: ViewState): void {
    state = next;
    roots.show(next);
    replaceKeepingFocus(
      switches,
      treeSwitch(store, next),
      shapeSwitch(store, next),
      orderSwitch(store, next),
    );
    replaceKeepingFocus(
      edits,
      ...renderEdits(store, next, {
        func: (index) => recording.funcNames[index] ?? '[unknown]',
        dso: (index) => recording.dsoNames[index] ?? '[unknown]',
      }),
    );
    search.show(next);
    const width = box.clientWidth;
    const params: TreeParams = {
      ...selectionOf(next),
      roots: next.roots,
      inverted: next.tree === 'callers',
      order: next.sort,
      zoom: next.zoom,
      search: next.search.trim(),
      leastPart: MIN_FRAME_WIDTH / Math.max(300, width),
    };
    const question = JSON.stringify([params, next.shape]);
    if (question === drawnFor) return;
    drawnFor = question;
    running?.abort();
    running = new AbortController();
    const { signal } = running;
    box.setAttribute('aria-busy', 'true');
    ask('tree', params, signal)
      .then(async (tree) => {
        if (signal.aborted) return;
        draw(tree);
        // The first of a selection takes a while, and the worker does one thing at a time: whoever
        // clicks on at once is not to wait for it.
        await new Promise((resume) => setTimeout(resume, INTERVALS_AFTER));
        if (signal.aborted) return;
        const found = await ask('intervals', params, signal);
        if (!signal.aborted) intervals = found;
      })
      .catch((problem: Error) => {
        if (!signal.aborted) fail(problem.message);
      });
  }

  function draw(tree: TreeResult): void {
    const hadCursor = chart?.cursor() != null;
    chart?.destroy();
    chart = null;
    result = tree;
    intervals = null;
    box.replaceChildren();
    box.removeAttribute('aria-busy');
    crumbs.show(tree);
    legend.show(tree, funcs);
    folded.textContent = describeFolding(tree, hasStacks(tree));
    if (tree.samples === 0 && tree.weight === 0) {
      box.append(renderNoSamples(context, state));
      return;
    }
    chart = drawFlameChart(box, {
      result: tree,
      title: 'all',
      funcs,
      isIcicle: state.shape === 'icicle',
      width: box.clientWidth,
      isSearching: state.search.trim() !== '',
      describe: (node) =>
        describeFrame(tree, node, { inverted: state.tree === 'callers', intervals }),
      onZoom: zoomTo,
      onMenu: openMenu,
      onCursor: speak,
    });
    fitHeight(box, 1);
    if (state.shape === 'flame') box.scrollTop = box.scrollHeight;
    // Whoever zoomed by keys goes on from what fills the width now.
    if (hadCursor) chart.moveCursor('caller');
  }

  /** Of text nobody knows how it was recorded: what calls nothing has no stacks. */
  function hasStacks({ rows, zoom }: TreeResult): boolean {
    if (recording.head.completeness !== null || zoom.length > 0) return true;
    const roots = state.tree === 'callers' || state.roots === 'none' ? 0 : 1;
    const depth = new Int32Array(rows.prefix.length);
    for (let row = 0; row < depth.length; row++) {
      const above = rows.prefix[row];
      depth[row] = above < 0 ? 1 : depth[above] + 1;
      if (depth[row] > roots + 1) return true;
    }
    return false;
  }

  function fail(problem: string): void {
    chart?.destroy();
    chart = null;
    box.removeAttribute('aria-busy');
    box.replaceChildren(element('p', 'problem', problem));
  }

  function zoomTo(node: FrameNode): void {
    if (result === null || isFolded(node)) return;
    // The root again: one step back out.
    const path =
      node.row < 0 ? result.zoom.slice(0, -1).map(({ key }) => key) : pathOf(result, node);
    store.change({ zoom: path });
  }

  function isFolded(node: FrameNode): boolean {
    return node.row >= 0 && (result?.rows.folded[node.row] ?? 0) > 0;
  }

  function openMenu(node: FrameNode, at: { readonly x: number; readonly y: number }): void {
    if (result === null || node.row < 0) return;
    const label = result.rows.label[node.row];
    const items = frameActions(store, result.labels, label, funcs);
    if (!isFolded(node)) items.unshift({ label: 'Zoom', run: () => zoomTo(node) });
    if (items.length > 0) showMenu(node.name, items, at);
  }

  function speak(node: FrameNode): void {
    if (result === null) return;
    spoken.textContent = speakFrame(result, node, state.tree === 'callers');
  }

  let drawnWidth = 0;
  new ResizeObserver(() => {
    if (box.clientWidth === drawnWidth || box.clientWidth === 0) return;
    drawnWidth = box.clientWidth;
    if (drawnFor !== '') show(state);
  }).observe(box);
  // What stands above may grow when the report arrives.
  const header = document.querySelector('.recording');
  if (header !== null) {
    new ResizeObserver(() => {
      if (chart !== null && root.isConnected) fitHeight(box, 1);
    }).observe(header);
  }
  box.addEventListener('focus', () => {
    if (chart?.cursor() === null && box.matches(':focus-visible')) chart.moveCursor('caller');
  });
  document.addEventListener('keydown', (event) => {
    if (!root.isConnected || !(event.ctrlKey || event.metaKey) || event.key !== 'f') return;
    event.preventDefault();
    search.focus();
  });

  return {
    root,
    show,
    hide: () => chart?.hideTooltip(),
    keys: [
      ...search.keys('search (also Ctrl-F)'),
      ...cursorKeys({ store, chart: () => chart, onEnter: zoomTo, onMenu: openMenu }),
    ],
  };
}

/** Milliseconds. */
const INTERVALS_AFTER = 600;
