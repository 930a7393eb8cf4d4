import { UsageError } from '../base/errors.ts';
import { checkTogether } from './check.ts';
import {
  type AskedOf,
  type Door,
  type Flag,
  fixedValue,
  isNegated,
  nameOf,
  type OptionRow,
  type OptionsOf,
  type OptionTable,
  takesWords,
} from './option.ts';
import { fitted } from './option-error.ts';

/** Words of a command line by commander's names of flags: true for a flag that stands alone. */
export type GivenFlags = Readonly<Record<string, unknown>>;

/** The values that the flags ask for; nothing for an option without one. Throws `UsageError`. */
export function readFlags<T extends OptionTable>(table: T, given: GivenFlags): AskedOf<T> {
  const asked: Record<string, unknown> = {};
  for (const [key, row] of Object.entries(table)) {
    const value = row.fields === null ? readOption(row, given) : fieldsOf(row.fields, given);
    if (value !== undefined) asked[key] = value;
  }
  checkTogether(table, asked);
  return asked as AskedOf<T>;
}

function fieldsOf(table: OptionTable, given: GivenFlags): object | undefined {
  const fields = readFlags(table, given);
  return Object.keys(fields).length === 0 ? undefined : fields;
}

/** A flag with words has precedence over those that stand for a value: `-g --call-graph dwarf`. */
function readOption(row: OptionRow<unknown, Door>, given: GivenFlags): unknown {
  const flags = row.flags.filter((flag) => isGiven(flag, given));
  const withWords = flags.find(takesWords);
  if (withWords !== undefined) return readWords(row, withWords, given[attributeOf(withWords)]);
  const [flag, another] = flags;
  if (another !== undefined) {
    throw new UsageError(`${nameOf(flag)} and ${nameOf(another)} exclude each other`);
  }
  if (flag === undefined) return undefined;
  return row.kind.again === 'count' ? given[attributeOf(flag)] : fixedValue(flag);
}

function isGiven(flag: Flag, given: GivenFlags): boolean {
  const value = given[attributeOf(flag)];
  // False is what `--no-…` of the same name leaves.
  if (value === undefined || takesWords(flag)) return value !== undefined && value !== false;
  return isNegated(flag) ? value === false : value !== false && value !== 0;
}

/** The value of the words behind a flag; `given` is true where it stands alone. Throws `OptionError`. */
export function readWords(row: OptionRow<unknown, Door>, flag: Flag, given: unknown): unknown {
  if (given === true) return flag.alone;
  const kind = flag.kind ?? row.kind;
  const name = { inLibrary: row.inLibrary, inCommand: nameOf(flag) };
  const read = (text: string): unknown => fitted(name, kind, text, () => kind.read(text));
  if (!Array.isArray(given)) return read(String(given));
  return given.flatMap((text) => read(String(text)));
}

/** Commander's name of a flag: `callGraph` of `--call-graph <how>`, `inherit` of `--no-inherit`, `g` of `-g`. */
export function attributeOf({ flags }: Flag): string {
  const long = /--(?:no-)?([a-z][\w-]*)/.exec(flags)?.[1];
  return (long ?? flags[1]).replace(/-([a-z0-9])/g, (_dash, letter: string) =>
    letter.toUpperCase(),
  );
}

/** The part of what was asked that a function of the library takes, whose table has it. */
export function forLibrary<T extends OptionTable>(table: T, asked: Partial<AskedOf<T>>) {
  const taken = Object.entries(asked).filter(([key]) => table[key]?.onlyCommand === false);
  return Object.fromEntries(taken) as OptionsOf<T>;
}
