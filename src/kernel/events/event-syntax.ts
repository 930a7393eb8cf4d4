import { failAt } from './event-error.ts';
import { type Word, wordAt } from './word.ts';

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
  /** The text between the slashes; null without any. */
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
  return new SyntaxParser(text).parseList();
}

/**
 * Parses what the text of `-e` looks like, before any name is known, one method a rule:
 *
 *   list    := item (',' item)*
 *   item    := event | '{' event (',' event)* '}' [':' modifiers]
 *   event   := word (':' word)* ['/' [term (',' term)*] '/' [':'] [word]]
 *            | 'pfm::' name ['/' [term (',' term)*] '/' [':'] [word]]
 *            | 'mem:' number ['/' number] (':' word)* ['/' terms '/' [':'] [word]]
 *   term    := key ['=' value]
 *
 * A word is anything without one of `, { } / :` and white space; a value may be quoted. White
 * space is allowed around items.
 */
class SyntaxParser {
  readonly #text: string;
  #offset = 0;

  constructor(text: string) {
    this.#text = text;
  }

  parseList(): ItemSyntax[] {
    const items: ItemSyntax[] = [];
    do {
      items.push(this.#parseItem());
    } while (this.#take(','));
    if (!this.#isAtEnd()) this.#failHere(`unexpected '${this.#character()}'`);
    return items;
  }

  #parseItem(): ItemSyntax {
    this.#skipSpace();
    const open = this.#offset;
    if (!this.#take('{')) {
      const event = this.#parseEvent();
      this.#skipSpace();
      return { events: [event], isGroup: false, modifiers: null };
    }
    const events: EventSyntax[] = [];
    do {
      this.#skipSpace();
      events.push(this.#parseEvent());
      this.#skipSpace();
    } while (this.#take(','));
    if (!this.#take('}')) {
      if (!this.#isAtEnd()) this.#failHere(`unexpected '${this.#character()}' in a group`);
      this.#failHere('this group has no closing }', open);
    }
    const modifiers = this.#take(':') ? this.#needWord('modifiers') : null;
    this.#skipSpace();
    return { events, isGroup: true, modifiers };
  }

  #parseEvent(): EventSyntax {
    const start = this.#offset;
    const words = [this.#match(LIBPFM_NAME) ?? this.#needWord('an event')];
    const isBreakpoint = this.#text.startsWith('mem:', start);
    let length: Word | null = null;
    if (isBreakpoint && this.#take(':')) {
      words.push(this.#needWord('an address'));
      length = this.#takeSlashNumber();
    }
    while (this.#take(':')) words.push(this.#needWord(isBreakpoint ? 'an access' : 'modifiers'));
    const terms = this.#parseTerms();
    const tail = terms === null ? null : this.#parseTail();
    return { whole: wordAt(this.#text, start, this.#offset), words, length, terms, tail };
  }

  /** `/8`, but not the `/name=…/` that may follow an address as well. */
  #takeSlashNumber(): Word | null {
    const slash = this.#offset;
    if (!this.#take('/')) return null;
    const number = this.#match(NUMBER);
    if (number === null) this.#offset = slash;
    return number;
  }

  #parseTerms(): TermSyntax[] | null {
    const open = this.#offset;
    if (!this.#take('/')) return null;
    const terms: TermSyntax[] = [];
    while (!this.#take('/')) {
      if (this.#isAtEnd()) this.#failHere('these terms have no closing /', open);
      if (terms.length > 0 && !this.#take(',')) {
        this.#failHere(`unexpected '${this.#character()}' between the slashes`);
      }
      const key = this.#match(KEY) ?? this.#failHere('a term is missing here');
      terms.push({ key, value: this.#take('=') ? this.#parseValue() : null });
    }
    return terms;
  }

  #parseValue(): Word {
    const value = this.#match(VALUE) ?? wordAt(this.#text, this.#offset);
    const isQuoted = /^(['"]).*\1$/s.test(value.text) && value.text.length >= 2;
    if (!isQuoted) return value;
    return wordAt(this.#text, value.offset + 1, value.offset + value.text.length - 1);
  }

  #parseTail(): Word | null {
    return this.#take(':') ? this.#needWord('modifiers') : this.#match(WORD);
  }

  #needWord(what: string): Word {
    const verb = what === 'modifiers' ? 'are' : 'is';
    return this.#match(WORD) ?? this.#failHere(`${what} ${verb} missing here`);
  }

  #match(pattern: RegExp): Word | null {
    pattern.lastIndex = this.#offset;
    const found = pattern.exec(this.#text);
    if (found === null) return null;
    const start = this.#offset;
    this.#offset += found[0].length;
    return wordAt(this.#text, start, this.#offset);
  }

  #take(character: string): boolean {
    if (this.#text[this.#offset] !== character) return false;
    this.#offset++;
    return true;
  }

  #skipSpace(): void {
    this.#match(SPACE);
  }

  #isAtEnd(): boolean {
    return this.#offset === this.#text.length;
  }

  #character(): string {
    return String.fromCodePoint(this.#text.codePointAt(this.#offset) as number);
  }

  #failHere(message: string, offset = this.#offset): never {
    return failAt(wordAt(this.#text, offset), message);
  }
}
