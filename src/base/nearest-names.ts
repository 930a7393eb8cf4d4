const MOST_NAMES = 4;

/** Shorter names begin too many words. */
const SHORTEST_BEGINNING = 4;

/**
 * Names that `wanted` may have been meant to be, best first: few typing errors away (at most one
 * in three characters), or with `wanted` as a part.
 */
export function nearestNames(wanted: string, names: Iterable<string>): string[] {
  const key = wanted.toLowerCase();
  const limit = Math.max(1, Math.floor(key.length / 3));
  const found: { name: string; distance: number; shared: number }[] = [];
  for (const name of new Set(names)) {
    const other = name.toLowerCase();
    const distance = editDistance(key, other, limit);
    const isPart = key.length >= 3 && other.includes(key);
    if (distance > limit && !isPart) continue;
    // A part is a worse guess than any name within reach of typing errors.
    found.push({ name, distance: Math.min(distance, limit + 1), shared: sharedStart(key, other) });
  }
  found.sort(
    (a, b) =>
      a.distance - b.distance ||
      b.shared - a.shared ||
      a.name.length - b.name.length ||
      (a.name < b.name ? -1 : 1),
  );
  return found.slice(0, MOST_NAMES).map(({ name }) => name);
}

/** The name that `wanted` was meant to be: few typing errors away, or its beginning; undefined: none. */
export function nearestName(wanted: string, names: readonly string[]): string | undefined {
  const [nearest] = nearestNames(wanted, names);
  return (
    nearest ?? names.find((name) => name.length >= SHORTEST_BEGINNING && wanted.startsWith(name))
  );
}

function sharedStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

/**
 * Characters to insert, delete, replace or swap with their neighbour to get from `a` to `b`
 * (optimal string alignment); any number above `limit` once it is known to be above.
 */
export function editDistance(a: string, b: string, limit = Number.POSITIVE_INFINITY): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  // Three rows of the table: row[j] is the distance from a's first i characters to b's first j.
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replace = last[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      let best = Math.min(replace, last[j] + 1, row[j - 1] + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, beforeLast[j - 2] + 1);
      }
      row.push(best);
    }
    if (Math.min(...row) > limit) return limit + 1;
    beforeLast = last;
    last = row;
  }
  return last[b.length];
}
