import { UsageError } from '../base/errors.ts';
import { nearestName } from '../base/nearest-names.ts';
import { words } from '../base/words.ts';
import { type Door, isNegated, type OptionRow, type OptionTable } from './option.ts';
import { fitted } from './option-error.ts';

/**
 * Checks what a program passes, before anything is done: names, values, and options that cannot be together. `what`
 * takes the options, with its article: `a recording`. Throws `UsageError`, for a value `OptionError`.
 */
export function checkOptions(table: OptionTable, given: unknown, what: string): void {
  if (typeof given !== 'object' || given === null) {
    throw new UsageError(`${what} takes its options as an object, not ${String(given)}`);
  }
  const names = Object.keys(table).filter((key) => !table[key].onlyCommand);
  for (const [name, value] of Object.entries(given)) {
    if (!names.includes(name)) {
      const nearest = nearestName(name, names);
      throw new UsageError(
        `${JSON.stringify(name)} is no option of ${what}`,
        nearest === undefined ? [] : [`did you mean ${nearest}?`],
      );
    }
    if (value !== undefined) checkValue(table[name], value);
  }
  checkTogether(table, given);
}

function checkValue(row: OptionRow<unknown, Door>, value: unknown): void {
  if (row.fields !== null) {
    checkOptions(row.fields, value, row.inLibrary);
    return;
  }
  fitted(row, row.kind, value, () => row.kind.has(value) || undefined);
}

/** Throws `UsageError` for options that exclude each other, and for one without the one that it belongs to. */
export function checkTogether(table: OptionTable, given: object): void {
  const values = given as Readonly<Record<string, unknown>>;
  const isThere = (key: string) => values[key] !== undefined && values[key] !== false;
  for (const [key, row] of Object.entries(table)) {
    // An option that can only be turned off is given by false.
    const isOnlyNo = row.flags.length > 0 && row.flags.every(isNegated);
    if (!isThere(key) && !(isOnlyNo && values[key] === false)) continue;
    const { excludes = {}, needs } = row.declared;
    for (const [other, why] of Object.entries(excludes)) {
      if (isThere(other)) {
        throw new UsageError(words`${row} and ${table[other]} exclude each other: ${why}`);
      }
    }
    if (needs !== undefined && !isThere(needs)) {
      throw new UsageError(words`${row} goes with ${table[needs]}`);
    }
  }
}
