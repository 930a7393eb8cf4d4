// A regular expression without backtracking: every text is read once, whatever the expression, so none can
// take for ever. Thompson's construction; all states that are possible are followed at once.

import { memoize } from '../../../../src/base/memoize.ts';

/** Instructions of a program; `a` and `b` are where it goes on. */
type Instruction =
  | { readonly kind: 'char'; readonly matches: CharTest }
  | { readonly kind: 'split'; readonly a: number; readonly b: number }
  | { readonly kind: 'jump'; readonly a: number }
  | { readonly kind: 'assert'; readonly holds: Assertion }
  | { readonly kind: 'match' };

type CharTest = (code: number) => boolean;
type Assertion = (text: string, at: number) => boolean;

/** `x{2,500}` becomes 500 copies of x. */
const MOST_INSTRUCTIONS = 2000;

/**
 * The test whether `source`, whatever its case, matches somewhere in a text. Null for what needs backtracking
 * (look-around, back-references) and for expressions that are too large.
 */
export function compileLinear(source: string): ((text: string) => boolean) | null {
  const program: Instruction[] = [];
  try {
    const parser = new Parser(source, program);
    parser.alternatives();
    if (!parser.isAtEnd) return null;
  } catch (error) {
    if (error instanceof Unsupported) return null;
    throw error;
  }
  program.push({ kind: 'match' });
  const machine = new Machine(program);
  return (text) => machine.matches(text);
}

class Unsupported extends Error {}

/** Reads an expression that `RegExp` has accepted, and writes its program. */
class Parser {
  readonly #source: string;
  readonly #program: Instruction[];
  #at = 0;

  constructor(source: string, program: Instruction[]) {
    this.#source = source;
    this.#program = program;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#source.length;
  }

