import type { NamedOption } from '../base/words.ts';
import type { Kind } from './kinds.ts';

/** One way to set an option on a command line. */
export type Flag = {
  /** The flag in commander's form: `-F, --freq <hz>`, `--off-cpu [=only]`, `--no-inherit`. */
  readonly flags: string;
  /** A line of help; absent: an alias, of perf say, that works and is not shown. */
  readonly help?: string;
  /** The value that a flag without words stands for; default true, of `--no-…` false. */
  readonly value?: unknown;
  /** The value where the words of `[=words]` are left out. */
  readonly alone?: unknown;
  /** Reads the words of this flag, where that is not the option's own kind: perf's `--timeout <ms>`. */
  readonly kind?: Kind<unknown>;
  /** A user can set its default, in the configuration file or by a variable. */
  readonly configurable?: true;
  /** One of the options that most lines need: `-h` lists these alone. */
  readonly isCommon?: true;
};

/** How an option is set, and with which others. Options are named by their keys. */
export type Declared = Omit<Flag, 'flags'> & {
  /** One flag, which `help` and the like are about, or several. Absent: an option of the library only. */
  readonly flags?: string | readonly Flag[];
  /** The value as it would be typed that the command line takes where nobody gives one. */
  readonly default?: string;
  /** The command line has to give it. */
  readonly mandatory?: true;
  /** Options that cannot be given with this one, and why: `sample by frequency or by count`. */
  readonly excludes?: Readonly<Record<string, string>>;
  /** The option that this one means nothing without. */
  readonly needs?: string;
  /** Options that make the user's default of this one void where they are given, beside those that it excludes. */
  readonly givesWayTo?: readonly string[];
};

/** Hears of each notice, one sentence: with options by their keys, and by the flags of the command. */
export type NoticeListener = (notice: string, inFlags: string, isDetail?: boolean) => void;

/** The takers of an option: the library and a command, or a command alone. */
export type Door = 'both' | 'command';

/** A row of a table of options. In texts it stands for its name: words`${RECORD.freq}`. */
export class OptionRow<V, D extends Door = 'both', Always extends boolean = boolean>
  implements NamedOption
{
  /** The name in the library; set by the table. */
  key = '';
  /** Heading in help; set by `inGroup`. */
  group = '';
  /** Only for types: who takes it, and whether a command line always has a value of it. */
  readonly door?: D;
  readonly always?: Always;
  readonly kind: Kind<V>;
  readonly declared: Declared;
  readonly flags: readonly Flag[];
  /** Options of its own, for one whose value is an object of them. */
  readonly fields: OptionTable | null;

  /** Whether no function of the library takes it. */
  readonly onlyCommand: boolean;

  constructor(
    kind: Kind<V>,
    declared: Declared,
    {
      fields = null,
      onlyCommand = false,
    }: { fields?: OptionTable | null; onlyCommand?: boolean } = {},
  ) {
    this.kind = kind;
    this.declared = declared;
    this.flags = flagsOf(declared);
    this.fields = fields;
    this.onlyCommand = onlyCommand;
  }

  get inLibrary(): string {
    return this.key;
  }

  /** `-F`; `--call-graph`, not the `-g` that stands for one value of it. */
  get inCommand(): string {
    const flag = this.flags.find(takesWords) ?? this.flags[0];
    return flag === undefined ? this.key : nameOf(flag);
  }

  /** Both names, for a text that is kept and shown at either door. */
  get inBoth(): string {
    return `${this.inCommand} (${this.inLibrary})`;
  }

  /** The option with a value, as it would be given: `callGraph: 'fp'`, `-g`. */
  as(value: V): NamedOption {
    const flag = this.flags.find((each) => !takesWords(each) && fixedValue(each) === value);
    return {
      inLibrary: `${this.key}: ${typeof value === 'string' ? `'${value}'` : JSON.stringify(value)}`,
      inCommand: flag === undefined ? `${this.inCommand}${this.#before}${value}` : longNameOf(flag),
    };
  }

  /** A word of its own would be the next argument where the value may be left out. */
  get #before(): string {
    return this.flags.some(({ flags }) => flags.includes('[=')) ? '=' : ' ';
  }

  /** A copy of the option with another declaration of some of it. */
  with(declared: Declared): OptionRow<V, D, Always> {
    const row = new OptionRow<V, D, Always>(this.kind, { ...this.declared, ...declared }, this);
    return Object.assign(row, { key: this.key, group: this.group });
  }
}

