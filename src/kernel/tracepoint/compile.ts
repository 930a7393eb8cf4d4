import {
  type CType,
  commonType,
  longType,
  parseIntegerConstant,
  promoted,
  S32,
  typeOf,
  U8,
  U64,
  wrapInteger,
} from './c-type.ts';
import { PrintFmtError } from './errors.ts';
import {
  type BytesEvaluator,
  constant,
  type Evaluator,
  type NumberEvaluator,
  numberOf,
  type TextEvaluator,
  textEvaluatorOf,
  UNKNOWN,
} from './evaluator.ts';
import type { Expression } from './expression.ts';
import type { TracepointField } from './format-file.ts';
import { compileHelper } from './helpers.ts';
import type { RawRecord } from './raw-record.ts';
import type { NameScope } from './scope.ts';

/**
 * Makes the function that computes `expression`. Arithmetic is C's: a field has the sign its
 * declaration states, integers are promoted, and a result has the width of its type.
 *
 * libtraceevent, and with it perf, computes all in unsigned 64 bits from fields extended with
 * zeros. That differs where a negative field narrower than 64 bits is compared, divided, shifted
 * right or printed as a long; there the kernel's own `trace` file is what is followed.
 *
 * @throws PrintFmtError for what is not known here: names without a value, helpers of the kernel
 */
export function compile(expression: Expression, scope: NameScope): Evaluator {
  switch (expression.kind) {
    case 'number': {
      const { value, type } = parseIntegerConstant(expression.text, scope.longSize);
      return constant(value, type);
    }
    case 'string': {
      const { text } = expression;
      return { kind: 'text', read: () => text };
    }
    case 'name':
      return named(expression.name);
    case 'field':
      return compileField(fieldNamed(expression.name, scope), scope);
    case 'unary':
      return compileUnary(expression.operator, expression.operand, scope);
    case 'binary':
      return compileBinary(
        expression.operator,
        compile(expression.left, scope),
        compile(expression.right, scope),
      );
    case 'conditional':
      return compileConditional(expression, scope);
    case 'cast':
      return compileCast(expression.type, compile(expression.operand, scope), scope);
    case 'sizeof':
      return compileSizeof(expression.type, scope);
    case 'index':
      return compileIndex(compile(expression.base, scope), compile(expression.index, scope));
    case 'call':
      return compileHelper(expression, scope, compile);
    case 'list':
      throw new PrintFmtError('a list outside of a helper');
  }
}

/** Throws `PrintFmtError` where the tracepoint has no such field. */
function fieldNamed(name: string, scope: NameScope): TracepointField {
  const field = scope.fieldOf(name);
  if (field === null) throw new PrintFmtError(`no field '${name}'`);
  return field;
}

/** An enumerator, macro or variable of the kernel has no value here; what it goes into is unknown. */
function named(name: string): Evaluator {
  if (name === 'true') return constant(1n, S32);
  if (name === 'false' || name === 'NULL') return constant(0n, S32);
  return UNKNOWN;
}

/** A field: an array as its bytes, all else as an integer. */
function compileField(field: TracepointField, scope: NameScope): Evaluator {
  const { offset, size, signed } = field;
  if (field.isArray || ![1, 2, 4, 8].includes(size)) return fieldBytes(field, scope);
  const bits = (size * 8) as CType['bits'];
  const declared = typeOf(field.type, scope.longSize);
  const type: CType =
    declared?.target === undefined ? { bits, signed } : { bits, signed, target: declared.target };
  const read = (record: RawRecord): bigint => record.readBig(record.start + offset, size, signed);
  if (size === 8) return { kind: 'number', type, read };
  return {
    kind: 'number',
    type,
    read,
    readSmall: (record) => record.readNumber(record.start + offset, size, signed),
  };
}

function fieldBytes(field: TracepointField, scope: NameScope): BytesEvaluator {
  const bits = field.elementSize * 8;
  const element: CType =
    bits === 16 || bits === 32 || bits === 64
      ? { bits, signed: field.signed || (typeOf(field.type, scope.longSize)?.signed ?? false) }
      : U8;
  return {
    kind: 'bytes',
    at: (record) => record.offsetOf(field),
    length: (record) => record.lengthOf(field),
    element,
  };
}

function compileUnary(operator: string, operand: Expression, scope: NameScope): Evaluator {
  if (operator === '&') {
    if (operand.kind !== 'field') throw new PrintFmtError('the address of an expression');
    return fieldBytes(fieldNamed(operand.name, scope), scope);
  }
  const inner = compile(operand, scope);
  if (inner.kind === 'unknown') return UNKNOWN;
  if (operator === '*') return compileIndex(inner, constant(0n, S32));
  const { read, type: given } = numberOf(inner, operator);
  const type = promoted(given);
  switch (operator) {
    case '-':
      return { kind: 'number', type, read: (record) => wrapInteger(-read(record), type) };
    case '~':
      return { kind: 'number', type, read: (record) => wrapInteger(~read(record), type) };
    case '!':
      return { kind: 'number', type: S32, read: (record) => (read(record) === 0n ? 1n : 0n) };
    default:
      return { kind: 'number', type, read };
  }
}

