import { createDivider } from '../dom/divider.ts';
import { PANE_PERCENT, type ViewState } from '../state/state.ts';
import type { Store } from '../state/store.ts';

const STEP_PERCENT = 5;

/** The line between the open view and the pane below it, which has a part of the height, or as much as the picture leaves. */
export function createPaneDivider(store: Store, work: HTMLElement): HTMLElement {
  const heightAbove = (y: number) => {
    const { top, height } = work.getBoundingClientRect();
    return (100 * (top + height - y)) / height;
  };
  const heightNow = () => heightAbove(divider.getBoundingClientRect().bottom);
  const resize = (percent: number) =>
    store.change({ pane: Math.round(Math.min(PANE_PERCENT, Math.max(0, percent))) }, 'adjust');
  const divider = createDivider({
    label: 'Height of the chosen function',
    onDrag: (y) => resize(heightAbove(y)),
    onStep: (by) => resize(heightNow() - by * STEP_PERCENT),
    onFit: () => store.change({ pane: null }, 'adjust'),
  });
  divider.classList.add('pane-divider');
  const show = ({ pane }: ViewState) => {
    divider.setAttribute('aria-valuenow', String(pane ?? Math.round(heightNow())));
    work.classList.toggle('is-sized', pane !== null);
    if (pane !== null) work.style.setProperty('--pane', `${pane}%`);
  };
  store.subscribe(show);
  show(store.get());
  return divider;
}
