import { element } from '../dom.ts';

/** Pixels. */
const LEAST_HEIGHT = 200;
const ROOM_BELOW = 44;

/** An empty box for a flame graph, in the order of Tab. `label` names it and its keys. */
export function createChartBox(label: string): HTMLElement {
  const box = element('div', 'chart');
  box.tabIndex = 0;
  box.setAttribute('role', 'group');
  box.setAttribute('aria-label', label);
  return box;
}

/**
 * Limits a box to what is left of the window below the controls, or to `share` of the window, so
 * that both ends can be in view.
 */
export function fitHeight(box: HTMLElement, share: number): void {
  const top = box.getBoundingClientRect().top + window.scrollY;
  const left = window.innerHeight - top - ROOM_BELOW;
  const height = Math.max(LEAST_HEIGHT, Math.min(left, share * window.innerHeight));
  box.style.maxHeight = `${Math.round(height)}px`;
}
