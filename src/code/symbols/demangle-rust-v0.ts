import { decodePunycode } from './punycode.ts';

/** Nesting that the compiler never reaches; deeper names are crafted. As rustc-demangle. */
const MAX_DEPTH = 500;
/** Backreferences make short names expand without end. */
const MAX_OUTPUT = 64 * 1024;

/**
 * Rust's own mangling, `_R…`. The grammar, with the printed form beside it
 * (https://doc.rust-lang.org/rustc/symbol-mangling/v0.html):
 *
 *   symbol  = "_R" [version] path [path of the instantiating crate] [suffix]
 *   path    = "C" ident                       crate
 *           | "M" impl type                   <type>
 *           | "X" impl type path              <type as path>
 *           | "Y" type path                   <type as path>
 *           | "N" namespace path ident        path::ident, path::{closure#0}
 *           | "I" path {arg} "E"              path<arg, …>, in values path::<arg, …>
 *           | backref
 *   arg     = "L" base62 | "K" const | type
 *   ident   = ["s" base62] ["u"] decimal ["_"] bytes        "u": Punycode
 *   backref = "B" base62                      what stands at that offset after "_R"
 *
 * Hashes (disambiguators of crates and impls) and the type suffix of constants are not printed,
 * nor is a suffix (see `demangleRust`). Null where the name does not follow the grammar or goes beyond
 * the bounds above.
 */
export function demangleRustV0(name: string): string | null {
  const prefix = /^_?_R(?=[A-Z])/.exec(name);
  if (prefix === null) return null;
  const end = /[.$]/.exec(name.slice(prefix[0].length));
  const mangled =
    end === null
      ? name.slice(prefix[0].length)
      : name.slice(prefix[0].length, prefix[0].length + end.index);
  if (!/^[0-9A-Za-z_]*$/.test(mangled)) return null;
  try {
    return new V0Printer(mangled).symbol();
  } catch (error) {
    if (error instanceof BadName) return null;
    throw error;
  }
}

/** Thrown inside the printer where the name stops making sense. */
class BadName extends Error {}
const MAX_BASE62 = 2 ** 64;

type Identifier = { readonly text: string; readonly disambiguator: number };

const BASIC_TYPES: Readonly<Record<string, string>> = {
  a: 'i8',
  b: 'bool',
  c: 'char',
  d: 'f64',
  e: 'str',
  f: 'f32',
  h: 'u8',
  i: 'isize',
  j: 'usize',
  l: 'i32',
  m: 'u32',
  n: 'i128',
  o: 'u128',
  p: '_',
  s: 'i16',
  t: 'u16',
  u: '()',
  v: '...',
  x: 'i64',
  y: 'u64',
  z: '!',
};
const SIGNED_TYPES = 'aisxnl';
const INTEGER_TYPES = 'hijlmnostxya';

class V0Printer {
  readonly #input: string;
  #at = 0;
  #out = '';
  #depth = 0;
  #boundLifetimes = 0;
  /** Counts reasons to parse without printing. */
  #silent = 0;

  constructor(input: string) {
    this.#input = input;
  }

  symbol(): string {
    this.#path(true);
    if (this.#at < this.#input.length) this.#quietly(() => this.#path(false));
    if (this.#at < this.#input.length) throw new BadName();
    return this.#out;
  }

  #print(text: string): void {
    if (this.#silent > 0) return;
    this.#out += text;
    if (this.#out.length > MAX_OUTPUT) throw new BadName();
  }

  #quietly(parse: () => void): void {
    this.#silent++;
    parse();
    this.#silent--;
  }

  #next(): string {
    const character = this.#input[this.#at];
    if (character === undefined) throw new BadName();
    this.#at++;
    return character;
  }

  #eat(character: string): boolean {
    if (this.#input[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #enter(): void {
    if (++this.#depth > MAX_DEPTH) throw new BadName();
  }

  #leave(): void {
    this.#depth--;
  }

  #path(inValue: boolean): void {
    this.#enter();
    switch (this.#next()) {
      case 'C':
        this.#print(this.#identifier().text);
        break;
      case 'M':
        this.#impl();
        this.#print('<');
        this.#type();
        this.#print('>');
        break;
      case 'X':
        this.#impl();
        this.#qualified();
        break;
      case 'Y':
        this.#qualified();
        break;
      case 'N':
        this.#nested(inValue);
        break;
      case 'I':
        this.#path(inValue);
        this.#print(inValue ? '::<' : '<');
        this.#list(', ', () => this.#genericArgument());
        this.#print('>');
        break;
      case 'B':
        this.#backref(() => this.#path(inValue));
        break;
      default:
        throw new BadName();
    }
    this.#leave();
  }

