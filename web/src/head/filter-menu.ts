import { element } from '../dom/dom.ts';
import { popoverButton } from '../dom/popover.ts';
import { createFilters } from '../state/filters.ts';
import type { ViewState } from '../state/state.ts';
import type { ViewContext } from '../state/view-context.ts';

/** The event stays in view where there are several; process, thread, CPU and turns are behind one button. */
export function createFilterMenu(context: ViewContext): HTMLElement {
  const { store } = context;
  const { event, others } = createFilters(context);
  const menu = popoverButton('All samples ▾', 'Samples shown', others);
  const show = (state: ViewState) => {
    menu.root.hidden = others.querySelector('.chooser:not([hidden])') === null;
    const chosen = chosenOf(context, state);
    menu.button.textContent = `${chosen.length === 0 ? 'All samples' : chosen.join(', ')} ▾`;
    menu.button.classList.toggle('is-set', chosen.length > 0);
  };
  store.subscribe(show);
  show(store.get());
  return element('div', 'head-filters', event, menu.root);
}

function chosenOf(
  { recording }: ViewContext,
  { pid, threads, cpu, inTurnsOver }: ViewState,
): string[] {
  const ofThread = recording.threads[threads[0]];
  const parts: string[] = [];
  if (threads.length > 1) parts.push(`${threads.length} threads`);
  else if (ofThread !== undefined) parts.push(`${ofThread.comm} ${ofThread.tid}`);
  else if (pid !== null) parts.push(`pid ${pid}`);
  if (cpu !== null) parts.push(`CPU ${cpu}`);
  if (inTurnsOver !== null) parts.push(`turns over ${inTurnsOver} ms`);
  return parts;
}
