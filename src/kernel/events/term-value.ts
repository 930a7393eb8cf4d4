import { failAt } from './event-error.ts';
import type { TermSyntax } from './event-syntax.ts';

/** The most that a config field holds. */
export const MAX_U64 = (1n << 64n) - 1n;

/** A number as events write it, `60` or `0x3c`; null for anything else, also above 64 bits. */
export function parseNumber(text: string): bigint | null {
  if (!/^(?:[0-9]{1,20}|0[xX][0-9a-fA-F]{1,16})$/.test(text)) return null;
  const value = BigInt(text);
  return value > MAX_U64 ? null : value;
}

/** The term's value, from 0 to `most`. */
export function numberOfTerm(term: TermSyntax, most: bigint, limit = `at most ${most}`): bigint {
  const { key } = term;
  if (term.value === null || term.value.text === '') {
    failAt(term.value ?? key, `${key.text} needs a value: ${key.text}=NUMBER`);
  }
  const value = parseNumber(term.value.text);
  if (value === null) {
    const message = `${key.text}=${term.value.text} is not a number of 64 bits`;
    failAt(term.value, message, ['write it like 60 or 0x3c']);
  }
  if (value > most) {
    failAt(term.value, `${key.text}=${term.value.text} is too large: ${limit}`);
  }
  return value;
}
