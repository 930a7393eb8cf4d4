import { element, pushButton } from './dom.ts';

/** One key of the page. */
export type KeyBinding = {
  /** The key as `KeyboardEvent.key` has it: `?`, `Escape`, `ArrowLeft`. */
  readonly key: string;
  /** The effect of the key, for the list of keys. */
  readonly does: string;
  /** Null: the key is listed here, and handled by the element that has the focus. */
  readonly run: (() => void) | null;
};

const KEY_NAMES: Readonly<Record<string, string>> = {
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  Escape: 'Esc',
};

/** Runs the bindings that `current` gives, except while a person types or with a modifier held. */
export function listenToKeys(page: Document, current: () => readonly KeyBinding[]): void {
  page.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (takesText(event.target) || page.querySelector('dialog[open]') !== null) return;
    // It closes the popover, whichever element has the focus; Firefox does not if the default is prevented.
    if (event.key === 'Escape' && page.querySelector(':popover-open') !== null) return;
    if (event.key === 'Enter' && isActivated(event.target)) return;
    const binding = current().find(({ key, run }) => key === event.key && run !== null);
    if (binding === undefined) return;
    event.preventDefault();
    binding.run?.();
  });
}

/** The list of keys, as a dialog of its own. */
export function showKeys(page: Document, groups: readonly KeyGroup[]): void {
  const dialog = element('dialog', 'key-list', element('h2', '', 'Keys'));
  dialog.setAttribute('aria-label', 'Keys');
  for (const { title, bindings } of groups) {
    if (bindings.length === 0) continue;
    const list = element('dl');
    for (const { key, does } of bindings) {
      const name = element('kbd', '', KEY_NAMES[key] ?? key);
      list.append(element('div', '', element('dt', '', name), element('dd', 'says', does)));
    }
    dialog.append(element('h3', '', title), list);
  }
  dialog.append(pushButton('', 'Close', () => dialog.close()));
  dialog.addEventListener('close', () => dialog.remove());
  page.body.append(dialog);
  dialog.showModal();
}

export type KeyGroup = { readonly title: string; readonly bindings: readonly KeyBinding[] };

function takesText(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement)
    return !['checkbox', 'radio', 'range'].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

/** Links, buttons and the like do something of their own when Enter is pressed on them. */
function isActivated(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(ACTIVATED) !== null;
}

const ACTIVATED =
  'a[href], button, summary, [role="button"], [role="link"], [role="menuitem"], [role="option"], [role="tab"]';