  /** `a|b|c` */
  alternatives(): void {
    const start = this.#program.length;
    this.#sequence();
    if (this.#source[this.#at] !== '|') return;
    this.#at++;
    const first = this.#program.splice(start);
    this.#emit({ kind: 'split', a: start + 1, b: 0 });
    this.#copy(first, start, start + 1);
    const end = this.#program.length;
    this.#emit({ kind: 'jump', a: 0 });
    this.#program[start] = { kind: 'split', a: start + 1, b: end + 1 };
    this.alternatives();
    this.#program[end] = { kind: 'jump', a: this.#program.length };
  }

  #sequence(): void {
    while (!this.isAtEnd && !'|)'.includes(this.#source[this.#at])) {
      const start = this.#program.length;
      this.#atom();
      this.#quantifier(start);
    }
  }

  #atom(): void {
    const rest = this.#source.slice(this.#at);
    const group = /^\((\?:|\?<[^=!][^>]*>|(?!\?))/.exec(rest);
    if (group !== null) {
      this.#at += group[0].length;
      this.alternatives();
      if (this.#source[this.#at++] !== ')') throw new Unsupported();
      return;
    }
    const border = BORDERS[rest[0]] ?? BORDERS[rest.slice(0, 2)];
    if (border !== undefined) {
      this.#at += BORDERS[rest[0]] === undefined ? 2 : 1;
      this.#emit({ kind: 'assert', holds: border });
      return;
    }
    const char = ONE_CHAR.exec(rest);
    if (char === null) throw new Unsupported();
    this.#at += char[0].length;
    this.#emit({ kind: 'char', matches: charTest(char[0]) });
  }

  /** `*`, `+`, `?`, `{2}`, `{2,}`, `{2,5}`, lazy or not, behind the instructions from `start` on. */
  #quantifier(start: number): void {
    const found = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(this.#source.slice(this.#at));
    if (found === null) return;
    this.#at += found[0].length;
    const [text, least, comma, most] = found;
    const counts = {
      '*': [0, Number.POSITIVE_INFINITY],
      '+': [1, Number.POSITIVE_INFINITY],
      '?': [0, 1],
    }[text[0]];
    const from = counts?.[0] ?? Number(least);
    const to =
      counts?.[1] ?? (comma === '' ? from : most === '' ? Number.POSITIVE_INFINITY : Number(most));
    const body = this.#program.splice(start);
    // Nothing repeated is nothing: no instruction would bound how often it is copied.
    if (body.length === 0) return;
    const again = () => this.#copy(body, start, this.#program.length);
    for (let i = 0; i < from; i++) again();
    if (to === Number.POSITIVE_INFINITY) {
      const split = this.#program.length;
      this.#emit({ kind: 'split', a: split + 1, b: 0 });
      again();
      this.#emit({ kind: 'jump', a: split });
      this.#program[split] = { kind: 'split', a: split + 1, b: this.#program.length };
      return;
    }
    const splits: number[] = [];
    for (let i = from; i < to; i++) {
      splits.push(this.#program.length);
      this.#emit({ kind: 'split', a: this.#program.length + 1, b: 0 });
      again();
    }
    const end = this.#program.length;
    for (const split of splits) this.#program[split] = { kind: 'split', a: split + 1, b: end };
  }

  /** Appends instructions that were made for the place `from` at the place `to`. */
  #copy(body: readonly Instruction[], from: number, to: number): void {
    const by = to - from;
    for (const part of body) {
      if (part.kind === 'split') this.#emit({ kind: 'split', a: part.a + by, b: part.b + by });
      else if (part.kind === 'jump') this.#emit({ kind: 'jump', a: part.a + by });
      else this.#emit(part);
    }
  }

  #emit(part: Instruction): void {
    if (this.#program.length >= MOST_INSTRUCTIONS) throw new Unsupported();
    this.#program.push(part);
  }
}

const isWord = (text: string, at: number): boolean => /\w/.test(text[at] ?? '');
const isBorder: Assertion = (text, at) => isWord(text, at - 1) !== isWord(text, at);
const BORDERS: Readonly<Record<string, Assertion | undefined>> = {
  '^': (_, at) => at === 0,
  $: (text, at) => at === text.length,
  '\\b': isBorder,
  '\\B': (text, at) => !isBorder(text, at),
};

/** A class, an escape that is no back-reference, the dot, or a letter that means itself. */
const ONE_CHAR =
  /^(?:\[(?:[^\]\\]|\\.)*\]|\\(?:x[\da-fA-F]{2}|u[\da-fA-F]{4}|c[A-Za-z]|[^1-9kpPcxu])|[^\\()[*+?])/;

/** A test of one char code, asked of the browser once for each. */
function charTest(source: string): CharTest {
  const expression = new RegExp(`^${source}$`, 'i');
  return memoize((code) => expression.test(String.fromCharCode(code)));
}

class Machine {
  readonly #program: readonly Instruction[];
  /** The states before the next char, and behind it; `#seen` says at which step each was added last. */
  #now: number[] = [];
  #next: number[] = [];
  readonly #seen: Int32Array;
  #step = 0;

  constructor(program: readonly Instruction[]) {
    this.#program = program;
    this.#seen = new Int32Array(program.length);
  }

  matches(text: string): boolean {
    this.#now = [];
    this.#step++;
    for (let at = 0; at <= text.length; at++) {
      // It may begin anywhere.
      if (this.#add(this.#now, 0, text, at)) return true;
      const code = text.charCodeAt(at);
      this.#next = [];
      this.#step++;
      if (at === text.length) return false;
      for (const state of this.#now) {
        const part = this.#program[state];
        if (part.kind !== 'char' || !part.matches(code)) continue;
        if (this.#add(this.#next, state + 1, text, at + 1)) return true;
      }
      this.#now = this.#next;
    }
    return false;
  }

  /** Adds a state with all that can be reached without a char; true: the end is among them. */
  #add(states: number[], first: number, text: string, at: number): boolean {
    const open = [first];
    for (let state = open.pop(); state !== undefined; state = open.pop()) {
      if (this.#seen[state] === this.#step) continue;
      this.#seen[state] = this.#step;
      const part = this.#program[state];
      switch (part.kind) {
        case 'match':
          return true;
        case 'char':
          states.push(state);
          break;
        case 'jump':
          open.push(part.a);
          break;
        case 'split':
          open.push(part.b, part.a);
          break;
        case 'assert':
          if (part.holds(text, at)) open.push(state + 1);
      }
    }
    return false;
  }
}
