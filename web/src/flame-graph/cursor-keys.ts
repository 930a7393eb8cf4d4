import { undoEdit } from '../controls/frame-actions.ts';
import { invertKey, resetKey } from '../controls/tree-switches.ts';
import type { PlaceInWindow } from '../dom/dom.ts';
import type { KeyBinding } from '../dom/keys.ts';
import type { Store } from '../state/store.ts';
import type { FlameGraph } from './flame-graph.ts';
import type { FrameNode } from './frame-nodes.ts';

export type CursorKeys = {
  readonly store: Store;
  readonly chart: () => FlameGraph | null;
  readonly onEnter: (node: FrameNode) => void;
  readonly onMenu: (node: FrameNode, at: PlaceInWindow) => void;
};

/** Keys that move through a flame graph, as it stands: up is inwards only where it is a flame. */
export function cursorKeys({ store, chart, onEnter, onMenu }: CursorKeys): KeyBinding[] {
  const move = (flame: 'caller' | 'callee', icicle: 'caller' | 'callee') => () =>
    chart()?.moveCursor(store.get().shape === 'flame' ? flame : icicle);
  const enter = () => {
    const cursor = chart()?.cursor;
    if (cursor) onEnter(cursor);
  };
  const menu = () => {
    const drawn = chart();
    const target = drawn?.target;
    if (drawn && target) onMenu(target, drawn.placeInWindow(target));
  };
  return [
    { key: 'ArrowUp', does: 'frame above', run: move('callee', 'caller') },
    { key: 'ArrowDown', does: 'frame below', run: move('caller', 'callee') },
    { key: 'ArrowLeft', does: 'frame to the left', run: () => chart()?.moveCursor('left') },
    { key: 'ArrowRight', does: 'frame to the right', run: () => chart()?.moveCursor('right') },
    { key: 'Enter', does: 'zoom into the frame', run: enter },
    {
      key: 'Backspace',
      does: 'zoom out by one frame, then undo edits',
      run: () => stepBack(store),
    },
    { key: 'o', does: 'open the menu of the frame', run: menu },
    invertKey(store),
    resetKey(store),
  ];
}

function stepBack(store: Store): void {
  const { zoom } = store.get();
  if (zoom.length > 0) store.change({ zoom: zoom.slice(0, -1) });
  else undoEdit(store);
}
