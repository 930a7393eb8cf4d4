import type { KindGroup } from './worker/messages/kind-group.ts';
import './kinds.css';

const TITLES: Readonly<Record<KindGroup, string>> = {
  own: 'your code',
  dependency: 'dependencies',
  node: 'Node',
  v8: 'V8',
  gc: 'GC',
  standard: 'standard library',
  libc: 'libc',
  native: 'native',
  kernel: 'kernel',
  unknown: 'unknown',
};

export const groupTitle = (group: KindGroup): string => TITLES[group];

/** A colour of the style sheet, light or dark as the page is. */
export const groupColour = (group: KindGroup): string => `var(--kind-${group})`;
