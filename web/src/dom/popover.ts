import { element, pushButton } from './dom.ts';
import './popover.css';

export type PopoverButton = {
  /** The button and what it opens, to be put into the page together. */
  readonly root: HTMLElement;
  readonly button: HTMLButtonElement;
  readonly body: HTMLElement;
  close(): void;
};

/** Pixels between the button and its popover, and between the popover and the window's edge. */
const GAP = 4;

let count = 0;

/**
 * A button that opens a box below itself. Escape and a click elsewhere close it, another popover too, and the
 * focus returns to the button: the browser does that for the `popover` attribute.
 */
export function popoverButton(
  text: string,
  hint: string,
  ...content: readonly (string | Node)[]
): PopoverButton {
  const body = element('div', 'popover', ...content);
  body.id = `popover-${++count}`;
  body.popover = 'auto';
  body.setAttribute('role', 'dialog');
  body.setAttribute('aria-label', hint);
  const button = pushButton('menu-button', text, () => {});
  button.title = hint;
  button.popoverTargetElement = body;
  button.setAttribute('aria-haspopup', 'dialog');
  body.addEventListener('toggle', (event) => {
    const isOpen = (event as ToggleEvent).newState === 'open';
    button.setAttribute('aria-expanded', String(isOpen));
    if (isOpen) placeBelow(body, button);
  });
  return {
    root: element('span', 'popover-root', button, body),
    button,
    body,
    close: () => body.hidePopover(),
  };
}

/** Puts an open popover below what it belongs to, within the window. */
export function placeBelow(body: HTMLElement, button: HTMLElement): void {
  const { left, bottom } = button.getBoundingClientRect();
  const room = window.innerWidth - body.offsetWidth - GAP;
  body.style.left = `${Math.max(GAP, Math.min(left, room))}px`;
  body.style.top = `${bottom + GAP}px`;
  body.style.maxHeight = `${Math.max(120, window.innerHeight - bottom - 3 * GAP)}px`;
}
