import { formatWeight } from '../ask/format.ts';
import { element } from '../dom/dom.ts';
import { shortList } from '../dom/short-list.ts';
import type { Store } from '../state/store.ts';
import type { OpenResult } from '../worker/messages/messages.ts';
import { chosenThread, threadChange, threadTitle } from './chosen-thread.ts';

/** A choice of the thread whose chart is shown, those with most samples first. */
export class ThreadChooser {
  readonly root: HTMLElement;
  readonly #select = element('select');

  constructor(store: Store) {
    const select = this.#select;
    select.addEventListener('change', () => store.change(threadChange(Number(select.value))));
    this.root = element('label', 'chooser', element('span', '', 'Thread'), select);
  }

  /** `shown`: the thread that the chart shows; −1: none. */
  show(store: Store, { threads }: OpenResult, shown: number): void {
    const byWeight = threads
      .map(({ comm, tid, samples }, value) => ({ value, samples, comm, tid }))
      .filter(({ samples, value }) => samples > 0 || value === shown)
      .sort((a, b) => b.samples - a.samples)
      .map(({ value, samples, comm, tid }) => ({
        value,
        label: `${threadTitle({ comm, tid })}: ${formatWeight(samples, 'samples')}`,
      }));
    const chosen = shown >= 0 ? shown : (chosenThread(store.get()) ?? -1);
    const options = shortList(byWeight, chosen).map(({ value, label }) => {
      const option = element('option', '', label);
      option.value = String(value);
      option.selected = value === chosen;
      return option;
    });
    this.#select.replaceChildren(...options);
    this.root.hidden = options.length < 2;
  }
}
