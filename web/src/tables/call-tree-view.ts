import { Crumbs } from '../controls/crumbs.ts';
import { frameActions } from '../controls/frame-actions.ts';
import { showMenu } from '../controls/frame-menu.ts';
import { SearchBar } from '../controls/search-bar.ts';
import {
  invertKey,
  orderSwitch,
  RootsChooser,
  resetKey,
  treeSwitch,
} from '../controls/tree-switches.ts';
import { element, replaceKeepingFocus } from '../dom.ts';
import { formatCount } from '../format.ts';
import { renderNoSamples } from '../no-samples.ts';
import { selectionOf } from '../selection.ts';
import type { ViewState } from '../state.ts';
import type { TabView } from '../tab-view.ts';
import type { ViewContext } from '../view-context.ts';
import type { FrameKey, TreeParams, TreeResult } from '../worker/messages.ts';
import { focusRow, moveFocus } from './data-table.ts';
import { decodeOpenRows, encodeOpenRows, type OpenRow } from './open-rows.ts';
import {
  allLines,
  focusParent,
  hasWholeBranch,
  keyOf,
  renderTreeRow,
  type TreeNode,
  totalOf,
  visibleLines,
} from './tree-row.ts';
import './tables.css';

/** Rows that the tree opens by itself: down the heaviest path, as long as it stays heavy. */
const OPEN_SHARE = 0.5;
const MOST_OPENED = 40;

