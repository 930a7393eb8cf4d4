import { UsageError } from '../base/errors.ts';
import { nameOnAllCores } from './core-types.ts';
import type { CoreType } from './types.ts';

/**
 * The rows of `names` that `-e wanted` means: those with this name; else those that have it but for
 * what perf adds to it in files, where all of them are one event.
 *
 *     cycles:HG                   cycles
 *     cpu_core/cycles/P           cpu_core/cycles/
 *     cpu-clock/period=1000000/   cpu-clock
 *
 * With `coreTypes` `cycles` also means the event of each of these kinds of core.
 *
 * Throws `UsageError` for a name that none or several have; `recording` names the recording there.
 */
export function findEvents(
  names: readonly string[],
  wanted: string,
  coreTypes: readonly CoreType[] = [],
  recording = 'this recording',
): number[] {
  const onAllCores = names.map((name) => nameOnAllCores(name, coreTypes));
  for (const shown of coreTypes.length === 0 ? [names] : [names, onAllCores]) {
    for (const shorten of [asItIs, withoutModifiers, withoutTerms]) {
      const rows = shown.flatMap((name, row) => (shorten(name) === wanted ? [row] : []));
      if (rows.length > 0 && new Set(rows.map((row) => shown[row])).size === 1) return rows;
    }
  }
  throw new UsageError(`no event named ${wanted} in ${recording}`, [
    `it has: ${[...new Set(names)].join(', ')}`,
  ]);
}

function asItIs(name: string): string {
  return name;
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