  #impl(): void {
    this.#disambiguator();
    this.#quietly(() => this.#path(false));
  }

  #qualified(): void {
    this.#print('<');
    this.#type();
    this.#print(' as ');
    this.#path(false);
    this.#print('>');
  }

  /** Upper-case namespaces are things without a name of their own, numbered. */
  #nested(inValue: boolean): void {
    const namespace = this.#next();
    if (!/[A-Za-z]/.test(namespace)) throw new BadName();
    this.#path(inValue);
    const { text, disambiguator } = this.#identifier();
    if (namespace >= 'a') {
      if (text !== '') this.#print(`::${text}`);
      return;
    }
    const kind = namespace === 'C' ? 'closure' : namespace === 'S' ? 'shim' : namespace;
    this.#print(`::{${kind}${text === '' ? '' : `:${text}`}#${disambiguator}}`);
  }

  #genericArgument(): void {
    if (this.#eat('L')) this.#lifetime(this.#base62());
    else if (this.#eat('K')) this.#constant(false);
    else this.#type();
  }

  #type(): void {
    const tag = this.#next();
    const basic = Object.hasOwn(BASIC_TYPES, tag) ? BASIC_TYPES[tag] : undefined;
    if (basic !== undefined) {
      this.#print(basic);
      return;
    }
    this.#enter();
    switch (tag) {
      case 'R':
      case 'Q':
        this.#print('&');
        if (this.#eat('L')) {
          const lifetime = this.#base62();
          if (lifetime !== 0) {
            this.#lifetime(lifetime);
            this.#print(' ');
          }
        }
        if (tag === 'Q') this.#print('mut ');
        this.#type();
        break;
      case 'P':
        this.#print('*const ');
        this.#type();
        break;
      case 'O':
        this.#print('*mut ');
        this.#type();
        break;
      case 'A':
      case 'S':
        this.#print('[');
        this.#type();
        if (tag === 'A') {
          this.#print('; ');
          this.#constant(true);
        }
        this.#print(']');
        break;
      case 'T': {
        this.#print('(');
        const count = this.#list(', ', () => this.#type());
        this.#print(count === 1 ? ',)' : ')');
        break;
      }
      case 'F':
        this.#withBinder(() => this.#functionSignature());
        break;
      case 'D':
        this.#dynamicType();
        break;
      case 'W':
        this.#type();
        this.#print(' is ');
        this.#pattern();
        break;
      case 'B':
        this.#backref(() => this.#type());
        break;
      default:
        this.#at--;
        this.#path(false);
    }
    this.#leave();
  }

  /** ["U"] ["K" abi] {type} "E" type → unsafe extern "C" fn(type, …) -> type */
  #functionSignature(): void {
    if (this.#eat('U')) this.#print('unsafe ');
    if (this.#eat('K')) {
      const abi = this.#eat('C') ? 'C' : this.#identifier().text;
      this.#print(`extern "${abi.replaceAll('_', '-')}" `);
    }
    this.#print('fn(');
    this.#list(', ', () => this.#type());
    this.#print(')');
    if (this.#eat('u')) return;
    this.#print(' -> ');
    this.#type();
  }

  /** "R" const const | "O" pattern {pattern} "E" | "N" → 1..=9, 1..=2 | 5..=6, !null */
  #pattern(): void {
    switch (this.#next()) {
      case 'R':
        this.#constant(false);
        this.#print('..=');
        this.#constant(false);
        break;
      case 'O':
        this.#enter();
        this.#pattern();
        while (!this.#eat('E')) {
          this.#print(' | ');
          this.#pattern();
        }
        this.#leave();
        break;
      case 'N':
        this.#print('!null');
        break;
      default:
        throw new BadName();
    }
  }

  /** [binder] {path {"p" ident (type | "K" const)}} "E" "L" base62 → dyn Path<Ident = type> + 'a */
  #dynamicType(): void {
    this.#print('dyn ');
    this.#withBinder(() => this.#list(' + ', () => this.#dynamicTrait()));
    if (!this.#eat('L')) throw new BadName();
    const lifetime = this.#base62();
    if (lifetime === 0) return;
    this.#print(' + ');
    this.#lifetime(lifetime);
  }

  #dynamicTrait(): void {
    let isOpen = this.#pathWithOpenArguments();
    while (this.#eat('p')) {
      this.#print(isOpen ? ', ' : '<');
      isOpen = true;
      this.#print(`${this.#identifier().text} = `);
      // An associated type, or an associated constant.
      if (this.#eat('K')) this.#constant(false);
      else this.#type();
    }
    if (isOpen) this.#print('>');
  }

  /** Leaves `<arg, …` without its `>`, for bindings to follow. True if there were arguments. */
  #pathWithOpenArguments(): boolean {
    this.#enter();
    let isOpen = false;
    if (this.#eat('B')) {
      this.#backref(() => {
        isOpen = this.#pathWithOpenArguments();
      });
    } else if (this.#eat('I')) {
      this.#path(false);
      this.#print('<');
      this.#list(', ', () => this.#genericArgument());
      isOpen = true;
    } else {
      this.#path(false);
    }
    this.#leave();
    return isOpen;
  }

  /**
   * type data, where data of integers is ["n"] {hex digit} "_". Structured constants stand in
   * braces where they are generic arguments.
   */
  #constant(isNested: boolean): void {
    this.#enter();
    const tag = this.#next();
    if (tag === 'p') {
      this.#print('_');
    } else if (tag === 'B') {
      this.#backref(() => this.#constant(isNested));
    } else if (INTEGER_TYPES.includes(tag)) {
      if (SIGNED_TYPES.includes(tag) && this.#eat('n')) this.#print('-');
      this.#print(formatInteger(this.#hex()));
    } else if (tag === 'b') {
      const value = this.#hex();
      if (value !== '0' && value !== '1') throw new BadName();
      this.#print(value === '1' ? 'true' : 'false');
    } else if (tag === 'c') {
      this.#print(quoteCharacter(this.#hex()));
    } else {
      this.#structuredConstant(tag, isNested);
    }
    this.#leave();
  }

  #structuredConstant(tag: string, isNested: boolean): void {
    // A reference to a string prints as the literal itself.
    if (tag === 'R' && this.#eat('e')) {
      this.#print(quote(utf8Text(this.#hexBytes()), '"'));
      return;
    }
    if (!isNested) this.#print('{');
    if (tag === 'e') {
      this.#print(`*${quote(utf8Text(this.#hexBytes()), '"')}`);
    } else if (tag === 'R' || tag === 'Q') {
      this.#print(tag === 'R' ? '&' : '&mut ');
      this.#constant(true);
    } else if (tag === 'A') {
      this.#print('[');
      this.#list(', ', () => this.#constant(true));
      this.#print(']');
    } else if (tag === 'T') {
      this.#print('(');
      const count = this.#list(', ', () => this.#constant(true));
      this.#print(count === 1 ? ',)' : ')');
    } else if (tag === 'V') {
      this.#path(true);
      this.#fields();
    } else {
      throw new BadName();
    }
    if (!isNested) this.#print('}');
  }

  /** "U" | "T" {const} "E" | "S" {ident const} "E": nothing, (a, b), { name: a } */
  #fields(): void {
    switch (this.#next()) {
      case 'U':
        break;
      case 'T':
        this.#print('(');
        this.#list(', ', () => this.#constant(true));
        this.#print(')');
        break;
      case 'S':
        this.#print(' { ');
        this.#list(', ', () => {
          this.#print(`${this.#identifier().text}: `);
          this.#constant(true);
        });
        this.#print(' }');
        break;
      default:
        throw new BadName();
    }
  }

  /** ["G" base62] → for<'a, 'b>; the lifetimes it names count from the innermost binder out. */
  #withBinder(body: () => void): void {
    const count = this.#eat('G') ? this.#base62() + 1 : 0;
    // A name that binds more lifetimes than it has characters left is crafted.
    if (count > this.#input.length - this.#at) throw new BadName();
    if (count > 0) {
      this.#print('for<');
      for (let i = 0; i < count; i++) {
        if (i > 0) this.#print(', ');
        this.#boundLifetimes++;
        this.#lifetime(1);
      }
      this.#print('> ');
    }
    body();
    this.#boundLifetimes -= count;
  }

  /** 0 is erased; 1 the lifetime bound last, printed by its order from the outermost: 'a, 'b … */
  #lifetime(index: number): void {
    if (index === 0) {
      this.#print("'_");
      return;
    }
    const depth = this.#boundLifetimes - index;
    if (depth < 0) throw new BadName();
    this.#print(depth < 26 ? `'${String.fromCharCode(0x61 + depth)}` : `'_${depth}`);
  }

  #list(separator: string, item: () => void): number {
    let count = 0;
    while (!this.#eat('E')) {
      if (count > 0) this.#print(separator);
      item();
      count++;
    }
    return count;
  }

  #backref(parse: () => void): void {
    const from = this.#at - 1;
    const target = this.#base62();
    if (target >= from) throw new BadName();
    // What the target prints was parsed once already; unprinted, it need not be again.
    if (this.#silent > 0) return;
    const after = this.#at;
    this.#at = target;
    this.#enter();
    parse();
    this.#leave();
    this.#at = after;
  }

  #disambiguator(): number {
    return this.#eat('s') ? this.#base62() + 1 : 0;
  }

  #identifier(): Identifier {
    const disambiguator = this.#disambiguator();
    const isPunycode = this.#eat('u');
    const digits = /^(?:0|[1-9][0-9]{0,6})/.exec(this.#input.slice(this.#at, this.#at + 7));
    if (digits === null) throw new BadName();
    this.#at += digits[0].length;
    // Separates the length from a name that starts with a digit or an underscore.
    this.#eat('_');
    const end = this.#at + Number(digits[0]);
    if (end > this.#input.length) throw new BadName();
    const bytes = this.#input.slice(this.#at, end);
    this.#at = end;
    if (!isPunycode) return { text: bytes, disambiguator };
    const text = decodePunycode(bytes);
    return { text: text ?? `punycode{${bytes.replace(/_(?=[^_]*$)/, '-')}}`, disambiguator };
  }

  /**
   * {0-9 a-z A-Z} "_": "_" is 0, "0_" is 1, "1_" is 2. The large ones are hashes, 64 bits wide and
   * here inexact; they are not printed.
   */
  #base62(): number {
    if (this.#eat('_')) return 0;
    let value = 0;
    while (!this.#eat('_')) {
      const code = this.#next().charCodeAt(0);
      const isDigit = code <= 0x39;
      const isLower = code >= 0x61;
      value = value * 62 + (isDigit ? code - 0x30 : isLower ? code - 0x61 + 10 : code - 0x41 + 36);
      if (value >= MAX_BASE62) throw new BadName();
    }
    return value + 1;
  }

  /** Lower-case hex digits up to "_", without leading zeros. */
  #hex(): string {
    const digits = this.#hexBytes().replace(/^0+/, '');
    return digits === '' ? '0' : digits;
  }

  #hexBytes(): string {
    const start = this.#at;
    while (!this.#eat('_')) if (!/[0-9a-f]/.test(this.#next())) throw new BadName();
    return this.#input.slice(start, this.#at - 1);
  }
}

