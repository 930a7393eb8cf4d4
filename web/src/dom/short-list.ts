export type Option<Value> = { readonly value: Value; readonly label: string };

/** A list of more is no list that anyone reads; it says how many are left out. */
const MOST_CHOICES = 500;

/** The first, and the chosen one wherever it stands: a lane or a link may have chosen it. */
export function shortList<Value>(
  options: readonly Option<Value>[],
  chosen: Value,
): readonly Option<Value>[] {
  const first = options.slice(0, MOST_CHOICES + 1);
  const at = options.findIndex(({ value }) => value === chosen);
  return at < first.length ? first : [...first, options[at]];
}
