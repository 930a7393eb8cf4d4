import { UsageError } from './errors.ts';
import { nearestName } from './nearest-names.ts';

/**
 * Throws UsageError for a name that no option has: JavaScript lets it through, and something else than
 * was asked for would be done. `what` takes the options, with its article: `a recording`.
 */
export function checkOptionNames(options: object, names: readonly string[], what: string): void {
  for (const name of Object.keys(options)) {
    if (names.includes(name)) continue;
    const nearest = nearestName(name, names);
    throw new UsageError(
      `${JSON.stringify(name)} is no option of ${what}`,
      nearest === undefined ? [] : [`did you mean ${nearest}?`],
    );
  }
}
