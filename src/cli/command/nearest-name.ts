import { nearestNames } from '../../kernel/events/nearest-names.ts';

/** Shorter names begin too many words. */
const SHORTEST_BEGINNING = 4;

/** The name that `wanted` was meant to be: few typing errors away, or its beginning; undefined: none. */
export function nearestName(wanted: string, names: readonly string[]): string | undefined {
  const [nearest] = nearestNames(wanted, names);
  return (
    nearest ?? names.find((name) => name.length >= SHORTEST_BEGINNING && wanted.startsWith(name))
  );
}
