import { element, type PlaceInWindow, pushButton } from '../dom/dom.ts';

export type MenuItem = {
  readonly label: string;
  /** The key that does the same without the menu. */
  readonly key?: string;
  readonly run: () => void;
};

/** A menu beside a frame: arrow keys go through it, Escape and a click elsewhere close it. */
export function showMenu(title: string, items: readonly MenuItem[], at: PlaceInWindow): void {
  document.querySelector('.frame-menu')?.remove();
  const menu = element('div', 'frame-menu');
  menu.setAttribute('role', 'menu');
  menu.setAttribute('aria-label', title);
  const before = document.activeElement;
  const buttons = items.map(({ label, key, run }) => {
    const button = pushButton('', label, () => {
      close();
      run();
    });
    button.setAttribute('role', 'menuitem');
    button.title = label;
    if (key !== undefined) button.append(keyHint(button, key));
    return button;
  });
  menu.append(element('div', 'frame-menu-title', title), ...buttons);
  document.body.append(menu);
  const left = Math.min(at.x, window.innerWidth - menu.offsetWidth - 8);
  const top = Math.min(at.y, window.innerHeight - menu.offsetHeight - 8);
  menu.style.left = `${Math.max(8, left)}px`;
  menu.style.top = `${Math.max(8, top)}px`;
  buttons[0]?.focus();

  function close(): void {
    menu.remove();
    document.removeEventListener('pointerdown', onPointer, { capture: true });
    if (before instanceof HTMLElement) before.focus();
  }
  const onPointer = (event: Event) => {
    if (!menu.contains(event.target as Node)) close();
  };
  document.addEventListener('pointerdown', onPointer, { capture: true });
  menu.addEventListener('keydown', (event) => {
    // Keys of the page must not act on what lies below.
    event.stopPropagation();
    const focused = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const to = { ArrowDown: focused + 1, ArrowUp: focused - 1, Home: 0, End: -1 }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      buttons.at(to % buttons.length)?.focus();
    } else if (event.key === 'Escape' || event.key === 'Tab') {
      event.preventDefault();
      close();
    }
  });
}

/** The key beside an item; it is no part of the item's name. */
function keyHint(button: HTMLElement, key: string): HTMLElement {
  button.setAttribute('aria-keyshortcuts', key);
  const hint = element('kbd', 'menu-key', key);
  hint.setAttribute('aria-hidden', 'true');
  return hint;
}
