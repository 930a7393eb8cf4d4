import { parseCpuList } from '../base/cpu-list.ts';
import { commandWords, libraryWords, type Text } from '../base/words.ts';

/** The values that an option can have: from the words of a command line, or handed over by a program. */
export type Kind<V> = {
  /** The words for such a value, after "expected": `a whole number`. */
  readonly expected: Text;
  /** The value that the words mean; undefined: none. Throws `Misfit` where there is more to say. */
  read(text: string): V | undefined;
  /** Whether a program may pass this. Throws `Misfit`. */
  has(value: unknown): boolean;
  /** All values, where they are few. */
  readonly choices?: readonly string[];
  /** The flag may be given again: `list` adds its values, `count` says how often it was given. */
  readonly again?: 'list' | 'count';
};

/** Why words or a value do not fit, in place of what is expected: `unknown clock`. */
export class Misfit extends Error {
  readonly hints: readonly Text[];

  constructor(problem: string, hints: readonly Text[] = []) {
    super(problem);
    this.hints = hints;
  }
}

/** A value as a program passes it; no words mean one. */
function passed<V>(expected: string, has: (value: unknown) => boolean): Kind<V> {
  return { expected, read: () => undefined, has };
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isListOf = (value: unknown, has: (one: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(has);

/** A value that is on or off: its flags have no words. */
export const yesNo: Kind<boolean> = passed('true or false', (value) => typeof value === 'boolean');

export const text: Kind<string> = { expected: 'a text', read: (words) => words, has: isText };

/** A folder, or whether there is such a thing at all. */
export const folderOrNot: Kind<string | boolean> = {
  expected: 'a folder, true or false',
  read: (words) => (words === '' ? undefined : words),
  has: (value) => typeof value === 'boolean' || (isText(value) && value !== ''),
};

/** Whether something is done, or the one part of it that is. */
export function yesNoOr<const C extends string>(part: C): Kind<boolean | C> {
  return passed(
    `true, false or '${part}'`,
    (value) => typeof value === 'boolean' || value === part,
  );
}

/** A flag that is given once for each text. */
export const texts: Kind<readonly string[]> = {
  expected: 'an array of texts',
  read: (words) => [words],
  has: (value) => isListOf(value, isText),
  again: 'list',
};

/** `a,b`: names, at least one. */
export const names: Kind<readonly string[]> = {
  expected: 'names',
  read: (words) => nonEmpty(words.split(',').filter((name) => name !== '')),
  has: (value) => isListOf(value, isText),
};

/** `ax,sp`: names, none for all there are. */
export const someOrAll: Kind<readonly string[]> = {
  ...names,
  expected: 'an array of names, empty for all',
  read: (words) => (words === '' ? [] : words.split(',')),
};

/** The program and its arguments. */
export const commandLine: Kind<readonly string[]> = passed('an array of texts', (value) =>
  isListOf(value, isText),
);

/** Variables of a command: a text, or undefined for one that is removed. */
export const environment: Kind<Readonly<Record<string, string | undefined>>> = passed(
  'an object of texts',
  (value) => typeof value === 'object' && value !== null,
);

export const abortSignal: Kind<AbortSignal> = passed(
  'an AbortSignal',
  (value) => value instanceof AbortSignal,
);

export const anyNumber: Kind<number> = passed('a number', (value) => typeof value === 'number');

export function arrayOf<V>(what: string): Kind<readonly V[]> {
  return passed(`an array of ${what}`, Array.isArray);
}

/** A function that the library calls. */
export function callback<F>(): Kind<F> {
  return passed('a function', (value) => typeof value === 'function');
}

/** The values of a list as a set; an empty one of a program means none. */
export function setOf<V>(list: Kind<readonly V[]>): Kind<ReadonlySet<V>> {
  return {
    expected: {
      library: `a Set of ${libraryWords(list.expected)}`,
      command: commandWords(list.expected),
    },
    read(words) {
      const values = list.read(words);
      return values && new Set(values);
    },
    has: (value) => value instanceof Set && (value.size === 0 || list.has([...value])),
  };
}

export function oneOf<const C extends string>(...choices: readonly C[]): Kind<C> {
  return {
    expected: choices.join(', '),
    choices,
    read: (words) => choices.find((choice) => choice === words),
    has: (value) => choices.some((choice) => choice === value),
  };
}

/** An array of some of `choices`. */
export function listOf<const C extends string>(...choices: readonly C[]): Kind<readonly C[]> {
  return {
    expected: `an array of ${choices.join(', ')}`,
    read: (words) => {
      const one = choices.find((choice) => choice === words);
      return one && [one];
    },
    has: (value) => isListOf(value, (one) => choices.some((choice) => choice === one)),
  };
}

function isWhole(value: unknown, least: number, most = Number.MAX_SAFE_INTEGER): value is number {
  return Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most;
}

function readWhole(words: string): number {
  return /^\d+$/.test(words.trim()) ? Number(words) : Number.NaN;
}

function readDecimal(words: string): number {
  return /^(\d+(\.\d*)?|\.\d+)$/.test(words.trim()) ? Number(words) : Number.NaN;
}

/** A whole number of at least `least`. */
export function whole(least = 0, most?: number): Kind<number> {
  const isAny = least === 0 && most === undefined;
  const bounds = most === undefined ? ` of at least ${least}` : ` from ${least} to ${most}`;
  return {
    expected: `a whole number${isAny ? '' : bounds}`,
    read: (words) => fitting(readWhole(words), (value) => isWhole(value, least, most)),
    has: (value) => isWhole(value, least, most),
  };
}

/** A whole number above 0, or `all`. */
export const numberOrAll: Kind<number | 'all'> = {
  expected: 'a number above 0, or all',
  read: (words) => (words === 'all' ? words : whole(1).read(words)),
  has: (value) => value === 'all' || isWhole(value, 1),
};

/** How often a flag was given, up to `most` times. */
export function howOften(most: number): Kind<number> {
  return { ...whole(0, most), again: 'count', read: () => 1 };
}

export const positive: Kind<number> = {
  expected: 'a number above 0',
  read: (words) => fitting(readDecimal(words), positive.has),
  has: (value) => typeof value === 'number' && value > 0 && value < Number.POSITIVE_INFINITY,
};

const RATE_UNITS: Readonly<Record<string, number>> = { '': 1, k: 1e3, K: 1e3, m: 1e6, M: 1e6 };

/** Samples a second: `30000`, `30k`; `max` is the most that the kernel allows. */
export const rate: Kind<number | 'max'> = {
  expected: 'a whole number of Hz, at least 1, or max',
  read(words) {
    if (words === 'max') return words;
    const match = /^(\d+)([kKmM]?)$/.exec(words.trim());
    if (match === null) return undefined;
    return fitting(Number(match[1]) * RATE_UNITS[match[2]], (value) => isWhole(value, 1));
  },
  has: (value) => value === 'max' || isWhole(value, 1),
};

const MS_PER_UNIT = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
type TimeUnit = keyof typeof MS_PER_UNIT;

/** Milliseconds of `10s`, `250ms`, `1.5m`; a number alone is in `unit`. */
function readTime(words: string, unit: TimeUnit | null): number {
  const match = /^(\d+(?:\.\d*)?|\.\d+)(ms|s|m|h|d)?$/.exec(words.trim());
  const own = (match?.[2] as TimeUnit | undefined) ?? unit;
  return match === null || own === null ? Number.NaN : Number(match[1]) * MS_PER_UNIT[own];
}

const UNIT_NAMES = { ms: 'milliseconds', s: 'seconds', m: 'minutes', h: 'hours', d: 'days' };

/**
 * A time in milliseconds of at least `leastMs`, by default more than none. On a command line it is in `unit` where it
 * names none of its own: 10, 10s, 250ms.
 */
export function duration(unit: TimeUnit, leastMs = 0): Kind<number> {
  const isEnough = (ms: number) => (leastMs === 0 ? ms > 0 : ms >= leastMs);
  const least = (each: number) => (leastMs === 0 ? 'above 0' : `of at least ${leastMs / each}`);
  return {
    expected: {
      library: `a number ${least(1)}, in milliseconds`,
      command: `a number ${least(MS_PER_UNIT[unit])}, in ${UNIT_NAMES[unit]} or with a unit (10s, 250ms)`,
    },
    read: (words) => fitting(readTime(words, unit), isEnough),
    has: (value) => typeof value === 'number' && isEnough(value),
  };
}

const BYTES_PER_UNIT: Readonly<Record<string, number>> = {
  B: 1,
  K: 2 ** 10,
  M: 2 ** 20,
  G: 2 ** 30,
};

/** Bytes of `10M`; a number alone has `bytesEach`. */
function readBytes(words: string, bytesEach: number): number {
  const match = /^(\d+)([bBkKmMgG]?)$/.exec(words.trim());
  if (match === null) return Number.NaN;
  return Number(match[1]) * (BYTES_PER_UNIT[match[2].toUpperCase()] ?? bytesEach);
}

const isSize = (value: unknown): value is number => isWhole(value, 1);

/** A number of bytes. */
export const bytes: Kind<number> = {
  expected: { library: 'a whole number of bytes, at least 1', command: 'a size such as 10M' },
  read: (words) => fitting(readBytes(words, 1), isSize),
  has: isSize,
};

/** A number of bytes, or infinity: `none` is no limit. */
export const limit: Kind<number> = {
  expected: {
    library: 'a whole number of bytes, at least 1, or Infinity',
    command: 'a size such as 4G, or none',
  },
  read: (words) => (words === 'none' ? Number.POSITIVE_INFINITY : bytes.read(words)),
  has: (value) => isSize(value) || value === Number.POSITIVE_INFINITY,
};

/** Pages, or bytes that become so many pages. */
export type PagesOrBytes = number | { readonly bytes: number };

/** Data pages of a ring, or its size. */
export const pages: Kind<PagesOrBytes> = {
  expected: {
    library: 'a whole number of pages, at least 1, or { bytes }',
    command: 'a number of pages or a size such as 512K',
  },
  read(words) {
    const size = readBytes(words, 1);
    if (!(size > 0)) return undefined;
    return /\d$/.test(words.trim()) ? size : { bytes: size };
  },
  has: (value) => isSize(value) || isSize((value as { bytes?: unknown } | null)?.bytes),
};

const SHARE_NUMBER = 'a number from 0 to 1';

/** A share of 0 to 1: `0.01` or `1%`. */
export const share: Kind<number> = {
  expected: { library: SHARE_NUMBER, command: 'a share such as 0.01 or 1%' },
  read(words) {
    const match = /^(\d+(?:\.\d+)?|\.\d+)(%?)$/.exec(words.trim());
    if (match === null) return undefined;
    return fitting(Number(match[1]) / (match[2] === '%' ? 100 : 1), (value) => value <= 1);
  },
  has: (value) => typeof value === 'number' && value >= 0 && value <= 1,
};

/** A percentage as a share of 0 to 1. */
export const percent: Kind<number> = {
  expected: { library: SHARE_NUMBER, command: 'a number from 0 to 100' },
  read(words) {
    return fitting(readDecimal(words.replace(/%$/, '')) / 100, (value) => value <= 1);
  },
  has: (value) => typeof value === 'number' && value >= 0 && value <= 1,
};

/** CPUs by their numbers: `0-3,8`. */
export const cpus: Kind<readonly number[]> = {
  expected: 'an array of CPU numbers, at least one',
  read(words) {
    try {
      return parseCpuList(words);
    } catch (error) {
      throw new Misfit((error as Error).message);
    }
  },
  has: (value) => isListOf(value, (one) => isWhole(one, 0)) && (value as unknown[]).length > 0,
};

/** The highest pid that fits the kernel's type. */
const MAX_ID = 2 ** 31 - 1;

/** How the id of a process is found. */
export const FIND_PROCESS = 'pgrep -l node lists the ids of what runs';

/** Ids of processes or threads: `12,34`. */
export const taskIds: Kind<readonly number[]> = {
  expected: `ids between 1 and ${MAX_ID}`,
  read(words) {
    if (/^\D/.test(words)) throw new Misfit(`expected ${taskIds.expected}`, [FIND_PROCESS]);
    return fitting(words.split(',').map(readWhole), taskIds.has);
  },
  has: (value) => isListOf(value, (id) => isWhole(id, 1, MAX_ID)) && (value as []).length > 0,
};

/** Ids as a recording may have them, 0 of what is idle among them: `0,34`. */
export const recordedIds: Kind<readonly number[]> = {
  expected: 'whole numbers',
  read: (words) => fitting(words.split(',').map(readWhole), recordedIds.has),
  has: (value) => isListOf(value, (id) => isWhole(id, 0)) && (value as []).length > 0,
};

/** When a recording begins a new file: when it is asked to, by size or by time. */
export const switchWhen: Kind<'asked' | { readonly bytes: number } | { readonly ms: number }> = {
  expected: {
    library: "'asked', { bytes } or { ms }",
    command: 'signal, a size (10M) or a time (10s, 5m, 1h)',
  },
  read(words) {
    if (words === 'signal') return 'asked';
    const isTime = /[smhd]$/.test(words);
    const value = isTime
      ? readTime(words, null)
      : /\d$/.test(words)
        ? Number.NaN
        : readBytes(words, 1);
    if (!(value > 0)) return undefined;
    return isTime ? { ms: value } : { bytes: value };
  },
  has(value) {
    if (value === 'asked') return true;
    const { bytes: size, ms } = (value ?? {}) as { bytes?: unknown; ms?: unknown };
    return isSize(size) || (typeof ms === 'number' && ms > 0);
  },
};

/** Another kind's values, and `-1` on the command line: when it is asked for. */
export function orWhenAsked(kind: Kind<number>): Kind<number> {
  return { ...kind, read: (words) => (words === '-1' ? -1 : kind.read(words)) };
}

function fitting<V>(value: V, fits: (value: V) => boolean): V | undefined {
  return fits(value) ? value : undefined;
}

function nonEmpty<V>(list: readonly V[]): readonly V[] | undefined {
  return list.length === 0 ? undefined : list;
}
