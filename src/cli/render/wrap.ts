import { displayWidth } from './display-width.ts';

/** Breaks `text` at spaces into lines of at most `width` columns; a longer word keeps its line. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(BREAK)) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && displayWidth(longer) > width) {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  lines.push(line);
  return lines;
}

/** A space, but not one within a number: `1 234 567`. */
const BREAK = / (?!\d{3}(?!\d))/;
