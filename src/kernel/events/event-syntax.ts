import { failAt } from './event-error.ts';

/**
 * What the text of `-e` looks like, before any name is known:
 *
 *   list    := item (',' item)*
 *   item    := event | '{' event (',' event)* '}' [':' modifiers]
 *   event   := word (':' word)* ['/' [term (',' term)*] '/' [':'] [word]]
 *            | 'pfm::' name ['/' [term (',' term)*] '/' [':'] [word]]
 *            | 'mem:' number ['/' number] (':' word)* ['/' terms '/' [':'] [word]]
 *   term    := key ['=' value]
 *
 * A word is anything without one of `, { } / :` and white space; a value may be quoted. White
 * space is allowed around items. Offsets count from the start of the whole text.
 */
export type Word = { readonly text: string; readonly offset: number };

export type TermSyntax = {
  readonly key: Word;
  /** Null for a term that is only a key. */
  readonly value: Word | null;
};

export type EventSyntax = {
  /** All of the event, as written. */
  readonly whole: Word;
  /** `sched`, `sched_switch`, `u`. Never empty. */
  readonly words: readonly Word[];
  /** The length of `mem:ADDRESS/LENGTH`. */
  readonly length: Word | null;
  /** Between the slashes; null without any. */
  readonly terms: readonly TermSyntax[] | null;
  /** Modifiers after the closing slash. */
  readonly tail: Word | null;
};

export type ItemSyntax = {
  readonly events: readonly EventSyntax[];
  /** True for events in braces. */
  readonly isGroup: boolean;
  /** Modifiers after the closing brace. */
  readonly modifiers: Word | null;
};

const WORD = /[^\s,{}/:]+/y;
/** libpfm's names have colons and equal signs of their own. */
const LIBPFM_NAME = /pfm::[^\s,{}/]+/y;
const KEY = /[^\s,=/{}]+/y;
const VALUE = /'[^']*'|"[^"]*"|[^\s,/{}]*/y;
const SPACE = /\s*/y;
const NUMBER = /0[xX][0-9a-fA-F]+|[0-9]+/y;

/**
 * The items of an event list as they are written; what the words mean is decided elsewhere. Throws
 * `UsageError` with the place of the first character that has none.
 */
export function parseSyntax(text: string): ItemSyntax[] {
  let offset = 0;
  const items: ItemSyntax[] = [];
  do {
    items.push(parseItem());
  } while (take(','));
  if (offset < text.length) failAt(text, offset, `unexpected '${characterAt(offset)}'`);
  return items;

  function parseItem(): ItemSyntax {
    skipSpace();
    const open = offset;
    if (!take('{')) {
      const event = parseEvent();
      skipSpace();
      return { events: [event], isGroup: false, modifiers: null };
    }
    const events: EventSyntax[] = [];
    do {
      skipSpace();
      events.push(parseEvent());
      skipSpace();
    } while (take(','));
    if (!take('}')) {
      if (offset < text.length)
        failAt(text, offset, `unexpected '${characterAt(offset)}' in a group`);
      failAt(text, open, 'this group has no closing }');
    }
    const modifiers = take(':') ? needWord('modifiers') : null;
    skipSpace();
    return { events, isGroup: true, modifiers };
  }

  function parseEvent(): EventSyntax {
    const start = offset;
    const words = [match(LIBPFM_NAME) ?? needWord('an event')];
    const isBreakpoint = text.startsWith('mem:', start);
    let length: Word | null = null;
    if (isBreakpoint && take(':')) {
      words.push(needWord('an address'));
      length = takeSlashNumber();
    }
    while (take(':')) words.push(needWord(isBreakpoint ? 'an access' : 'modifiers'));
    const terms = parseTerms();
    const tail = terms === null ? null : take(':') ? needWord('modifiers') : match(WORD);
    return { whole: word(start), words, length, terms, tail };
  }

  /** `/8`, but not the `/name=…/` that may follow an address as well. */
  function takeSlashNumber(): Word | null {
    const slash = offset;
    if (!take('/')) return null;
    const number = match(NUMBER);
    if (number === null) offset = slash;
    return number;
  }

  function parseTerms(): TermSyntax[] | null {
    const open = offset;
    if (!take('/')) return null;
    const terms: TermSyntax[] = [];
    while (!take('/')) {
      if (offset === text.length) failAt(text, open, 'these terms have no closing /');
      if (terms.length > 0 && !take(',')) {
        failAt(text, offset, `unexpected '${characterAt(offset)}' between the slashes`);
      }
      const key = match(KEY) ?? failAt(text, offset, 'a term is missing here');
      terms.push({ key, value: take('=') ? unquoted(match(VALUE), offset) : null });
    }
    return terms;
  }

  function needWord(what: string): Word {
    const found = match(WORD);
    if (found !== null) return found;
    const verb = what === 'modifiers' ? 'are' : 'is';
    return failAt(text, offset, `${what} ${verb} missing here`);
  }

  function match(pattern: RegExp): Word | null {
    const start = offset;
    pattern.lastIndex = offset;
    const found = pattern.exec(text);
    if (found === null) return null;
    offset += found[0].length;
    return word(start);
  }

  function word(start: number): Word {
    return { text: text.slice(start, offset), offset: start };
  }

  function take(character: string): boolean {
    if (text[offset] !== character) return false;
    offset++;
    return true;
  }

  function skipSpace(): void {
    match(SPACE);
  }

  function characterAt(at: number): string {
    return String.fromCodePoint(text.codePointAt(at) as number);
  }
}

function unquoted(value: Word | null, end: number): Word {
  if (value === null) return { text: '', offset: end };
  const isQuoted = /^(['"]).*\1$/s.test(value.text) && value.text.length >= 2;
  return isQuoted ? { text: value.text.slice(1, -1), offset: value.offset + 1 } : value;
}
