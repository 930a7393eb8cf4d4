import { element } from '../dom/dom.ts';

/** An empty box for a flame graph, in the order of Tab. `label` names it and its keys. */
export function createChartBox(label: string): HTMLElement {
  const box = element('div', 'chart');
  box.tabIndex = 0;
  box.setAttribute('role', 'group');
  box.setAttribute('aria-label', label);
  return box;
}
