import { UsageError } from '../../base/errors.ts';
import { GROUP_KEYS, type GroupKey } from '../../profile/analysis/group-keys.ts';

/** perf's names, where they differ from ours. */
const ALIASES: Readonly<Record<string, readonly GroupKey[]>> = {
  symbol: ['sym'],
  // As in perf, which shows the comm beside the number.
  thread: ['comm', 'pid', 'tid'],
};

const KEYS: readonly string[] = GROUP_KEYS;

/** Tables that have a form of their own: an interval for every share, and equal names for threads. */
const PLAIN = ['sym', 'dso', 'thread', 'comm'] as const;
export type PlainKey = (typeof PLAIN)[number];

/** `--sort LIST`: one of the plain tables, or a row per combination of keys. */
export type SortOrder =
  | { readonly kind: 'plain'; readonly key: PlainKey }
  | { readonly kind: 'grouped'; readonly keys: readonly GroupKey[] };

/** Throws `UsageError` for a word that is no key. A key that is named twice counts once. */
export function parseSort(text: string): SortOrder {
  const words = keyWords(text);
  const plain = PLAIN.find(
    (key) => words.length === 1 && (words[0] === key || alias(words[0]) === key),
  );
  if (plain !== undefined) return { kind: 'plain', key: plain };
  return { kind: 'grouped', keys: [...new Set(words.flatMap((word) => keysOf(text, word)))] };
}

/** The keys that a list names, plain tables included. Throws `UsageError` for a word that is no key. */
export function groupKeysOf(text: string): readonly GroupKey[] {
  const words = keyWords(text);
  return [...new Set(words.flatMap((word) => keysOf(text, word)))];
}

/** Whether a sort needs the lines of frames. */
export function needsLines(order: SortOrder): boolean {
  return order.kind === 'grouped' && order.keys.some((key) => key.startsWith('src'));
}

/** Whether rows are of binaries, in which native code is a part like others. */
export function isAboutFiles(order: SortOrder): boolean {
  const keys: readonly string[] = order.kind === 'plain' ? [order.key] : order.keys;
  return keys.includes('dso');
}

/** `--sort` beside an option whose rows are functions always. */
export function unsorted(text: string, other: string): UsageError {
  return new UsageError(`--sort ${text} and ${other} exclude each other: ${other} has functions`);
}

/** The words of a list. perf's `overhead` beside others is the share, which each table has. */
function keyWords(text: string): string[] {
  const words = text.split(',').map((word) => word.trim());
  const others = words.filter((word) => word !== 'overhead');
  return others.length > 0 ? others : words;
}

function alias(word: string | undefined): string | undefined {
  return word === 'symbol' ? 'sym' : undefined;
}

function keysOf(text: string, word: string): readonly GroupKey[] {
  if (KEYS.includes(word)) return [word as GroupKey];
  const keys = ALIASES[word];
  if (keys !== undefined) return keys;
  throw new UsageError(`--sort ${text}: no key ${word}`, [
    `the keys are: ${[...KEYS, ...Object.keys(ALIASES)].join(', ')}`,
  ]);
}
