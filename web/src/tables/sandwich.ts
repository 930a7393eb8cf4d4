import { element } from '../dom.ts';
import { drawFlameChart, type FlameChart } from '../flame/flame-chart.ts';
import { describeFrame } from '../flame/frame-lines.ts';
import { funcOfKey } from '../flame/frame-nodes.ts';
import { formatShare } from '../format.ts';
import { selectionOf } from '../selection.ts';
import type { ViewState } from '../state.ts';
import type { ViewContext } from '../view-context.ts';
import type { SandwichResult, TreeResult } from '../worker/messages.ts';
import { createLatest } from './latest.ts';

/** Callers above, callees below one function: click one of them and it takes the middle. */
export function createSandwich({ store, ask, recording }: ViewContext): {
  readonly root: HTMLElement;
  show(state: ViewState): void;
} {
  const title = element('h2', 'sandwich-title');
  const callersBox = element('div', 'chart');
  const calleesBox = element('div', 'chart');
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
  );
  root.hidden = true;
  let charts: FlameChart[] = [];

  const askSandwich = createLatest(ask, 'sandwich', draw, (problem) => {
    title.textContent = problem;
  });

  function draw(result: SandwichResult): void {
    for (const chart of charts) chart.destroy();
    const { weight } = result.callees;
    const share = (value: number) => formatShare(weight === 0 ? 0 : value / weight);
    title.textContent = `${result.name}: self ${share(result.self)}, total ${share(result.total)}`;
    charts = [
      drawPart(callersBox, result.callers, false),
      drawPart(calleesBox, result.callees, true),
    ];
    callersBox.scrollTop = callersBox.scrollHeight;
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
      onZoom: (node) => {
        if (node.row < 0) return;
        const key = tree.labels.key[tree.rows.label[node.row] as number] as number;
        const func = funcOfKey(key, recording.funcCount);
        if (func >= 0) store.change({ func });
      },
      onMenu: () => {},
    });
  }

  return {
    root,
    show(state) {
      root.hidden = state.func === null;
      if (state.func === null) return;
      askSandwich({ ...selectionOf(state), func: state.func, search: state.search.trim() });
    },
  };
}
