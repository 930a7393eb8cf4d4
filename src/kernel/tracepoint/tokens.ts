import { PrintFmtError } from './errors.ts';

/** A token of C. `at` is its offset in the print fmt. */
export type Token = {
  readonly kind: 'name' | 'number' | 'string' | 'character' | 'operator' | 'end';
  /** The text as written; a string's with its escapes resolved. */
  readonly text: string;
  readonly at: number;
};

const SPACE = /\s+/y;
const NAME = /[A-Za-z_]\w*/y;
const NUMBER = /(?:0[xX][0-9a-fA-F]+|\d+)[uUlL]*/y;
const STRING = /"([^"\\]*(?:\\[\s\S][^"\\]*)*)"/y;
const CHARACTER = /'([^'\\]|\\[\s\S])'/y;
const OPERATOR = /->|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^~!<>?:.,()[\]{}=;]/y;

/** Splits a print fmt into tokens, an `end` at the end. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  while (at < text.length) {
    const space = match(SPACE);
    if (space !== null) {
      at += space[0].length;
      continue;
    }
    const string = match(STRING);
    const character = string ?? match(CHARACTER);
    const found = character ?? match(NAME) ?? match(NUMBER) ?? match(OPERATOR);
    if (found === null) throw new PrintFmtError(`character '${text[at]}' at ${at}`);
    const whole = found[0];
    if (string !== null) tokens.push({ kind: 'string', text: unescaped(string[1] ?? ''), at });
    else if (character !== null) {
      tokens.push({ kind: 'character', text: unescaped(character[1] ?? ''), at });
    } else if (/^[A-Za-z_]/.test(whole)) tokens.push({ kind: 'name', text: whole, at });
    else tokens.push({ kind: /^\d/.test(whole) ? 'number' : 'operator', text: whole, at });
    at += whole.length;
  }
  tokens.push({ kind: 'end', text: '', at });
  return tokens;
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['0', '\0'],
]);

function unescaped(text: string): string {
  return text.replace(/\\([\s\S])/g, (_, letter: string) => ESCAPES.get(letter) ?? letter);
}
