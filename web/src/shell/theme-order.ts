import type { ViewState } from '../state/state.ts';

type Theme = ViewState['theme'];

const LIGHT_FIRST: readonly Theme[] = ['system', 'light', 'dark'];
const DARK_FIRST: readonly Theme[] = ['system', 'dark', 'light'];

/** The theme after this one. What the system does not have comes first, so that the first step is seen. */
export function themeAfter(theme: Theme, isSystemDark: boolean): Theme {
  const order = isSystemDark ? LIGHT_FIRST : DARK_FIRST;
  return order[(order.indexOf(theme) + 1) % order.length];
}
