import { pushButton } from './dom.ts';
import type { ViewState } from './state.ts';
import type { Store } from './store.ts';

type Theme = ViewState['theme'];

const THEMES: readonly { readonly theme: Theme; readonly label: string }[] = [
  { theme: 'system', label: 'Theme: system' },
  { theme: 'light', label: 'Theme: light' },
  { theme: 'dark', label: 'Theme: dark' },
];

/** A button that goes round system, light and dark; it also keeps the page in the state's theme. */
export function themeButton(page: Document, store: Store): HTMLElement {
  const button = pushButton('quiet', '', () =>
    store.change({ theme: nextTheme(store.get()) }, 'adjust'),
  );
  const show = ({ theme }: ViewState) => {
    page.documentElement.dataset.theme = theme;
    button.textContent = THEMES.find((entry) => entry.theme === theme)?.label ?? '';
  };
  store.subscribe(show);
  show(store.get());
  return button;
}

export function nextTheme({ theme }: ViewState): Theme {
  const at = THEMES.findIndex((entry) => entry.theme === theme);
  return THEMES[(at + 1) % THEMES.length].theme;
}

/** Calls `draw` when what canvases take from the style sheet has changed. */
export function onColoursChange(page: Window, store: Store, draw: () => void): void {
  page.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
  store.subscribe((state, previous) => {
    if (state.theme !== previous.theme) draw();
  });
}