function compileConditional(
  expression: Extract<Expression, { kind: 'conditional' }>,
  scope: NameScope,
): Evaluator {
  const condition = compile(expression.condition, scope);
  const then = compile(expression.then, scope);
  const otherwise = compile(expression.otherwise, scope);
  if (condition.kind === 'unknown' || then.kind === 'unknown' || otherwise.kind === 'unknown') {
    return UNKNOWN;
  }
  const when = numberOf(condition, '?').read;
  if (then.kind === 'text' || otherwise.kind === 'text') {
    const [a, b] = [asText(then).read, asText(otherwise).read];
    return { kind: 'text', read: (record) => (when(record) !== 0n ? a(record) : b(record)) };
  }
  if (then.kind === 'number' && otherwise.kind === 'number') {
    const [a, b] = [then.read, otherwise.read];
    const type = commonType(then.type, otherwise.type);
    return {
      kind: 'number',
      type,
      read: (record) => wrapInteger(when(record) !== 0n ? a(record) : b(record), type),
    };
  }
  throw new PrintFmtError('a choice between an array and a number');
}

/** Shows a pointer to a string only if it is NULL: the string was not recorded. */
function asText(evaluator: Evaluator): TextEvaluator {
  if (evaluator.kind === 'text') return evaluator;
  if (evaluator.kind === 'bytes') return textEvaluatorOf(evaluator);
  const { read } = numberOf(evaluator, '?');
  return {
    kind: 'text',
    read: (record) => {
      const address = read(record);
      return address === 0n ? '(null)' : `0x${wrapInteger(address, U64).toString(16)}`;
    },
  };
}

function compileCast(name: string, operand: Evaluator, scope: NameScope): Evaluator {
  const type = typeOf(name, scope.longSize);
  if (operand.kind === 'bytes') {
    // A pointer into the raw data, seen as one to other elements.
    return type?.target === undefined ? operand : { ...operand, element: type.target };
  }
  if (operand.kind === 'text' || operand.kind === 'unknown') return operand;
  // A type that is not known leaves the value as it is, as an enum or typedef mostly does.
  if (type === null) return operand;
  const { read, type: from } = operand;
  const isWider = type.bits > from.bits && (type.signed || !from.signed);
  const isSame = type.bits === from.bits && type.signed === from.signed;
  if (isSame || isWider) return { ...operand, type };
  return { kind: 'number', type, read: (record) => wrapInteger(read(record), type) };
}

function compileSizeof(name: string, scope: NameScope): NumberEvaluator {
  const type = typeOf(name, scope.longSize);
  if (type === null) throw new PrintFmtError(`the size of ${name}`);
  return constant(BigInt(type.bits / 8), longType(scope.longSize, false));
}

function compileIndex(base: Evaluator, place: Evaluator): Evaluator {
  if (place.kind === 'unknown') return UNKNOWN;
  const index = numberOf(place, 'an index');
  if (base.kind !== 'bytes') throw new PrintFmtError('an element of something not in the data');
  const { at, length, element } = base;
  const size = element.bits / 8;
  return {
    kind: 'number',
    type: element,
    read: (record) => {
      const offset = Number(index.read(record)) * size;
      if (offset < 0 || offset + size > length(record)) return 0n;
      return record.readBig(at(record) + offset, size, element.signed);
    },
  };
}

type Operation = (a: bigint, b: bigint) => bigint;

const ARITHMETIC: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ['+', (a, b) => a + b],
  ['-', (a, b) => a - b],
  ['*', (a, b) => a * b],
  ['/', (a, b) => (b === 0n ? 0n : a / b)],
  ['%', (a, b) => (b === 0n ? 0n : a % b)],
  ['&', (a, b) => a & b],
  ['|', (a, b) => a | b],
  ['^', (a, b) => a ^ b],
]);

const COMPARISON: ReadonlyMap<string, (a: bigint, b: bigint) => boolean> = new Map([
  ['==', (a, b) => a === b],
  ['!=', (a, b) => a !== b],
  ['<', (a, b) => a < b],
  ['>', (a, b) => a > b],
  ['<=', (a, b) => a <= b],
  ['>=', (a, b) => a >= b],
]);

function compileBinary(operator: string, leftSide: Evaluator, rightSide: Evaluator): Evaluator {
  if (leftSide.kind === 'unknown' || rightSide.kind === 'unknown') return UNKNOWN;
  const left = numberOf(leftSide, operator);
  const right = numberOf(rightSide, operator);
  const [a, b] = [left.read, right.read];
  if (operator === '&&') {
    return truth((record) => a(record) !== 0n && b(record) !== 0n);
  }
  if (operator === '||') {
    return truth((record) => a(record) !== 0n || b(record) !== 0n);
  }
  if (operator === '<<' || operator === '>>') return compileShift(operator, left, right);
  const type = commonType(left.type, right.type);
  const compare = COMPARISON.get(operator);
  if (compare !== undefined) {
    return truth((record) => compare(wrapInteger(a(record), type), wrapInteger(b(record), type)));
  }
  const operation = ARITHMETIC.get(operator);
  if (operation === undefined) throw new PrintFmtError(`operator ${operator}`);
  return {
    kind: 'number',
    type,
    read: (record) =>
      wrapInteger(operation(wrapInteger(a(record), type), wrapInteger(b(record), type)), type),
  };
}

/** The result has the type of the left side; the count is taken modulo its width, as x86 does. */
function compileShift(
  operator: '<<' | '>>',
  left: NumberEvaluator,
  right: NumberEvaluator,
): NumberEvaluator {
  const type = promoted(left.type);
  const [a, b] = [left.read, right.read];
  const mask = BigInt(type.bits - 1);
  return {
    kind: 'number',
    type,
    read: (record) => {
      const count = b(record) & mask;
      return wrapInteger(operator === '<<' ? a(record) << count : a(record) >> count, type);
    },
  };
}

function truth(isTrue: (record: RawRecord) => boolean): NumberEvaluator {
  return { kind: 'number', type: S32, read: (record) => (isTrue(record) ? 1n : 0n) };
}
