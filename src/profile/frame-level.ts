import { NONE } from '../base/brand.ts';

/**
 * How much of a program is shown, from everything to its author's functions:
 *
 *     all          every frame, as it was recorded and named
 *     main         from main and thread functions on: what starts these is left out
 *     javascript   functions of JavaScript; native runs are one frame that states their kind
 *     own          of JavaScript, functions outside node_modules and Node; of native programs,
 *                  those of the executable; all else is a kind
 *
 * A process without JavaScript is at `javascript` as at `main`.
 */
export const FRAME_LEVELS = ['all', 'main', 'javascript', 'own'] as const;
/** One of `FRAME_LEVELS`. */
export type FrameLevel = (typeof FRAME_LEVELS)[number];

/**
 * Whether a function stands for a kind of code, `(garbage collector)`, and for no symbol. Functions of
 * JavaScript without a name, `(anonymous) app.js:3`, lie in a DSO.
 */
export function isKindOfCode(name: string, dso: number): boolean {
  return dso === NONE && name.startsWith('(') && name.endsWith(')');
}
