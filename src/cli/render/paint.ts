/** Codes that turn a style on and off again (ECMA-48, SGR). */
const STYLES = {
  bold: [1, 22],
  dim: [2, 22],
  inverse: [7, 27],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

/** Functions, one for each style, that give a text this style. Styles do not nest. */
export type Paint = { readonly [style in keyof typeof STYLES]: (text: string) => string };

/** Returns texts as they are where there is no `colour`. */
export function createPaint(colour: boolean): Paint {
  const paints = Object.entries(STYLES).map(([style, [on, off]]) => [
    style,
    colour ? (text: string) => `\x1b[${on}m${text}\x1b[${off}m` : (text: string) => text,
  ]);
  return Object.fromEntries(paints) as Paint;
}
