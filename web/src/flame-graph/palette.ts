import type { ColourName } from '../../../src/formats/export/frame-shades.ts';

/** The colours of the style sheet as `#rrggbb`, by name. */
export type Palette = (name: ColourName) => string;

/** The colours as the page is now, light or dark. */
export function readPalette(page: Document): Palette {
  const style = getComputedStyle(page.documentElement);
  const at = isDark(page) ? 1 : 0;
  const read = new Map<ColourName, string>();
  return (name) => {
    const known = read.get(name) ?? pick(style.getPropertyValue(`--kind-${name}`), at);
    read.set(name, known);
    return known;
  };
}

export function isDark(page: Document): boolean {
  const { colorScheme } = getComputedStyle(page.documentElement);
  if (colorScheme === 'dark' || colorScheme === 'light') return colorScheme === 'dark';
  return window.matchMedia('(prefers-color-scheme: dark)').matches;
}

/** One of `light-dark(#38b648, #29b84c)`: the browser gives the text of a variable as it stands. */
function pick(value: string, at: 0 | 1): string {
  const colours = value.match(/#[0-9a-f]{6}/g) ?? [];
  return colours[at] ?? colours[0] ?? '#cccccc';
}
