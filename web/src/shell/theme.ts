import { pushButton } from '../dom/dom.ts';
import type { ViewState } from '../state/state.ts';
import type { Store } from '../state/store.ts';
import { themeAfter } from './theme-order.ts';

type Theme = ViewState['theme'];

const THEMES: readonly { readonly theme: Theme; readonly label: string; readonly named: string }[] =
  [
    { theme: 'system', label: '◐', named: 'Theme: as the system has it' },
    { theme: 'light', label: '○', named: 'Theme: light' },
    { theme: 'dark', label: '●', named: 'Theme: dark' },
  ];

/** A button that goes round system, light and dark; it also keeps the page in the state's theme. */
export function themeButton(page: Document, store: Store): HTMLElement {
  const button = pushButton('icon', '', () =>
    store.change({ theme: nextTheme(store.get()) }, 'adjust'),
  );
  const show = ({ theme }: ViewState) => {
    page.documentElement.dataset.theme = theme;
    const { label, named } = THEMES.find((entry) => entry.theme === theme) ?? THEMES[0];
    button.textContent = label;
    button.title = named;
    button.setAttribute('aria-label', named);
  };
  store.subscribe(show);
  show(store.get());
  return button;
}

/** The theme after this one, on this machine. */
export function nextTheme({ theme }: ViewState): Theme {
  return themeAfter(theme, window.matchMedia('(prefers-color-scheme: dark)').matches);
}

/** Calls `draw` when what canvases take from the style sheet has changed. */
export function onColoursChange(page: Window, store: Store, draw: () => void): void {
  page.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
  store.subscribe((state, previous) => {
    if (state.theme !== previous.theme) draw();
  });
}
