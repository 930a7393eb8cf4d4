import { askLatest } from '../ask.ts';
import { element } from '../dom.ts';
import { drawFlameChart, type FlameChart } from '../flame/flame-chart.ts';
import { describeFrame, speakFrame } from '../flame/frame-lines.ts';
import type { FrameNode } from '../flame/frame-nodes.ts';
import { formatShare } from '../format.ts';
import { funcOfKey } from '../frame-key.ts';
import { selectionOf } from '../selection.ts';
import type { ViewState } from '../state.ts';
import type { ViewContext } from '../view-context.ts';
import type { SandwichResult, TreeResult } from '../worker/messages.ts';

/** Callers above, callees below one function: click one of them and it takes the middle. */
export function createSandwich({ store, ask, recording }: ViewContext): {
  readonly root: HTMLElement;
  /** `isFirst`: the tab was opened with a function chosen, so that is what one came for. */
  show(state: ViewState, isFirst: boolean): void;
} {
  const title = element('h2', 'sandwich-title');
  const callersBox = element('div', 'chart');
  const calleesBox = element('div', 'chart');
  const spoken = element('output', 'spoken');
  let comesIntoView = false;
  const source = element('button', '', 'Source');
  source.type = 'button';
  source.addEventListener('click', () => store.change({ tab: 'source' }));
  const close = element('button', '', 'Close');
  close.type = 'button';
  close.addEventListener('click', () => store.change({ func: null }));
  const root = element(
    'section',
    'sandwich',
    element('div', 'sandwich-head', title, source, close),
    element('h3', '', 'Callers'),
    callersBox,
    element('h3', '', 'Callees'),
    calleesBox,
    spoken,
  );
  root.hidden = true;
  for (const [box, name] of [
    [callersBox, 'Callers'],
    [calleesBox, 'Callees'],
  ] as const) {
    box.tabIndex = 0;
    box.setAttribute('role', 'group');
    box.setAttribute('aria-label', `${name}. Arrow keys move, Enter takes a function.`);
    box.addEventListener('keydown', (event) => onKey(event, box));
  }
  let charts: FlameChart[] = [];
  let shown: SandwichResult | null = null;

  const askSandwich = askLatest(ask, 'sandwich', draw, (problem) => {
    title.textContent = problem;
  });

  function draw(result: SandwichResult): void {
    shown = result;
    for (const chart of charts) chart.destroy();
    const { weight } = result.callees;
    const share = (value: number) => formatShare(weight === 0 ? 0 : value / weight);
    const name = result.name || 'A function that this recording does not have';
    title.textContent = `${name}: self ${share(result.self)}, total ${share(result.total)}`;
    charts = [];
    if (result.total === 0) {
      for (const box of [callersBox, calleesBox]) {
        box.replaceChildren(element('p', 'pruned', 'It is in none of the samples shown.'));
      }
      return;
    }
    charts = [
      drawPart(callersBox, result.callers, false),
      drawPart(calleesBox, result.callees, true),
    ];
    callersBox.scrollTop = callersBox.scrollHeight;
    if (comesIntoView) root.scrollIntoView({ block: 'start' });
    comesIntoView = false;
  }

  /** Both pictures begin with the function: callers go up from it, callees down. */
  function onKey(event: KeyboardEvent, box: HTMLElement): void {
    const chart = charts[box === callersBox ? 0 : 1];
    const [up, down] =
      box === callersBox ? (['callee', 'caller'] as const) : (['caller', 'callee'] as const);
    const to = { ArrowUp: up, ArrowDown: down, ArrowLeft: 'left', ArrowRight: 'right' } as const;
    if (chart === undefined) return;
    if (event.key in to) chart.moveCursor(to[event.key as keyof typeof to]);
    else if (event.key === 'Enter') choose(chart.cursor(), box === callersBox);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  function choose(node: FrameNode | null, isOfCallers: boolean): void {
    const tree = isOfCallers ? shown?.callers : shown?.callees;
    if (node === null || node.row < 0 || tree === undefined) return;
    const key = tree.labels.key[tree.rows.label[node.row]];
    const func = funcOfKey(key, recording.funcCount);
    if (func >= 0) store.change({ func });
  }

  function drawPart(box: HTMLElement, tree: TreeResult, isIcicle: boolean): FlameChart {
    box.replaceChildren();
    return drawFlameChart(box, {
      result: tree,
      title: 'all',
      funcs: recording.funcCount,
      isIcicle,
      width: box.clientWidth,
      isSearching: store.get().search.trim() !== '',
      describe: (node) => describeFrame(tree, node, { inverted: !isIcicle, intervals: null }),
      onZoom: (node) => choose(node, !isIcicle),
      onMenu: () => {},
      onCursor: (node) => {
        spoken.textContent = speakFrame(tree, node, !isIcicle);
      },
    });
  }

  return {
    root,
    show(state, isFirst) {
      comesIntoView ||= isFirst;
      root.hidden = state.func === null;
      if (state.func === null) return;
      askSandwich({ ...selectionOf(state), func: state.func, search: state.search.trim() });
    },
  };
}
