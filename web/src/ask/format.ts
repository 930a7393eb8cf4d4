import { formatAmount } from '../../../src/base/numbers.ts';
import type { Unit } from '../worker/messages/messages.ts';

// The page prints numbers as the terminal does.
export * from '../../../src/base/numbers.ts';

/** Stands where the first answer of a large recording is to come. */
export const ADDING_UP = 'Adding up the samples …';

/** A part of a line as a sentence of its own; `name`, where it begins with that, keeps its spelling. */
export function sentence(text: string, name?: string): string {
  const isName = name !== undefined && text.startsWith(name);
  const first = isName ? text[0] : text[0]?.toUpperCase();
  return `${first ?? ''}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}

/** `time`, `events`, `bytes`: the word of a column's title. */
export function nounOf(unit: Unit): string {
  return unit === 'nanoseconds' ? 'time' : unit;
}

/** `1 234 567 events`, `37.5 ms`, `14.7 MB`: a weight with its unit. */
export function formatWeight(value: number, unit: Unit): string {
  return formatAmount(value, unit);
}
