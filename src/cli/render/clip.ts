import { displayWidth } from './display-width.ts';

/** `text` in at most `columns` columns; what is cut off shows as `…`. Printable text only. */
export function clip(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  let width = 1;
  let kept = '';
  for (const character of text) {
    width += displayWidth(character);
    if (width > columns) break;
    kept += character;
  }
  return columns > 0 ? `${kept}…` : '';
}
