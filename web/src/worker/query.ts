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
