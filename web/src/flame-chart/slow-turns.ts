import { askLatest } from '../ask/ask.ts';
import { formatNanos } from '../ask/format.ts';
import { element, pushButton } from '../dom/dom.ts';
import { popoverButton } from '../dom/popover.ts';
import type { ViewState } from '../state/state.ts';
import type { ViewContext } from '../state/view-context.ts';
import type { SlowTurnsResult } from '../worker/messages/chart-messages.ts';
import { formatMoment } from './lane-words.ts';

const MOST_LISTED = 30;

/** The slowest turns of event loops, each a button that calls `show`; nothing where no turn is known. */
export class SlowTurns {
  readonly root: HTMLElement;
  readonly #context: ViewContext;
  readonly #ask: (params: Pick<ViewState, 'event' | 'weight'> & { limit: number }) => boolean;

  constructor(
    context: ViewContext,
    show: (turn: {
      readonly thread: number;
      readonly fromNs: number;
      readonly toNs: number;
    }) => void,
  ) {
    this.#context = context;
    const list = element('ol', 'slow-turns');
    const menu = popoverButton('Slow turns ▾', 'The slowest turns of event loops', list);
    this.root = menu.root;
    const draw = (turns: SlowTurnsResult) => {
      const rows = turns.map((turn) => {
        const { fromNs, toNs, threadName, did } = turn;
        const button = pushButton('slow-turn', '', () => {
          menu.close();
          show(turn);
        });
        button.append(
          element('b', '', formatNanos(toNs - fromNs)),
          ` at ${formatMoment(fromNs)} · ${threadName}`,
          element('br'),
          did.join(' · '),
        );
        return element('li', '', button);
      });
      list.replaceChildren(...rows);
    };
    this.#ask = askLatest(context.ask, 'slowTurns', draw, (problem) => {
      list.replaceChildren(element('li', 'problem', problem));
    });
    menu.body.addEventListener('toggle', (event) => {
      if ((event as ToggleEvent).newState === 'open') this.#request();
    });
  }

  show(): void {
    this.root.hidden = this.#context.recording.turnsOver.length === 0;
  }

  #request(): void {
    const { event, weight } = this.#context.store.get();
    this.#ask({ event, weight, limit: MOST_LISTED });
  }
}