function flagsOf({ flags, ...rest }: Declared): readonly Flag[] {
  if (flags === undefined) return [];
  return typeof flags === 'string' ? [{ ...rest, flags }] : flags;
}

export type OptionTable = Readonly<Record<string, OptionRow<unknown, Door>>>;

/** An option of the library, and of the command line where it has flags. */
export function option<V>(kind: Kind<V>, declared: Declared = {}): OptionRow<V, 'both', false> {
  return new OptionRow(kind, declared);
}

/** An option whose value is an object of other options. */
export function nested<T extends OptionTable>(fields: T): OptionRow<OptionsOf<T>, 'both', false> {
  const kind: Kind<OptionsOf<T>> = {
    expected: 'an object',
    read: () => undefined,
    has: () => true,
  };
  return new OptionRow(kind, {}, { fields });
}

/** An option of a command that no function of the library takes. */
export function commandOption<V, const D extends Declared>(
  kind: Kind<V>,
  declared: D,
): OptionRow<V, 'command', IsAlways<D>> {
  return new OptionRow(kind, declared, { onlyCommand: true });
}

/** Whether a command line has to give it, or a default stands for it. */
type IsAlways<D> = D extends { readonly default: string } | { readonly mandatory: true }
  ? true
  : false;

/** The table itself; its rows learn their names. */
export function options<T extends OptionTable>(table: T): T {
  for (const [key, row] of Object.entries(table)) row.key = key;
  return table;
}

/** Rows that help shows below a heading. */
export function inGroup<T extends OptionTable>(heading: string, rows: T): T {
  for (const row of Object.values(rows)) row.group = heading;
  return rows;
}

/** Rows of another table that mean the same here. */
export function pick<T extends OptionTable, K extends keyof T>(table: T, ...keys: K[]): Pick<T, K> {
  return Object.fromEntries(keys.map((key) => [key, table[key]])) as Pick<T, K>;
}

/** The rows of another table but for some. */
export function omit<T extends OptionTable, K extends keyof T>(table: T, ...keys: K[]): Omit<T, K> {
  const kept = Object.entries(table).filter(([key]) => !keys.some((each) => each === key));
  return Object.fromEntries(kept) as Omit<T, K>;
}

type ValueOf<R> = R extends OptionRow<infer V, Door> ? V : never;
type ValuesOf<T, K extends keyof T> = { readonly [P in K]?: ValueOf<T[P]> };
type LibraryKeys<T> = {
  [K in keyof T]: T[K] extends OptionRow<unknown, 'command'> ? never : K;
}[keyof T];

/** The options that a function of the library takes, as an object. */
export type OptionsOf<T> = ValuesOf<T, LibraryKeys<T>>;

/** Options of which at most one of `Keys` is given. */
export type AtMostOneOf<Options, Keys extends keyof Options> = Omit<Options, Keys> &
  {
    [Given in Keys]: Pick<Options, Given> & {
      readonly [Left in Exclude<Keys, Given>]?: never;
    };
  }[Keys];
type AlwaysKeys<T> = {
  [K in keyof T]: T[K] extends OptionRow<unknown, Door, true> ? K : never;
}[keyof T];

/** The options that a command line gives: those of the library, and those of the command alone. */
export type AskedOf<T> = ValuesOf<T, Exclude<keyof T, AlwaysKeys<T>>> & {
  readonly [P in AlwaysKeys<T>]: ValueOf<T[P]>;
};

/** Whether words belong to a flag: `<hz>`, `[=only]`. */
export function takesWords({ flags }: Flag): boolean {
  return /[<[]/.test(flags);
}

/** Whether a flag turns something off: `-i, --no-inherit`. */
export function isNegated({ flags }: Pick<Flag, 'flags'>): boolean {
  return /(?:^|\s)--no-/.test(flags);
}

/** The value of a flag without words. */
export function fixedValue({ flags, value }: Flag): unknown {
  return value === undefined ? !isNegated({ flags }) : value;
}

/** `--no-inherit` of `-i, --no-inherit`; `-g`. */
function longNameOf(flag: Flag): string {
  return /--[\w-]+/.exec(flag.flags)?.[0] ?? nameOf(flag);
}

/** `-F` of `-F, --freq <hz>`: how texts name a flag. */
export function nameOf({ flags }: Flag): string {
  return flags.split(/[ ,]/)[0];
}
