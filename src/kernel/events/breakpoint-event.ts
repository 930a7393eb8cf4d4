import { HW_BREAKPOINT, PERF_TYPE } from '../../base/event-type.ts';
import { failAt } from './event-error.ts';
import type { EventSyntax } from './event-syntax.ts';
import { looksLikeModifiers } from './modifiers.ts';
import { type ResolvedEvent, resolvedEvent } from './resolved-event.ts';
import { parseNumber } from './term-value.ts';
import type { Word } from './word.ts';

const ACCESS_BITS: Readonly<Record<string, number>> = {
  r: HW_BREAKPOINT.R,
  w: HW_BREAKPOINT.W,
  x: HW_BREAKPOINT.X,
};

/** perf's lengths where none is given; x86 takes only sizeof(long) for execution. */
const DEFAULT_DATA_BYTES = 4n;
const DEFAULT_CODE_BYTES = 8n;
const MOST_BYTES = 8n;

/**
 * `mem:ADDRESS[/LENGTH][:ACCESS]`: a hardware breakpoint, counted each time the bytes are read,
 * written or executed. Without ACCESS reads and writes count.
 */
export function resolveBreakpoint(syntax: EventSyntax): {
  event: ResolvedEvent;
  modifiers: readonly Word[];
} {
  const [, address, ...rest] = syntax.words as [Word, Word, ...Word[]];
  const value = parseNumber(address.text);
  if (value === null) {
    failAt(address, `'${address.text}' is not an address`, ['write it like mem:0x601040/8:rw']);
  }
  const access = rest[0] !== undefined && isAccess(rest[0].text) ? rest[0] : null;
  if (access === null && rest[0] !== undefined && !looksLikeModifiers(rest[0].text)) {
    failAt(rest[0], `'${rest[0].text}' is not an access`, ['r, w and x in any combination: rw']);
  }
  const bpType = access === null ? HW_BREAKPOINT.RW : accessBits(access.text);
  const length = parseLength(syntax.length, bpType);
  const shownLength = syntax.length === null ? '' : `/${syntax.length.text}`;
  const shownAccess = access === null ? '' : `:${access.text}`;
  return {
    event: resolvedEvent(
      `mem:${address.text}${shownLength}${shownAccess}`,
      PERF_TYPE.BREAKPOINT,
      0n,
      { config1: value, config2: length, bpType },
    ),
    modifiers: access === null ? rest : rest.slice(1),
  };
}

function isAccess(word: string): boolean {
  return /^[rwx]{1,3}$/.test(word) && new Set(word).size === word.length;
}

function accessBits(access: string): number {
  return [...access].reduce((bits, letter) => bits | ACCESS_BITS[letter], 0);
}

function parseLength(length: Word | null, bpType: number): bigint {
  if (length === null) return bpType === HW_BREAKPOINT.X ? DEFAULT_CODE_BYTES : DEFAULT_DATA_BYTES;
  const bytes = parseNumber(length.text);
  if (bytes === null || bytes < 1n || bytes > MOST_BYTES) {
    failAt(length, `a breakpoint covers 1 to ${MOST_BYTES} bytes, not ${length.text}`);
  }
  return bytes;
}
