import { isTypeWord } from './c-type.ts';
import { PrintFmtError } from './errors.ts';
import { type Token, tokenize } from './tokens.ts';

/** Expressions of C, of which a print fmt is made behind its format string. */
export type Expression =
  /** An integer constant as written, suffix included; a character constant as its code. */
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'string'; readonly text: string }
  /** An enumerator or macro that the kernel did not replace by its value. */
  | { readonly kind: 'name'; readonly name: string }
  /** `REC->name` */
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'unary'; readonly operator: string; readonly operand: Expression }
  | {
      readonly kind: 'binary';
      readonly operator: string;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly kind: 'conditional';
      readonly condition: Expression;
      readonly then: Expression;
      readonly otherwise: Expression;
    }
  | { readonly kind: 'cast'; readonly type: string; readonly operand: Expression }
  | { readonly kind: 'sizeof'; readonly type: string }
  | { readonly kind: 'index'; readonly base: Expression; readonly index: Expression }
  /** A helper: `__print_flags(…)`. */
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expression[] }
  /** `{ 0x1, "S" }` */
  | { readonly kind: 'list'; readonly items: readonly Expression[] };

export type PrintFmt = {
  readonly format: string;
  readonly args: readonly Expression[];
};

/** Looser operators first. */
const PRECEDENCE: ReadonlyMap<string, number> = new Map([
  ['||', 1],
  ['&&', 2],
  ['|', 3],
  ['^', 4],
  ['&', 5],
  ['==', 6],
  ['!=', 6],
  ['<', 7],
  ['>', 7],
  ['<=', 7],
  ['>=', 7],
  ['<<', 8],
  ['>>', 8],
  ['+', 9],
  ['-', 9],
  ['*', 10],
  ['/', 10],
  ['%', 10],
]);
const UNARY = new Set(['-', '+', '~', '!', '&', '*']);
/** `__attribute__((btf_type_tag("user")))` in the casts of kernels from 5.19 on. */
const ATTRIBUTE = /__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)/g;
/** Deeper nesting is not the kernel's. */
const MOST_DEPTH = 200;
/** Operators side by side nest as well. */
const MOST_OPERATORS = 2000;

/**
 * Parses `"format" "goes on", expression, …`, the text behind `print fmt:`. The kernel writes it by
 * pasting the source of TP_printk, so any expression of C may be there; statements are refused.
 *
 * @throws PrintFmtError
 */
export function parsePrintFmt(text: string): PrintFmt {
  return new Parser(tokenize(text.replace(ATTRIBUTE, ''))).printFmt();
}

