import { U64, wrapInteger } from './c-type.ts';
import { PrintFmtError } from './errors.ts';
import {
  type Evaluator,
  type KnownEvaluator,
  type NumberEvaluator,
  numberOf,
  textEvaluatorOf,
} from './evaluator.ts';
import { formatInteger, formatText } from './integer-format.ts';
import { compilePointer } from './pointer-conversion.ts';
import type { LayoutReader, Piece } from './printf-piece.ts';
import type { RawRecord } from './raw-record.ts';

/** Stands where the line needs a value of the kernel's that is not in the data. */
const NOT_KNOWN = '?';

const CONVERSION =
  /%([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+)?)?(hh|h|ll|l|L|q|j|z|Z|t)?(?:(p)([A-Za-z0-9]*)|([A-Za-z%]))/y;

/**
 * Makes the pieces of a line from a format string of printk and what computes its arguments.
 *
 * @throws PrintFmtError where the format asks for what its arguments are not
 */
export function compilePrintf(
  format: string,
  args: readonly Evaluator[],
  longSize: number,
): Piece[] {
  const pieces: Piece[] = [];
  let nextArg = 0;
  const take = (): Evaluator => {
    const evaluator = args[nextArg++];
    if (evaluator === undefined) throw new PrintFmtError('more conversions than arguments');
    return evaluator;
  };
  let literal = '';
  const endLiteral = (): void => {
    if (literal === '') return;
    const text = literal;
    pieces.push(() => text);
    literal = '';
  };
  for (let at = 0; at < format.length; ) {
    if (format[at] !== '%') {
      literal += format[at++];
      continue;
    }
    CONVERSION.lastIndex = at;
    const match = CONVERSION.exec(format);
    if (match === null) throw new PrintFmtError(`conversion '${format.slice(at, at + 6)}'`);
    at += match[0].length;
    const [, flags = '', width, precision, modifier = '', pointer, extension = '', letter] = match;
    if (letter === '%') {
      literal += '%';
      continue;
    }
    endLiteral();
    const hasPrecision = /\./.test(match[0]);
    const layout = layoutReader(
      flags,
      width === '*' ? numberOf(take(), 'a width') : Number(width ?? -1),
      precision === '*'
        ? numberOf(take(), 'a precision')
        : Number(precision ?? (hasPrecision ? 0 : -1)),
    );
    const arg = take();
    if (arg.kind === 'unknown') pieces.push((record) => formatText(NOT_KNOWN, layout(record)));
    else if (pointer !== undefined) pieces.push(compilePointer(extension, layout, arg, longSize));
    else pieces.push(compileConversion(letter, modifier, layout, arg, longSize));
  }
  endLiteral();
  return pieces;
}

function layoutReader(
  flags: string,
  width: number | NumberEvaluator,
  precision: number | NumberEvaluator,
): LayoutReader {
  if (typeof width === 'number' && typeof precision === 'number') {
    const layout = {
      flags,
      width: Math.min(width, MOST_WIDTH),
      precision: Math.min(precision, MOST_WIDTH),
    };
    return () => layout;
  }
  const read = (value: number | NumberEvaluator, record: RawRecord): number =>
    typeof value === 'number' ? value : Number(value.read(record));
  return (record) => {
    const asked = read(width, record);
    return {
      flags: asked < 0 ? `${flags}-` : flags,
      width: Math.min(Math.abs(asked), MOST_WIDTH),
      precision: Math.min(read(precision, record), MOST_WIDTH),
    };
  };
}

/** A width or precision may be nonsense; a line has an end. */
const MOST_WIDTH = 65536;

function compileConversion(
  letter: string,
  modifier: string,
  layout: LayoutReader,
  arg: KnownEvaluator,
  longSize: number,
): Piece {
  switch (letter) {
    case 's':
      return compileString(layout, arg);
    case 'c': {
      const { read } = numberOf(arg, '%c');
      return (record) => {
        const character = String.fromCharCode(Number(read(record) & 0xffn));
        return formatText(character, { ...layout(record), precision: -1 });
      };
    }
    case 'i':
    case 'd':
    case 'u':
    case 'x':
    case 'X':
    case 'o': {
      const bits = bitsOf(modifier, longSize);
      return compileInteger(letter === 'i' ? 'd' : letter, bits, layout, numberOf(arg, '%d'));
    }
    default:
      throw new PrintFmtError(`conversion '%${letter}'`);
  }
}

/** A pointer to a string outside of the data is shown as perf does: what it is, or the address. */
function compileString(layout: LayoutReader, arg: KnownEvaluator): Piece {
  if (arg.kind === 'number') {
    const { read } = arg;
    return (record, names) => {
      const address = wrapInteger(read(record), U64);
      return names.printkText(address) ?? address.toString(16);
    };
  }
  const { read } = arg.kind === 'bytes' ? textEvaluatorOf(arg) : arg;
  return (record) => formatText(read(record), layout(record));
}

function compileInteger(
  letter: string,
  bits: 8 | 16 | 32 | 64,
  layout: LayoutReader,
  { read, readSmall }: NumberEvaluator,
): Piece {
  const signed = letter === 'd';
  if (readSmall === undefined) {
    const type = { bits, signed };
    return (record) => formatInteger(wrapInteger(read(record), type), letter, layout(record));
  }
  return (record) => {
    const value = asHeld(readSmall(record), bits, signed);
    return formatInteger(value, letter, layout(record));
  };
}

/** A value of at most 32 bits as `bits` of the given sign hold it. */
function asHeld(value: number, bits: number, signed: boolean): number | bigint {
  if (bits === 64) return value >= 0 || signed ? value : BigInt.asUintN(64, BigInt(value));
  if (bits === 32) return signed ? value | 0 : value >>> 0;
  const shift = 32 - bits;
  return signed ? (value << shift) >> shift : (value << shift) >>> shift;
}

function bitsOf(modifier: string, longSize: number): 8 | 16 | 32 | 64 {
  switch (modifier) {
    case 'hh':
      return 8;
    case 'h':
      return 16;
    case '':
      return 32;
    case 'l':
    case 'z':
    case 'Z':
    case 't':
      return longSize === 4 ? 32 : 64;
    default:
      return 64;
  }
}
