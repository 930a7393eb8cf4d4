import type { FlameTree } from '../../src/export/flame-graph-data.ts';

export type Query = {
  readonly matches: (name: string) => boolean;
  /** What could not be understood, null if all was. */
  readonly problem: string | null;
};

/**
 * What a person typed into the search field: plain text, found anywhere, whatever its case; or
 * `/regular expression/`. An expression that does not compile is taken as plain text, so that
 * typing one never fails half-way. Null for an empty field.
 */
export function parseQuery(typed: string): Query | null {
  const text = typed.trim();
  if (text === '') return null;
  let problem: string | null = null;
  if (text.length > 2 && text.startsWith('/') && text.endsWith('/')) {
    try {
      const expression = new RegExp(text.slice(1, -1), 'i');
      return { matches: (name) => expression.test(name), problem };
    } catch {
      problem = 'not a regular expression; searched as text';
    }
  }
  const needle = text.toLowerCase();
  return { matches: (name) => name.toLowerCase().includes(needle), problem };
}

/** Which labels match, one flag per label: names are tested once, however often they are drawn. */
export function matchLabels(names: readonly string[], query: Query): Uint8Array {
  return Uint8Array.from(names, (name) => (query.matches(name) ? 1 : 0));
}

export type Matched = {
  /** Weight of the stacks with a match on them, each counted once. */
  readonly weight: number;
  readonly rows: number;
};

/** A match below another one adds nothing. One pass, since parents come before children. */
export function sumMatches(tree: FlameTree, isMatch: Uint8Array): Matched {
  const isBelowMatch = new Uint8Array(tree.prefix.length);
  let weight = 0;
  let rows = 0;
  for (let row = 0; row < tree.prefix.length; row++) {
    const parent = tree.prefix[row] as number;
    const inherited = parent >= 0 ? (isBelowMatch[parent] as number) : 0;
    const own = isMatch[tree.label[row] as number] as number;
    rows += own;
    if (own === 1 && inherited === 0) weight += tree.total[row] as number;
    isBelowMatch[row] = own | inherited;
  }
  return { weight, rows };
}
