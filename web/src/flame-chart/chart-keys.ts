import type { KeyBinding } from '../dom/keys.ts';
import type { BoxDirection } from './box-search.ts';

/** The actions of keys while the chart has the focus. */
export type KeyActions = {
  readonly move: (direction: BoxDirection) => void;
  readonly enter: () => void;
  readonly back: () => void;
  readonly menu: () => void;
  readonly choose: () => void;
};

const MOVES: Readonly<Record<string, BoxDirection>> = {
  ArrowUp: 'caller',
  ArrowDown: 'callee',
  ArrowLeft: 'previous',
  ArrowRight: 'next',
};

/** Does what a key means; false: nothing. */
export function runChartKey(key: string, actions: KeyActions): boolean {
  const direction = MOVES[key];
  if (direction !== undefined) actions.move(direction);
  else if (key === 'Enter') actions.enter();
  else if (key === 'Escape' || key === 'Backspace') actions.back();
  else if (key === 'o') actions.menu();
  else if (key === ' ') actions.choose();
  else return false;
  return true;
}

/** The list of these keys; the chart itself takes them. */
export const chartKeys: readonly KeyBinding[] = [
  { key: 'ArrowUp', does: 'chart, with ↓: to the caller, to the longest callee', run: null },
  { key: 'ArrowLeft', does: 'chart, with →: to the box before, behind', run: null },
  { key: 'Enter', does: 'chart: zoom to the box', run: null },
  { key: 'Escape', does: 'chart: back to what was shown before', run: null },
  { key: 'Space', does: 'chart: select the function', run: null },
  { key: 'o', does: 'chart: menu of the box: hide, focus, merge …', run: null },
  { key: 'Wheel', does: 'chart: zoom; Shift: scroll; Shift and drag: move', run: null },
];
