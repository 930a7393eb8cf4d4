import type { KeyBinding } from '../dom/keys.ts';
import type { Tab, ViewState } from '../state/state.ts';
import type { FrameKey } from '../worker/messages/messages.ts';

/** The view that fills the panel of a tab. */
export type TabView = {
  readonly root: HTMLElement;
  /**
   * Draws `state`: when the tab is opened, and at every change while it is open. Not called while it
   * is hidden, so elements have a size whenever it is.
   */
  show(state: ViewState): void;
  /** Brings a match of the search into view, and zooms into nothing. Called after `show`. */
  reveal?(match: ShownMatch): void;
  /** Called when another tab is opened: work under way may stop. */
  hide?(): void;
  /** Keys that work while the tab is open. */
  readonly keys?: readonly KeyBinding[];
};

/** The match of a search that is to be seen. */
export type ShownMatch = {
  /** Path from the root, as `ViewState.zoom` has it. */
  readonly path: readonly FrameKey[];
  /** Paths of the matches, the heaviest first. */
  readonly others: readonly (readonly FrameKey[])[];
  /** Somebody went to it, and the cursor goes with them; otherwise it is the heaviest, while they type. */
  readonly isGoneTo: boolean;
  /** Keys that follow are meant for it. */
  readonly takesFocus: boolean;
};

export type TabDefinition = {
  readonly id: Tab;
  readonly label: string;
  /** It shows the tree of calls, so that searching it and turning it round make sense. */
  readonly showsTree?: boolean;
  /** Why the tab can't be opened; null if it can. */
  readonly unavailable?: string | null;
  /** Called once, when the tab is first opened. */
  create(): TabView;
};
