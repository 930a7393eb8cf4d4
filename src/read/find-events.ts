import { UsageError } from '../base/errors.ts';

/**
 * The rows of `names` that `-e wanted` means: those with this name; else those that have it but for
 * what perf adds to it in files, where all of them are one event.
 *
 *     cycles:HG                   cycles
 *     cpu_core/cycles/P           cpu_core/cycles/
 *     cpu-clock/period=1000000/   cpu-clock
 *
 * Throws `UsageError` for a name that none or several have.
 */
export function findEvents(names: readonly string[], wanted: string): number[] {
  const rowsWith = (isMeant: (name: string) => boolean): number[] =>
    names.flatMap((name, row) => (isMeant(name) ? [row] : []));
  const exact = rowsWith((name) => name === wanted);
  if (exact.length > 0) return exact;
  for (const shorten of [withoutModifiers, withoutTerms]) {
    const rows = rowsWith((name) => shorten(name) === wanted);
    if (rows.length > 0 && new Set(rows.map((row) => names[row])).size === 1) return rows;
  }
  throw new UsageError(`no event named ${wanted} in this recording`, [
    `it has: ${[...new Set(names)].join(', ')}`,
  ]);
}

function withoutModifiers(name: string): string {
  return name.replace(/:[ukhGHpPSDWebI]+$|(?<=\/)[a-zA-Z]+$/, '');
}

/** Terms of a PMU's event say which it is: only those of events with a name of their own go. */
function withoutTerms(name: string): string {
  const match = /^([^/]+)\/([^/]*)\/[a-zA-Z]*$/.exec(name);
  const [, event = name, terms = ''] = match ?? [];
  const areOfPerf = /^((period|freq|call-graph|stack-size|max-stack|name|time)=[^,]*,?)+$/;
  return match !== null && areOfPerf.test(terms) ? event : name;
}
