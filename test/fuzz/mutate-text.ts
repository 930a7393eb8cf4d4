import { below, pick, type Random } from './mutate-bytes.ts';

const NUMBERS = [
  '0',
  '-1',
  '1e309',
  'NaN',
  '4294967296',
  '9007199254740993',
  '18446744073709551615',
  '99999999999999999999999999',
  '0x',
  'ffffffffffffffffffffffff',
  '0.0000000000001',
  '',
];

const PIECES = [
  '\x1b]0;pwned\x07',
  '\x9b31m',
  '\u202e',
  '<img src=x onerror=alert(1)>',
  '__proto__',
  'constructor',
  '\0',
  '\r',
  '\n',
  '\n\n',
  '\t',
  ' ',
  ';',
  ',',
  ':',
  '/',
  '//',
  '\\',
  '"',
  "'",
  '{',
  '}',
  '[',
  ']',
  '(',
  ')',
  '*',
  '%',
  '?',
  '-',
  '@',
  '=',
  '\ud800',
  '\ufffd',
  'é',
];

/** `seed` with one to five changes: characters, numbers, words and lines, or a piece of `other`. */
export function mutateText(seed: string, other: string, random: Random): string {
  let text = seed;
  const changes = 1 + below(random, 5);
  for (let i = 0; i < changes; i++) text = change(text, other, random);
  return text;
}

function change(text: string, other: string, random: Random): string {
  const at = below(random, text.length + 1);
  const length = random() < 0.8 ? below(random, 6) : below(random, 200);
  switch (below(random, 11)) {
    case 0:
      return text.slice(0, at) + text.slice(at + length);
    case 1:
      return text.slice(0, at) + pick(random, PIECES) + text.slice(at + below(random, 3));
    case 2:
      return (
        text.slice(0, at) +
        pick(random, PIECES).repeat(2 ** below(random, random() < 0.02 ? 15 : 9)) +
        text.slice(at)
      );
    case 3:
    case 4:
      return withNumber(text, at, random);
    case 5:
      return (
        text.slice(0, at) +
        text.slice(at, at + length).repeat(2 + below(random, 60)) +
        text.slice(at)
      );
    case 6: {
      const from = below(random, other.length + 1);
      return text.slice(0, at) + other.slice(from, from + length) + text.slice(at);
    }
    case 7:
      return withLines(text, random);
    case 8: {
      const code = below(random, random() < 0.7 ? 128 : 65536);
      return text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1);
    }
    case 9:
      return random() < 0.3 ? text.slice(0, at) : text.slice(at) + text.slice(0, at);
    default:
      // Two places change places.
      return text.slice(at, at + length) + text.slice(0, at) + text.slice(at + length);
  }
}

/** The next number behind `at` replaced. */
function withNumber(text: string, at: number, random: Random): string {
  const match = /[0-9a-f]*[0-9][0-9a-f]*/.exec(text.slice(at, at + 400));
  if (match === null) return text;
  const start = at + match.index;
  return text.slice(0, start) + pick(random, NUMBERS) + text.slice(start + match[0].length);
}

/** A line doubled, left out or joined with the next. */
function withLines(text: string, random: Random): string {
  const lines = text.split('\n');
  const row = below(random, lines.length);
  const line = lines[row];
  const kind = below(random, 4);
  if (kind === 0) lines.splice(row, 1);
  else if (kind === 1) lines.splice(row, 0, line);
  else if (kind === 2) lines.splice(row, 2, line + (lines[row + 1] ?? ''));
  else lines.splice(below(random, lines.length), 0, ...lines.splice(row, 1 + below(random, 8)));
  return lines.join('\n');
}