class Parser {
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;
  #operators = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  printFmt(): PrintFmt {
    if (this.#peek().kind !== 'string') throw this.#unexpected('a format string');
    const format = this.#strings();
    const args: Expression[] = [];
    while (this.#accept(',')) args.push(this.#conditional());
    if (this.#peek().kind !== 'end') throw this.#unexpected("',' or the end");
    return { format, args };
  }

  #conditional(): Expression {
    if (++this.#depth > MOST_DEPTH) throw new PrintFmtError(`nesting deeper than ${MOST_DEPTH}`);
    const condition = this.#binary(0);
    let result = condition;
    if (this.#accept('?')) {
      // `a ?: b` is GNU C for `a ? a : b`.
      const then = this.#at(':') ? condition : this.#conditional();
      this.#expect(':');
      result = { kind: 'conditional', condition, then, otherwise: this.#conditional() };
    }
    this.#depth--;
    return result;
  }

  #binary(least: number): Expression {
    let left = this.#unary();
    for (;;) {
      const { kind, text } = this.#peek();
      const precedence = kind === 'operator' ? PRECEDENCE.get(text) : undefined;
      if (precedence === undefined || precedence <= least) return left;
      if (++this.#operators > MOST_OPERATORS) throw new PrintFmtError('too many operators');
      this.#next++;
      left = { kind: 'binary', operator: text, left, right: this.#binary(precedence) };
    }
  }

  #unary(): Expression {
    const { kind, text } = this.#peek();
    if (kind === 'operator' && UNARY.has(text)) {
      if (++this.#depth > MOST_DEPTH) throw new PrintFmtError(`nesting deeper than ${MOST_DEPTH}`);
      this.#next++;
      const operand = this.#unary();
      this.#depth--;
      return { kind: 'unary', operator: text, operand };
    }
    return this.#postfix(this.#primary());
  }

  #postfix(base: Expression): Expression {
    let result = base;
    while (this.#accept('[')) {
      const index = this.#conditional();
      this.#expect(']');
      result = { kind: 'index', base: result, index };
    }
    return result;
  }

  #primary(): Expression {
    const token = this.#peek();
    switch (token.kind) {
      case 'string':
        return { kind: 'string', text: this.#strings() };
      case 'number':
        this.#next++;
        return { kind: 'number', text: token.text };
      case 'character':
        this.#next++;
        return { kind: 'number', text: String(token.text.charCodeAt(0)) };
      case 'name':
        return this.#named();
      default:
        if (this.#at('(')) return this.#parenthesized();
        if (this.#at('{')) return this.#list();
        throw this.#unexpected('an expression');
    }
  }

  #named(): Expression {
    const name = this.#take();
    if (name === 'REC') {
      this.#expect('->');
      return { kind: 'field', name: this.#takeName() };
    }
    if (name === 'sizeof' && this.#at('(')) return this.#sizeof();
    if (!this.#accept('(')) return { kind: 'name', name };
    const args: Expression[] = [];
    if (!this.#at(')')) {
      do args.push(this.#conditional());
      while (this.#accept(','));
    }
    this.#expect(')');
    return { kind: 'call', name, args };
  }

  #sizeof(): Expression {
    this.#expect('(');
    const type = this.#typeName();
    if (type === null) throw new PrintFmtError('sizeof of an expression');
    this.#expect(')');
    return { kind: 'sizeof', type };
  }

  /** A cast or an expression in parentheses. */
  #parenthesized(): Expression {
    this.#expect('(');
    if (this.#at('{')) throw new PrintFmtError('a statement');
    if (this.#peek().text === 'REC') return this.#parenthesizedRecord();
    const start = this.#next;
    const type = this.#typeName();
    if (type !== null && this.#accept(')')) {
      if (this.#startsOperand(type)) return { kind: 'cast', type, operand: this.#unary() };
    }
    this.#next = start;
    const inner = this.#conditional();
    this.#expect(')');
    return inner;
  }

  /** `(REC)->name`, or an expression that begins with a field. */
  #parenthesizedRecord(): Expression {
    const start = this.#next++;
    const isAlone = this.#accept(')');
    if (isAlone) {
      this.#expect('->');
      return { kind: 'field', name: this.#takeName() };
    }
    this.#next = start;
    const inner = this.#conditional();
    this.#expect(')');
    return inner;
  }

  /**
   * Whether a cast's operand follows. What is called like a type is one; of another name in
   * parentheses it is known only if no operator could stand between: `(xfs_dqid)REC->id`.
   */
  #startsOperand(type: string): boolean {
    const { kind, text } = this.#peek();
    const isType = type.includes('*') || isTypeWord(type.split(' ')[0] ?? '');
    if (kind === 'operator') return text === '(' || (isType && UNARY.has(text));
    return kind !== 'end';
  }

  /** `unsigned long`, `const struct foo *`, or null if none is here. */
  #typeName(): string | null {
    const words: string[] = [];
    while (this.#peek().kind === 'name') words.push(this.#take());
    if (words.length === 0) return null;
    if (words.length > 1 && !isTypeWord(words[0])) return null;
    let stars = '';
    while (this.#accept('*')) stars += '*';
    return stars === '' ? words.join(' ') : `${words.join(' ')} ${stars}`;
  }

  #list(): Expression {
    this.#expect('{');
    const items: Expression[] = [];
    while (!this.#at('}')) {
      items.push(this.#conditional());
      if (!this.#accept(',')) break;
    }
    this.#expect('}');
    return { kind: 'list', items };
  }

  /** Strings side by side are one. */
  #strings(): string {
    let text = '';
    while (this.#peek().kind === 'string') text += this.#take();
    return text;
  }

  #peek(): Token {
    return this.#tokens[this.#next];
  }

  #take(): string {
    const token = this.#peek();
    if (token.kind !== 'end') this.#next++;
    return token.text;
  }

  #takeName(): string {
    if (this.#peek().kind !== 'name') throw this.#unexpected('a name');
    return this.#take();
  }

  #at(operator: string): boolean {
    const { kind, text } = this.#peek();
    return kind === 'operator' && text === operator;
  }

  #accept(operator: string): boolean {
    if (!this.#at(operator)) return false;
    this.#next++;
    return true;
  }

  #expect(operator: string): void {
    if (!this.#accept(operator)) throw this.#unexpected(`'${operator}'`);
  }

  #unexpected(wanted: string): PrintFmtError {
    const { kind, text, at } = this.#peek();
    const found = kind === 'end' ? 'the end' : `'${text}'`;
    return new PrintFmtError(`${wanted} expected at ${at}, found ${found}`);
  }
}
