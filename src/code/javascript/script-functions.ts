import { lastAtMost } from '../../base/bisect.ts';
import { FunctionTexts, functionHead, startsOf } from './describe-function.ts';
import { isFunction, nodesIn, type SyntaxNode, SyntaxParents } from './syntax-tree.ts';

/** A function of a script, found where it begins. */
export type SourceFunction = {
  /** The name by the text (`FunctionTexts`); null where nothing tells. */
  readonly name: string | null;
  /** The name is the function's own or that of what it is the value of, and no description. */
  readonly isNamed: boolean;
  readonly place: SourcePlace;
  /** The beginning of the function that this one is the lowered body of; null where it is none. */
  readonly origin: SourcePlace | null;
};

/** A place in a text, both from 1. */
export type SourcePlace = { readonly line: number; readonly column: number };

/**
 * The functions of one text by the places at which they begin, each with what the text calls it. Nothing of the
 * tree is kept: it takes a hundred times the memory of its text.
 */
export class ScriptFunctions {
  readonly #lineStarts: Float64Array;
  readonly #byStart: ReadonlyMap<number, SourceFunction>;
  /** The places to which maps lead for each function, in the order of their beginnings. */
  readonly #heads: readonly Head[];
  readonly #headStarts: Float64Array;
  /** Offsets of the statements at the top of the text, and of their ends. */
  readonly #statements: { readonly starts: Float64Array; readonly ends: Float64Array };

  constructor(text: string, program: SyntaxNode) {
    this.#lineStarts = Float64Array.from(lineStartsOf(text));
    const parents = new SyntaxParents(program);
    const texts = new FunctionTexts(parents);
    const byStart = new Map<number, SourceFunction>();
    const heads: Head[] = [];
    for (const node of parents.functions) {
      if (node.type === 'StaticBlock') {
        const place = this.#placeOf(node.start);
        const found = { name: STATIC, isNamed: true, origin: null, place };
        heads.push({ start: node.start, end: node.start + 'static'.length, found });
        continue;
      }
      const found = this.#describe(node, text, texts);
      for (const start of startsOf(node, text)) {
        // A class begins where a function in it never does; functions come first all the same.
        if (isFunction(node) || !byStart.has(start)) byStart.set(start, found);
      }
      if (isFunction(node)) heads.push({ ...functionHead(node, parents), found });
    }
    this.#byStart = byStart;
    const statements = nodesIn(program, 'body');
    this.#statements = {
      starts: Float64Array.from(statements, ({ start }) => start),
      ends: Float64Array.from(statements, ({ end }) => end),
    };
    this.#heads = heads.sort((a, b) => a.start - b.start);
    this.#headStarts = Float64Array.from(this.#heads, ({ start }) => start);
  }

  /** The function that begins for V8 at `line` and `column`; null where none does. */
  find(line: number, column: number): SourceFunction | null {
    const start = line > this.#lineStarts.length ? null : this.#lineStarts[line - 1];
    return start === null ? null : (this.#byStart.get(start + column - 1) ?? null);
  }

  /** The function whose head `offset` is in, the innermost one; null where it is in none. */
  findAt(offset: number): SourceFunction | null {
    const last = lastAtMost(this.#headStarts, offset);
    for (let row = last; row >= Math.max(0, last - MOST_NESTED_HEADS); row--) {
      if (offset <= this.#heads[row].end) return this.#heads[row].found;
    }
    return null;
  }

  /** Whether `offset` is in a statement: what surrounds the scripts of a component is in none. */
  isInStatement(offset: number): boolean {
    const row = lastAtMost(this.#statements.starts, offset);
    return row >= 0 && offset < this.#statements.ends[row];
  }

  /** The only function that begins behind `from` and up to `to`; null where none or several do. */
  findBetween(from: number, to: number): SourceFunction | null {
    const first = lastAtMost(this.#headStarts, from) + 1;
    const last = lastAtMost(this.#headStarts, to);
    return first === last ? this.#heads[first].found : null;
  }

  /** The only function of a name; null where none or several have it. */
  findNamed(name: string): SourceFunction | null {
    const [only = null, ...others] = this.#heads.filter(({ found }) => found.name === name);
    return only === null || others.length > 0 ? null : only.found;
  }

  /** The only function without a name that begins on a line; null where none or several do. */
  findOnLine(line: number): SourceFunction | null {
    const [only = null, ...others] = this.onLine(line);
    return others.length === 0 ? only : null;
  }

  /** The functions without a name that begin on a line. */
  onLine(line: number): ReadonlySet<SourceFunction> {
    const [from, end = Infinity] = this.#lineStarts.subarray(line - 1, line + 1);
    const found = new Set<SourceFunction>();
    for (const [start, each] of this.#byStart) {
      if (from !== undefined && start >= from && start < end && !each.isNamed) found.add(each);
    }
    return found;
  }

  #describe(node: SyntaxNode, text: string, texts: FunctionTexts): SourceFunction {
    const origins = texts.originsOf(node);
    const outer = origins.findLast(isFunction);
    const [start] = outer === undefined ? [] : startsOf(outer, text);
    const named = texts.textOf(node);
    return {
      name: named?.text ?? null,
      place: this.#placeOf(node.start),
      isNamed: origins.length === 0 && named?.kind === 'own',
      origin: start === undefined ? null : this.#placeOf(start),
    };
  }

  #placeOf(offset: number): SourcePlace {
    const row = lastAtMost(this.#lineStarts, offset);
    return { line: row + 1, column: offset - this.#lineStarts[row] + 1 };
  }
}

/** V8's name for what a class does when it is made. */
const STATIC = '<static_initializer>';

type Head = { readonly start: number; readonly end: number; readonly found: SourceFunction };

/** Functions in the parameters of others, one in the other. */
const MOST_NESTED_HEADS = 8;

/** Offsets at which the lines of a text begin, by the rules of ECMAScript. */
export function lineStartsOf(text: string): number[] {
  const starts = [0];
  for (const { index, 0: end } of text.matchAll(/\r\n|[\n\r\u2028\u2029]/g)) {
    starts.push(index + end.length);
  }
  return starts;
}
