import { compileLinear } from './linear-regex.ts';

export type Query = {
  readonly matches: (name: string) => boolean;
  /** The part that could not be understood, null if all was. */
  readonly problem: string | null;
};

/** Names are matched for so long; then the search is given up. */
const MOST_MS = 200;
/** Names between two looks at the clock. */
const NAMES_AT_ONCE = 64;

/**
 * The query that a person typed into the search field: plain text, found anywhere, whatever its
 * case; or `/regular expression/`. An expression that does not compile is taken as plain text, so
 * that typing one never fails half-way. Null for an empty field. No expression takes for ever on
 * one name: those that could are matched without backtracking, or not at all.
 */
export function parseQuery(typed: string): Query | null {
  const text = typed.trim();
  if (text === '') return null;
  if (text.length > 2 && text.startsWith('/') && text.endsWith('/')) {
    return parseExpression(text.slice(1, -1)) ?? findText(text, NO_EXPRESSION);
  }
  return findText(text, null);
}

const NO_EXPRESSION = 'not a regular expression; searched as text';
const MAY_NOT_END =
  'look-around, back-references and very large repetitions may take for ever beside * and +: not searched';

/** Null if it does not compile. */
function parseExpression(source: string): Query | null {
  let expression: RegExp;
  try {
    expression = new RegExp(source, 'i');
  } catch {
    return null;
  }
  if (!mayBacktrack(source)) return { matches: (name) => expression.test(name), problem: null };
  const matches = compileLinear(source);
  if (matches === null) return { matches: () => false, problem: MAY_NOT_END };
  return { matches, problem: null };
}

/** Each choice at most doubles what is tried. */
const FEW_CHOICES = 8;

/** False where at most one thing repeats, and that is a single char: a name's square at the worst. */
function mayBacktrack(source: string): boolean {
  const bare = source.replace(/\\./g, '.').replace(/\[[^\]]*\]/g, '.');
  const repeated = bare.match(/.?(?:[*+]|\{\d*,?\d*\})/g) ?? [];
  const choices = bare.match(/[?|]/g) ?? [];
  return (
    repeated.length > 1 ||
    repeated.some((part) => part.startsWith(')')) ||
    choices.length > FEW_CHOICES
  );
}

function findText(text: string, problem: string | null): Query {
  const needle = text.toLowerCase();
  return { matches: (name) => name.toLowerCase().includes(needle), problem };
}

/** Which of so many things a query matches, and what is to be said of it. */
export type Matched = {
  /** 1: matches. All 0 where it was given up. */
  readonly flags: Uint8Array;
  readonly problem: string | null;
};

/** Asks `isMatch` of `count` things, one by one, for `MOST_MS` at the most. */
export function matchAll(
  query: Query,
  count: number,
  isMatch: (index: number) => boolean,
  now: () => number = () => performance.now(),
): Matched {
  const flags = new Uint8Array(count);
  const end = now() + MOST_MS;
  for (let index = 0; index < count; index++) {
    if (index % NAMES_AT_ONCE === 0 && now() > end) {
      return {
        flags: new Uint8Array(count),
        problem: `stopped after ${MOST_MS} ms`,
      };
    }
    flags[index] = isMatch(index) ? 1 : 0;
  }
  return { flags, problem: query.problem };
}
