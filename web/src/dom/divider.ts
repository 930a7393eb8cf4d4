import { element } from './dom.ts';

export type DividerOptions = {
  /** The height that it changes, for those who hear the page. */
  readonly label: string;
  /** It was dragged to a place of the window, in pixels. */
  readonly onDrag: (y: number) => void;
  /** An arrow key: down or up. */
  readonly onStep: (by: 1 | -1) => void;
  /** A double click or Enter: the page chooses again. */
  readonly onFit: () => void;
};

/** A line between two parts of the page, one of which it makes higher. */
export function createDivider({ label, onDrag, onStep, onFit }: DividerOptions): HTMLElement {
  const divider = element('div', 'divider');
  divider.tabIndex = 0;
  divider.setAttribute('role', 'separator');
  divider.setAttribute('aria-orientation', 'horizontal');
  divider.setAttribute('aria-label', label);
  divider.title = 'Drag to resize; double click to fit';
  divider.addEventListener('pointerdown', (event) => {
    divider.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  divider.addEventListener('pointermove', (event) => {
    if (divider.hasPointerCapture(event.pointerId)) onDrag(event.clientY);
  });
  divider.addEventListener('dblclick', onFit);
  divider.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowUp') onStep(-1);
    else if (event.key === 'ArrowDown') onStep(1);
    else if (event.key === 'Enter') onFit();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return divider;
}
