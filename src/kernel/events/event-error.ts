import { UsageError } from '../../base/errors.ts';
import { printable } from '../../base/printable.ts';
import type { Word } from './word.ts';

/** Characters of the text shown on either side of the position. */
const SHOWN_AROUND = 40;

/** The hint that ends every message about a name that nobody knows. */
export const SEE_LIST = 'perf-ts list shows every event that can be named here';

/**
 * Ends parsing: what is wrong, the text with a caret under `word`, then the hints.
 *
 *   unknown event 'cycels'
 *     instructions,cycels:u
 *                  ^
 *     did you mean cycles?
 */
export function failAt(word: Word, message: string, hints: readonly string[] = []): never {
  const { source: text, offset } = word;
  const start = offset > 2 * SHOWN_AROUND ? offset - SHOWN_AROUND : 0;
  const end = text.length > offset + 2 * SHOWN_AROUND ? offset + SHOWN_AROUND : text.length;
  const before = (start > 0 ? '…' : '') + printable(text.slice(start, offset));
  const after = printable(text.slice(offset, end)) + (end < text.length ? '…' : '');
  const position = [`${before}${after}`, `${' '.repeat(before.length)}^`];
  throw new UsageError(printable(message), [...position, ...hints]);
}

/** `did you mean a, b or c?`, nothing without names. */
export function didYouMean(names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const last = names.at(-1);
  const others = names.slice(0, -1).join(', ');
  return [`did you mean ${others === '' ? last : `${others} or ${last}`}?`];
}
