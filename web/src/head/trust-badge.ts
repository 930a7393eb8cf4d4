import { assessTrust, TRUST_MARKS } from '../ask/trust.ts';
import { pushButton } from '../dom/dom.ts';
import type { ViewContext } from '../state/view-context.ts';

/** How far the recording can be trusted, in two words; the tab Sampling says why. */
export class TrustBadge {
  readonly root: HTMLButtonElement;
  readonly #context: ViewContext;

  constructor(context: ViewContext) {
    const { store, report } = context;
    this.#context = context;
    this.root = pushButton('trust-badge', '', () => store.change({ tab: 'period' }));
    store.subscribe((state, previous) => {
      if (state.event !== previous.event) this.#show();
    });
    report.onArrival(() => this.#show());
    context.onReplaced(() => this.#show());
    this.#show();
  }

  #show(): void {
    const { store, recording, report } = this.#context;
    const { level, label, reasons } = assessTrust(recording, report, store.get().event);
    this.root.dataset.level = level;
    this.root.textContent = `${TRUST_MARKS[level]} ${label}`;
    this.root.title = [...reasons, 'Opens Sampling'].join('\n');
  }
}
