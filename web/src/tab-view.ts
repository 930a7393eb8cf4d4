import type { KeyBinding } from './keys.ts';
import type { Tab, ViewState } from './state.ts';

/** What fills the panel of a tab. */
export type TabView = {
  readonly root: HTMLElement;
  /**
   * Draws `state`: when the tab is opened, and at every change while it is open. Not called while it
   * is hidden, so elements have a size whenever it is.
   */
  show(state: ViewState): void;
  /** Called when another tab is opened: work under way may stop. */
  hide?(): void;
  /** Keys that work while the tab is open. */
  readonly keys?: readonly KeyBinding[];
};

export type TabDefinition = {
  readonly id: Tab;
  readonly label: string;
  /** Why the tab can't be opened; null if it can. */
  readonly unavailable?: string | null;
  /** Called once, when the tab is first opened. */
  create(): TabView;
};
