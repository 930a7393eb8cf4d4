import { UsageError } from '../base/errors.ts';
import { nearestName } from '../base/nearest-names.ts';
import { words } from '../base/words.ts';
import { Misfit } from './kinds.ts';
import type { OptionRow, OptionTable } from './option.ts';
import { OptionError } from './option-error.ts';

/**
 * Checks what a program passes, before anything is done: names, values, and options that cannot be together. `what`
 * takes the options, with its article: `a recording`. Throws `UsageError`, for a value `OptionError`.
 */
export function checkOptions(table: OptionTable, given: unknown, what: string): void {
  if (typeof given !== 'object' || given === null) {
    throw new UsageError(`${what} takes its options as an object, not ${String(given)}`);
  }
  const names = Object.keys(table).filter((key) => !isOfCommand(table[key]));
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

function isOfCommand({ onlyCommand }: OptionRow<unknown, 'both' | 'command'>): boolean {
  return onlyCommand;
}

function checkValue(row: OptionRow<unknown, 'both' | 'command'>, value: unknown): void {
  if (row.fields !== null) {
    checkOptions(row.fields, value, row.inLibrary);
    return;
  }
  try {
    if (row.kind.has(value)) return;
  } catch (error) {
    if (error instanceof Misfit) throw misfit(row, error, value);
    throw error;
  }
  throw new OptionError(row, `expected ${row.kind.expected}`, { given: value });
}

export function misfit(
  row: ConstructorParameters<typeof OptionError>[0],
  { message, hints }: Misfit,
  given: unknown,
): OptionError {
  return new OptionError(row, message, { given, hints });
}

/** Throws `UsageError` for options that exclude each other, and for one without the one that it belongs to. */
export function checkTogether(table: OptionTable, given: object): void {
  const values = given as Readonly<Record<string, unknown>>;
  const isThere = (key: string) => values[key] !== undefined && values[key] !== false;
  for (const [key, row] of Object.entries(table)) {
    // What can only be turned off is asked for by false.
    const isOnlyNo = row.flags.length > 0 && row.flags.every(({ flags }) => /^--no-/.test(flags));
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