/** Decimal up to 64 bits, hex above. */
function formatInteger(hex: string): string {
  return hex.length <= 16 ? BigInt(`0x${hex}`).toString() : `0x${hex}`;
}

/** A character literal. */
function quoteCharacter(hex: string): string {
  const point = hex.length <= 6 ? Number.parseInt(hex, 16) : Number.NaN;
  if (!(point <= 0x10ffff) || (point >= 0xd800 && point <= 0xdfff)) throw new BadName();
  return quote(String.fromCodePoint(point), "'");
}

function utf8Text(hex: string): string {
  if (hex.length % 2 !== 0) throw new BadName();
  const bytes = Uint8Array.from({ length: hex.length / 2 }, (_, i) =>
    Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16),
  );
  return new TextDecoder().decode(bytes);
}

const NAMED_ESCAPES: Readonly<Record<string, string>> = {
  '\t': '\\t',
  '\r': '\\r',
  '\n': '\\n',
  '\\': '\\\\',
  '\0': '\\0',
};

/** Characters that Debug writes as a code point: control characters, spaces but one, and what joins others. */
const UNPRINTED = /[\p{C}\p{Mn}\p{Me}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;

/** A literal as Rust's Debug prints it. */
function quote(text: string, mark: '"' | "'"): string {
  let quoted = '';
  for (const character of text) {
    const point = character.codePointAt(0) as number;
    if (character === mark) quoted += `\\${mark}`;
    else if (Object.hasOwn(NAMED_ESCAPES, character)) quoted += NAMED_ESCAPES[character];
    else if (UNPRINTED.test(character)) quoted += `\\u{${point.toString(16)}}`;
    else quoted += character;
  }
  return mark + quoted + mark;
}
