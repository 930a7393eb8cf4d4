import { FunctionTexts, mappedStartsOf, startsOf } from './describe-function.ts';
import { isFunction, type SyntaxNode, SyntaxParents } from './syntax-tree.ts';

/** A function of a script, found where it begins. */
export type SourceFunction = {
  /** The name by the text (`FunctionTexts`); null where nothing tells. */
  readonly name: string | null;
  /** The name is the function's own or that of what it is the value of, and no description. */
  readonly isNamed: boolean;
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
  readonly #lineStarts: readonly number[];
  readonly #byStart: ReadonlyMap<number, SourceFunction>;
  readonly #byToken: ReadonlyMap<number, SourceFunction>;

  constructor(text: string, program: SyntaxNode) {
    this.#lineStarts = lineStartsOf(text);
    const parents = new SyntaxParents(program);
    const texts = new FunctionTexts(parents);
    const byStart = new Map<number, SourceFunction>();
    const byToken = new Map<number, SourceFunction>();
    for (const node of parents.functions) {
      const found = this.#describe(node, text, texts);
      for (const start of startsOf(node, text)) {
        // A class begins where a function in it never does; functions come first all the same.
        if (isFunction(node) || !byStart.has(start)) byStart.set(start, found);
      }
      if (!isFunction(node)) continue;
      for (const start of mappedStartsOf(node, text)) {
        if (!byToken.has(start)) byToken.set(start, found);
      }
    }
    this.#byStart = byStart;
    this.#byToken = byToken;
  }

  /** The function that begins for V8 at `line` and `column`; null where none does. */
  find(line: number, column: number): SourceFunction | null {
    const start = this.#lineStarts[line - 1];
    return start === undefined ? null : (this.#byStart.get(start + column - 1) ?? null);
  }

  /** The function whose first token, parameters or first parameter stand at `offset`; null where none does. */
  findAt(offset: number): SourceFunction | null {
    return this.#byToken.get(offset) ?? null;
  }

  /** The only function without a name that begins on a line; null where none or several do. */
  findOnLine(line: number): SourceFunction | null {
    const [from, end = Infinity] = this.#lineStarts.slice(line - 1, line + 1);
    const found = new Set<SourceFunction>();
    for (const [start, each] of this.#byStart) {
      if (from !== undefined && start >= from && start < end && !each.isNamed) found.add(each);
    }
    const [only = null] = found;
    return found.size === 1 ? only : null;
  }

  #describe(node: SyntaxNode, text: string, texts: FunctionTexts): SourceFunction {
    const origin = texts.originOf(node);
    const [start] = origin === null || !isFunction(origin) ? [] : startsOf(origin, text);
    const named = texts.textOf(node);
    return {
      name: named?.text ?? null,
      isNamed: origin === null && named?.kind === 'own',
      origin: start === undefined ? null : this.#placeOf(start),
    };
  }

  #placeOf(offset: number): SourcePlace {
    let [low, high] = [0, this.#lineStarts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.#lineStarts[middle] <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - this.#lineStarts[low] + 1 };
  }
}

/** Offsets at which the lines of a text begin, by the rules of ECMAScript. */
export function lineStartsOf(text: string): number[] {
  const starts = [0];
  for (const { index, 0: end } of text.matchAll(/\r\n|[\n\r\u2028\u2029]/g)) {
    starts.push(index + end.length);
  }
  return starts;
}
