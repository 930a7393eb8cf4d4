// Lines that a page claims a command prints.
//
//   counted {195000–230000} events in {50–9000} samples      figures between two bounds
//   {40–80}% … map callback in parse                         … is any text
//   CPU time: {0.9–1.6} s                                    1.2 s as well as 950 ms
//
// How many spaces stand between words is of no matter. A line that a page shows has the same shape as the one that is
// printed today: the same words, whatever the figures and their units are.

const NUMBER = String.raw`\d{1,3}(?:[ \u202f]\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?`;
const RANGE = /\{(-?[\d.]+)–(-?[\d.]+)\}(?: (ns|µs|ms|s)\b)?/g;
/** Nanoseconds. */
const UNITS: Readonly<Record<string, number>> = { ns: 1, µs: 1e3, ms: 1e6, s: 1e9 };
const TIME = String.raw`\s+(${Object.keys(UNITS).join('|')})`;

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
const numberIn = (text: string): number => Number(text.replace(/[ \u202f]/g, ''));

/** All figures of a line. */
export const numbersIn = (line: string): number[] =>
  [...line.matchAll(new RegExp(NUMBER, 'gu'))].map(([text]) => numberIn(text));

/** Whether a line has the text of a pattern, with figures that lie in its ranges. */
export function hasPattern(line: string, pattern: string): boolean {
  const ranges = [...pattern.matchAll(RANGE)];
  const text = pattern
    .split(/\{[^}]*–[^}]*\}(?: (?:ns|µs|ms|s)\b)?/)
    .map((piece) => escaped(piece).replaceAll('…', '.*?').replace(/\s+/g, '\\s+'))
    .reduce(
      (all, piece, index) =>
        `${all}(-?(?:${NUMBER}))${ranges[index - 1][3] === undefined ? '()' : TIME}${piece}`,
    );
  const found = new RegExp(text, 'u').exec(line);
  if (found === null) return false;
  return ranges.every(([, low, high, unit = ''], index) => {
    const [number, printed] = found.slice(1 + 2 * index);
    const value = numberIn(number) * ((UNITS[printed] ?? 1) / (UNITS[unit] ?? 1));
    return Number(low) <= value && value <= Number(high);
  });
}

/** A line whatever its figures are and however wide its columns. */
export const shapeOf = (line: string): string =>
  line
    .replace(new RegExp(`(?<![\\w)])[-+](?=${NUMBER})`, 'gu'), '')
    .replace(new RegExp(`(?:${NUMBER})(?: (?:ns|µs|ms|s|min)\\b)`, 'gu'), 'T')
    .replace(new RegExp(`(?:${NUMBER})(?: [kMG]?B\\b)`, 'gu'), 'B')
    .replace(new RegExp(NUMBER, 'gu'), 'N')
    // A busy machine may lose samples; the law is that the closing line counts them.
    .replace(/\blost N \(N%\)/gu, 'none lost')
    // One comparison of equals in twenty comes out beyond its interval.
    .replace(/, as much as runs of one program may differ$/u, '')
    .replace(/\s+/g, ' ')
    .trim();

/** Whether a line that a page shows, with … for any text, has the shape of one that is printed. */
export function hasShape(printed: string, shown: string): boolean {
  const pieces = shapeOf(shown).split(/ ?… ?/);
  return new RegExp(`^${pieces.map(escaped).join('.*')}$`, 'u').test(shapeOf(printed));
}

/** Samples for each second of CPU time, in the head of a report; null: the line has none. */
export function samplesPerSecond(line: string): number | null {
  const found = new RegExp(`(${NUMBER}) samples, (${NUMBER}) (ms|s) of CPU time`, 'u').exec(line);
  if (found === null) return null;
  const seconds = numberIn(found[2]) / (found[3] === 'ms' ? 1000 : 1);
  return numberIn(found[1]) / seconds;
}

/** The samples that a line counts; null: none. */
export function samplesOf(line: string): number | null {
  const found = new RegExp(`(${NUMBER}) samples\\b`, 'u').exec(line);
  return found === null ? null : numberIn(found[1]);
}

/** How far a sum in a line is from what it should be, `a events = b … + c …`; null: the line has no sum. */
export function errorOfSum(line: string): number | null {
  const found = new RegExp(`(${NUMBER}) events = (.+)$`, 'u').exec(line);
  if (found === null) return null;
  const terms = [...found[2].matchAll(new RegExp(`(?:^|\\+ )(${NUMBER}) `, 'gu'))];
  return terms.reduce((sum, [, term]) => sum + numberIn(term), -numberIn(found[1]));
}