/** The tree as a table that is opened branch by branch; each branch is asked for when it is opened. */
export function createCallTreeView(context: ViewContext): TabView {
  const { store, ask, recording } = context;
  const funcs = recording.funcCount;
  const search = new SearchBar(context);
  const roots = new RootsChooser(store);
  const switches = element('div', 'switches');
  const body = element('tbody');
  const heading = (text: string, isNumber: boolean) => {
    const cell = element('th', isNumber ? 'number' : '', text);
    cell.scope = 'col';
    return cell;
  };
  const weightHeading = heading('Weight', true);
  const head = element(
    'tr',
    '',
    heading('Total', true),
    heading('Self', true),
    weightHeading,
    heading('Samples', true),
    heading('Function', false),
  );
  const table = element('table', 'data-table call-tree', element('thead', '', head), body);
  table.setAttribute('role', 'treegrid');
  table.setAttribute('aria-label', 'Call tree');
  const status = element('p', 'pruned');
  const none = element('div');
  const crumbs = new Crumbs(store);
  const root = element(
    'div',
    'tables',
    element('div', 'view-controls', roots.root, switches, search.root),
    crumbs.root,
    element('div', 'table-box', table),
    none,
    status,
  );
  let tops: readonly TreeNode[] = [];
  let shown: TreeResult | null = null;
  /** `ViewState.treeOpen` as this view has it. */
  let openText = '';
  let state = store.get();
  let drawnFor = '';
  let running: AbortController | null = null;

  function paramsOf(zoom: readonly FrameKey[]): TreeParams {
    return {
      ...selectionOf(state),
      roots: state.roots,
      inverted: state.tree === 'callers',
      order: state.sort,
      zoom,
      search: state.search.trim(),
      leastPart: 0,
    };
  }

  function show(next: ViewState): void {
    state = next;
    roots.show(next);
    replaceKeepingFocus(switches, treeSwitch(store, next), orderSwitch(store, next));
    search.show(next);
    const params = paramsOf(next.zoom);
    const question = JSON.stringify(params);
    if (question === drawnFor) {
      // The back button opens and closes rows, too.
      if (next.treeOpen !== openText && shown !== null) draw(shown);
      return;
    }
    drawnFor = question;
    running?.abort();
    running = new AbortController();
    const { signal } = running;
    ask('tree', params, signal).then(
      (result) => {
        if (!signal.aborted) draw(result);
      },
      (problem: Error) => {
        if (!signal.aborted) status.textContent = problem.message;
      },
    );
  }

  function draw(result: TreeResult): void {
    shown = result;
    openText = state.treeOpen;
    table.hidden = result.samples === 0 && result.weight === 0;
    none.replaceChildren(...(table.hidden ? [renderNoSamples(context, state)] : []));
    weightHeading.textContent = result.unit === 'nanoseconds' ? 'Total time' : 'Total events';
    weightHeading.hidden = result.unit === 'samples';
    const samples = formatCount(result.samples);
    crumbs.show(result);
    status.textContent = table.hidden ? '' : `${samples} samples`;
    tops = makeNodes(
      result,
      -1,
      result.zoom.map(({ key }) => key),
      0,
    );
    replaceKeepingFocus(body, ...tops.map(({ line }) => line));
    if (tops[0] !== undefined) tops[0].line.tabIndex = 0;
    const wanted = decodeOpenRows(state.treeOpen);
    const keys = new Set(tops.map(keyOf));
    // Rows of another tree: of other roots, or zoomed into.
    const isOfThis = wanted?.length === 0 || wanted?.some(({ key }) => keys.has(key));
    if (wanted !== null && isOfThis) void openAll(tops, wanted);
    else openHeaviest();
  }

  function openHeaviest(): void {
    let node: TreeNode | undefined = tops[0];
    for (let opened = 0; node !== undefined && opened < MOST_OPENED; opened++) {
      const { weight } = node.result;
      const share = weight === 0 ? 0 : totalOf(node) / weight;
      if (share < OPEN_SHARE) break;
      openLoaded(node);
      node = node.children?.[0];
    }
  }

  async function openAll(nodes: readonly TreeNode[], wanted: readonly OpenRow[]): Promise<void> {
    for (const { key, below } of wanted) {
      const node = nodes.find((candidate) => keyOf(candidate) === key);
      if (node === undefined) continue;
      await open(node);
      if (!node.isOpen) continue;
      await openAll(node.children ?? [], below);
    }
  }

  /** Writes into the address which rows are open. */
  function remember(): void {
    const openOnes = (nodes: readonly TreeNode[]): OpenRow[] =>
      nodes
        .filter(({ isOpen }) => isOpen)
        .map((node) => ({ key: keyOf(node), below: openOnes(node.children ?? []) }));
    openText = encodeOpenRows(openOnes(tops));
    store.change({ treeOpen: openText }, 'adjust');
  }

  async function toggle(node: TreeNode): Promise<void> {
    if (node.isOpen) close(node);
    else await open(node);
    if (node.line.isConnected) remember();
  }

  function makeNodes(
    result: TreeResult,
    parent: number,
    path: readonly FrameKey[],
    depth: number,
  ): TreeNode[] {
    const nodes: TreeNode[] = [];
    for (let row = parent + 1; row < result.rows.prefix.length; row++) {
      if (result.rows.prefix[row] === parent) nodes.push(makeNode(result, row, path, depth));
    }
    return nodes;
  }

  function makeNode(
    result: TreeResult,
    row: number,
    path: readonly FrameKey[],
    depth: number,
  ): TreeNode {
    const node = renderTreeRow(result, row, { path, depth, funcs });
    const { line } = node;
    line.addEventListener('click', () => void toggle(node));
    line.addEventListener('focus', () => {
      for (const other of body.querySelectorAll<HTMLElement>('tr[tabindex="0"]')) {
        other.tabIndex = -1;
      }
      line.tabIndex = 0;
    });
    line.addEventListener('keydown', (event) => onKey(event, node));
    line.addEventListener('contextmenu', (event) => {
      event.preventDefault();
      menu(node, { x: event.clientX, y: event.clientY });
    });
    return node;
  }

  function menu(node: TreeNode, at: { readonly x: number; readonly y: number }): void {
    const { labels, rows } = node.result;
    const label = rows.label[node.row];
    const zoom = {
      label: 'Flame graph',
      run: () => store.change({ tab: 'flame', zoom: node.path }),
    };
    const items = [zoom, ...frameActions(store, labels, label, funcs)];
    showMenu(labels.name[label], items, at);
  }

  function onKey(event: KeyboardEvent, node: TreeNode): void {
    const { line } = node;
    if (event.key === 'ArrowRight') {
      if (!node.isOpen) void toggle(node);
      else focusRow(line.nextElementSibling, line);
    } else if (event.key === 'ArrowLeft') {
      if (node.isOpen) void toggle(node);
      else focusParent(line);
    } else if (event.key === 'Enter') store.change({ tab: 'flame', zoom: node.path });
    else if (event.key === 'm') {
      const box = line.getBoundingClientRect();
      menu(node, { x: box.left + 240, y: box.bottom });
    } else if (!moveFocus(line, event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  async function open(node: TreeNode): Promise<void> {
    if (node.isOpen || !node.line.hasAttribute('aria-expanded')) return;
    if (!hasWholeBranch(node) && node.children === null) {
      const result = await ask('tree', paramsOf(node.path)).catch(() => null);
      // The state may have changed meanwhile.
      if (result === null || !node.line.isConnected || node.isOpen) return;
      node.children = makeNodes(result, -1, node.path, node.depth + 1);
    }
    openLoaded(node);
  }

  function openLoaded(node: TreeNode): void {
    node.children ??= makeNodes(node.result, node.row, node.path, node.depth + 1);
    node.isOpen = true;
    node.line.setAttribute('aria-expanded', 'true');
    node.line.after(...node.children.flatMap(visibleLines));
  }

  function close(node: TreeNode): void {
    node.isOpen = false;
    node.line.setAttribute('aria-expanded', 'false');
    for (const child of node.children ?? []) for (const line of allLines(child)) line.remove();
  }

  return {
    root,
    show,
    keys: [
      ...search.keys(),
      invertKey(store),
      { key: 'ArrowRight', does: 'open the row that has the focus', run: null },
      { key: 'ArrowLeft', does: 'close it, or go to its caller', run: null },
      { key: 'Enter', does: 'show it in the flame graph', run: null },
      { key: 'm', does: 'menu of the row: hide, focus, merge …', run: null },
      resetKey(store),
    ],
  };
}
