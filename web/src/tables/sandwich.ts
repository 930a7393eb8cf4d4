import { askLatest } from '../ask/ask.ts';
import { formatShare } from '../ask/format.ts';
import { element, pushButton } from '../dom/dom.ts';
import { type Direction, FlameGraph } from '../flame-graph/flame-graph.ts';
import { describeFrame, speakFrame } from '../flame-graph/frame-lines.ts';
import type { FrameNode } from '../flame-graph/frame-nodes.ts';
import { createChartBox } from '../flame-graph/graph-box.ts';
import { selectionOf } from '../state/selection.ts';
import type { ViewState } from '../state/state.ts';
import type { ViewContext } from '../state/view-context.ts';
import { funcOf } from '../worker/messages/frame-key.ts';
import type {
  SandwichParams,
  SandwichResult,
  TreeIntervals,
  TreeResult,
} from '../worker/messages/messages.ts';
import { nameText } from './data-table.ts';

/** Callers above, callees below one function: click one of them and it takes the middle. */
export class Sandwich {
  readonly root: HTMLElement;
  readonly #title = element('h2', 'sandwich-title');
  readonly #callers: SandwichHalf;
  readonly #callees: SandwichHalf;
  readonly #scroller = element('div', 'sandwich-body');
  readonly #askSandwich: (params: SandwichParams) => boolean;

  constructor(context: ViewContext) {
    const { store, ask } = context;
    const spoken = element('output', 'spoken');
    const speak = (text: string) => {
      spoken.textContent = text;
    };
    this.#callers = new SandwichHalf(context, 'callers', speak);
    this.#callees = new SandwichHalf(context, 'callees', speak);
    this.root = element(
      'section',
      'sandwich',
      element(
        'div',
        'sandwich-head',
        this.#title,
        pushButton('', 'Source', () => store.change({ tab: 'source' })),
        pushButton('', 'Close', () => store.change({ func: null })),
      ),
      this.#scroller,
      spoken,
    );
    this.root.setAttribute('aria-label', 'Callers and callees');
    this.#scroller.append(
      element('h3', '', 'Callers, the function at the bottom'),
      this.#callers.box,
      element('h3', '', 'Callees, the function on top'),
      this.#callees.box,
    );
    this.root.hidden = true;
    this.#askSandwich = askLatest(
      ask,
      'sandwich',
      (result) => this.#draw(result),
      (problem) => {
        this.#title.textContent = problem;
      },
    );
  }

  show(state: ViewState): void {
    this.root.hidden = state.func === null;
    if (state.func === null) return;
    this.#askSandwich({ ...selectionOf(state), func: state.func, search: state.search.trim() });
  }

  #draw(result: SandwichResult): void {
    const { name, self, total, callers, callees } = result;
    const share = (value: number) => formatShare(callees.weight === 0 ? 0 : value / callees.weight);
    const shownName = name || 'A function that this recording does not have';
    this.#title.replaceChildren(
      nameText(shownName, 'title-name'),
      `: self ${share(self)}, total ${share(total)}`,
    );
    this.#title.title = shownName;
    if (total === 0) {
      for (const half of [this.#callers, this.#callees]) half.clear();
      return;
    }
    this.#callers.draw(callers, result.callerIntervals);
    this.#callees.draw(callees, result.calleeIntervals);
    // The function, which both halves have, in the middle.
    const { bottom } = this.#callers.box.getBoundingClientRect();
    const { top, height } = this.#scroller.getBoundingClientRect();
    this.#scroller.scrollTop += bottom - top - height / 2;
  }
}

type Directions = Readonly<Record<string, Direction>>;
const SIDEWAYS: Directions = { ArrowLeft: 'left', ArrowRight: 'right' };
const UPWARDS: Directions = { ...SIDEWAYS, ArrowUp: 'callee', ArrowDown: 'caller' };
const DOWNWARDS: Directions = { ...SIDEWAYS, ArrowUp: 'caller', ArrowDown: 'callee' };

/** One of the two pictures. Both begin with the function: callers go up from it, callees down. */
class SandwichHalf {
  readonly box: HTMLElement;
  readonly #context: ViewContext;
  readonly #isOfCallers: boolean;
  readonly #speak: (text: string) => void;
  #drawn: { readonly tree: TreeResult; readonly chart: FlameGraph } | null = null;

  constructor(
    context: ViewContext,
    relation: 'callers' | 'callees',
    speak: (text: string) => void,
  ) {
    this.#context = context;
    this.#isOfCallers = relation === 'callers';
    this.#speak = speak;
    const name = this.#isOfCallers ? 'Callers' : 'Callees';
    this.box = createChartBox(`${name}. Arrow keys move, Enter takes a function.`);
    this.box.addEventListener('keydown', (event) => {
      if (!this.#takeKey(event.key)) return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  draw(tree: TreeResult, intervals: TreeIntervals): void {
    this.#drawn?.chart.destroy();
    this.box.replaceChildren();
    const { store } = this.#context;
    const inverted = this.#isOfCallers;
    const chart = new FlameGraph(this.box, {
      result: tree,
      title: null,
      isIcicle: !this.#isOfCallers,
      width: this.box.clientWidth,
      isSearching: store.get().search.trim() !== '',
      describe: (node) => describeFrame(tree, node, { inverted, intervals }),
      onZoom: (node) => this.#choose(node),
      onMenu: () => {},
      onCursor: (node) => this.#speak(speakFrame(tree, node, inverted)),
    });
    this.#drawn = { tree, chart };
    chart.reveal(0);
  }

  clear(): void {
    this.#drawn?.chart.destroy();
    this.#drawn = null;
    this.box.replaceChildren(element('p', 'pruned', 'It is in none of the samples shown.'));
  }

  /** Moves the cursor or chooses what it is on; false for keys that mean nothing here. */
  #takeKey(key: string): boolean {
    if (this.#drawn === null) return false;
    const { chart } = this.#drawn;
    const to = (this.#isOfCallers ? UPWARDS : DOWNWARDS)[key];
    if (to !== undefined) chart.moveCursor(to);
    else if (key === 'Enter') this.#choose(chart.cursor);
    else return false;
    return true;
  }

  #choose(node: FrameNode | null): void {
    if (this.#drawn === null || node === null || node.row < 0) return;
    const { labels, rows } = this.#drawn.tree;
    const { store } = this.#context;
    const func = funcOf(labels.key[rows.label[node.row]]);
    if (func >= 0) store.change({ func });
  }
}
