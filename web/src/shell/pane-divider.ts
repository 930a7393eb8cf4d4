import { element } from '../dom/dom.ts';
import { PANE_PERCENT, type ViewState } from '../state/state.ts';
import type { Store } from '../state/store.ts';

const STEP_PERCENT = 5;

/**
 * The line between the open view and the pane below it. Dragged, or moved by arrow keys, it gives the pane a part of
 * the height; a double click or Enter leaves that to the page again: as much as the picture above leaves.
 */
export function createPaneDivider(store: Store, work: HTMLElement): HTMLElement {
  const divider = element('div', 'pane-divider');
  divider.tabIndex = 0;
  divider.setAttribute('role', 'separator');
  divider.setAttribute('aria-orientation', 'horizontal');
  divider.setAttribute('aria-label', 'Height of the chosen function');
  divider.title = 'Drag to resize; double click to fit';
  const heightNow = () => {
    const { top, height } = work.getBoundingClientRect();
    return (100 * (top + height - divider.getBoundingClientRect().bottom)) / height;
  };
  const resize = (percent: number) =>
    store.change({ pane: Math.round(Math.min(PANE_PERCENT, Math.max(0, percent))) }, 'adjust');
  divider.addEventListener('pointerdown', (event) => {
    divider.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  divider.addEventListener('pointermove', (event) => {
    if (!divider.hasPointerCapture(event.pointerId)) return;
    const { top, height } = work.getBoundingClientRect();
    resize((100 * (top + height - event.clientY)) / height);
  });
  divider.addEventListener('dblclick', () => store.change({ pane: null }, 'adjust'));
  divider.addEventListener('keydown', (event) => {
    const by = { ArrowUp: STEP_PERCENT, ArrowDown: -STEP_PERCENT }[event.key];
    if (by !== undefined) resize(heightNow() + by);
    else if (event.key === 'Enter') store.change({ pane: null }, 'adjust');
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  const show = ({ pane }: ViewState) => {
    divider.setAttribute('aria-valuenow', String(pane ?? Math.round(heightNow())));
    work.classList.toggle('is-sized', pane !== null);
    if (pane !== null) work.style.setProperty('--pane', `${pane}%`);
  };
  store.subscribe(show);
  show(store.get());
  return divider;
}
