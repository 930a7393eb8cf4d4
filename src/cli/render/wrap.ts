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

/** Pauses of a remark, and what stands in front of a command: lines are broken there, so that what is to be typed stays whole. */
const PAUSE = /(?<= ·|[:;,]) | (?=\(perf-ts )/;

/** The begin of a remark, by that of the lines which go on with it. */
const GOES_ON: ReadonlyMap<string | undefined, string> = new Map([
  ['#', '#  '],
  ['perf-ts:', ' '],
]);

/** A line of at most `width` columns where it is a remark, `# …` or `perf-ts: …`, with pauses to break it at; other lines as they are. */
export function wrapRemark(line: string, width: number): string[] {
  const [lead] = line.split(' ', 1);
  const goesOn = GOES_ON.get(lead);
  if (goesOn === undefined || displayWidth(line) <= width) return [line];
  const lines: string[] = [];
  let begun = lead;
  for (const part of line.slice(lead.length + 1).split(PAUSE)) {
    const longer = `${begun} ${part}`;
    if (begun === lead || displayWidth(longer) <= width) {
      begun = longer;
    } else {
      lines.push(begun.replace(/ ·$/, ''));
      begun = `${goesOn} ${part}`;
    }
  }
  return [...lines, begun];
}
