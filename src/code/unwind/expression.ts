import type { SectionReader } from './section-reader.ts';
import type { StackReader } from './types.ts';

/** Values at once, and instructions in all: hand-written expressions need about ten. */
const DEEPEST_STACK = 64;
const MOST_STEPS = 1000;

/** DWARF 5 section 7.7.1; the operations that can occur in CFI. */
const DW_OP = {
  ADDR: 0x03,
  DEREF: 0x06,
  CONST1U: 0x08,
  CONST1S: 0x09,
  CONST2U: 0x0a,
  CONST2S: 0x0b,
  CONST4U: 0x0c,
  CONST4S: 0x0d,
  CONST8U: 0x0e,
  CONST8S: 0x0f,
  CONSTU: 0x10,
  CONSTS: 0x11,
  DUP: 0x12,
  DROP: 0x13,
  OVER: 0x14,
  PICK: 0x15,
  SWAP: 0x16,
  ROT: 0x17,
  ABS: 0x19,
  AND: 0x1a,
  DIV: 0x1b,
  MINUS: 0x1c,
  MOD: 0x1d,
  MUL: 0x1e,
  NEG: 0x1f,
  NOT: 0x20,
  OR: 0x21,
  PLUS: 0x22,
  PLUS_UCONST: 0x23,
  SHL: 0x24,
  SHR: 0x25,
  SHRA: 0x26,
  XOR: 0x27,
  BRA: 0x28,
  EQ: 0x29,
  GE: 0x2a,
  GT: 0x2b,
  LE: 0x2c,
  LT: 0x2d,
  NE: 0x2e,
  SKIP: 0x2f,
  LIT0: 0x30,
  LIT31: 0x4f,
  BREG0: 0x70,
  BREG31: 0x8f,
  BREGX: 0x92,
  DEREF_SIZE: 0x94,
  NOP: 0x96,
} as const;

/** Values that an expression may ask for. */
export type ExpressionInput = {
  /** Register by DWARF number, in signed form; NaN if unknown. */
  readonly registers: Float64Array;
  readonly stack: StackReader;
  readonly loadBias: number;
};

/**
 * Evaluates the expression in [start, end) of the section, with the CFA as first value where the
 * rule wants it. Returns an address in signed form; NaN if the expression is damaged, asks for what
 * isn't known, or doesn't end. Cold, hence whole 64-bit integers.
 */
export function evaluateExpression(
  reader: SectionReader,
  start: number,
  end: number,
  input: ExpressionInput,
  cfa: number,
): number {
  const values: bigint[] = Number.isNaN(cfa) ? [] : [BigInt(cfa)];
  reader.window(start, end);
  for (let step = 0; reader.at < reader.end && !reader.failed; step++) {
    if (step === MOST_STEPS || values.length > DEEPEST_STACK) return Number.NaN;
    if (!evaluateOperation(reader, start, input, values)) return Number.NaN;
  }
  const result = values.pop();
  if (reader.failed || result === undefined) return Number.NaN;
  const address = Number(BigInt.asIntN(64, result));
  return Number.isSafeInteger(address) ? address : Number.NaN;
}

function evaluateOperation(
  reader: SectionReader,
  start: number,
  input: ExpressionInput,
  values: bigint[],
): boolean {
  const op = reader.u8();
  if (op >= DW_OP.LIT0 && op <= DW_OP.LIT31) return push(values, BigInt(op - DW_OP.LIT0));
  if (op >= DW_OP.BREG0 && op <= DW_OP.BREG31) {
    return pushNumber(values, input.registers[op - DW_OP.BREG0] + reader.sleb());
  }
  switch (op) {
    case DW_OP.NOP:
      return true;
    case DW_OP.ADDR:
      return pushNumber(values, reader.absolute() + input.loadBias);
    case DW_OP.CONST1U:
      return push(values, BigInt(reader.u8()));
    case DW_OP.CONST1S:
      return push(values, BigInt(reader.i8()));
    case DW_OP.CONST2U:
      return push(values, BigInt(reader.u16()));
    case DW_OP.CONST2S:
      return push(values, BigInt(reader.i16()));
    case DW_OP.CONST4U:
      return push(values, BigInt(reader.u32()));
    case DW_OP.CONST4S:
      return push(values, BigInt(reader.i32()));
    case DW_OP.CONST8U:
    case DW_OP.CONST8S:
      return push(values, reader.bigI64());
    case DW_OP.CONSTU:
      return pushNumber(values, reader.uleb());
    case DW_OP.CONSTS:
      return pushNumber(values, reader.sleb());
    case DW_OP.BREGX:
      return pushNumber(values, (input.registers[reader.uleb()] ?? Number.NaN) + reader.sleb());
    case DW_OP.PICK:
      return pick(values, reader.u8());
    case DW_OP.DUP:
      return pick(values, 0);
    case DW_OP.OVER:
      return pick(values, 1);
    case DW_OP.SKIP:
    case DW_OP.BRA:
      return branch(reader, start, op === DW_OP.BRA ? values.pop() : 1n);
    case DW_OP.DEREF_SIZE:
      return dereference(values, input.stack, reader.u8());
    case DW_OP.DEREF:
      return dereference(values, input.stack, input.stack.wordBytes);
    case DW_OP.PLUS_UCONST:
      return pushNumber(values, reader.uleb()) && binary(DW_OP.PLUS, values);
    default:
      return rearrange(op, values) || unary(op, values) || binary(op, values);
  }
}

function push(values: bigint[], value: bigint): boolean {
  values.push(BigInt.asIntN(64, value));
  return true;
}

function pushNumber(values: bigint[], value: number): boolean {
  return Number.isSafeInteger(value) && push(values, BigInt(value));
}

function pick(values: bigint[], depth: number): boolean {
  const value = values[values.length - 1 - depth];
  return value !== undefined && push(values, value);
}

function dereference(values: bigint[], stack: StackReader, size: number): boolean {
  const address = values.pop();
  if (address === undefined || (size !== 8 && size !== 4)) return false;
  const word = stack.readWord(Number(address));
  if (!Number.isSafeInteger(word)) return false;
  return push(values, size === 8 ? BigInt(word) : BigInt.asUintN(32, BigInt(word)));
}

/** Branches stay inside the expression; going back is bounded by the count of steps. */
function branch(reader: SectionReader, start: number, condition: bigint | undefined): boolean {
  const distance = reader.i16();
  if (condition === undefined) return false;
  if (condition === 0n) return true;
  const target = reader.at + distance;
  if (target < start || target > reader.end) return false;
  reader.at = target;
  return true;
}

/** Drop, swap and rot. False for other operations, and if there is too little to rearrange. */
function rearrange(op: number, values: bigint[]): boolean {
  const count = op === DW_OP.DROP ? 1 : op === DW_OP.SWAP ? 2 : op === DW_OP.ROT ? 3 : 0;
  if (count === 0 || values.length < count) return false;
  const top = values.pop() as bigint;
  if (count > 1) values.splice(values.length - count + 1, 0, top);
  return true;
}

function unary(op: number, values: bigint[]): boolean {
  if (op !== DW_OP.ABS && op !== DW_OP.NEG && op !== DW_OP.NOT) return false;
  const value = values.pop();
  if (value === undefined) return false;
  if (op === DW_OP.NOT) return push(values, ~value);
  return push(values, op === DW_OP.NEG || value < 0n ? -value : value);
}

function binary(op: number, values: bigint[]): boolean {
  const right = values.pop();
  const left = values.pop();
  if (left === undefined || right === undefined) return false;
  const result = compute(op, left, right);
  return result !== null && push(values, result);
}

function compute(op: number, left: bigint, right: bigint): bigint | null {
  switch (op) {
    case DW_OP.AND:
      return left & right;
    case DW_OP.OR:
      return left | right;
    case DW_OP.XOR:
      return left ^ right;
    case DW_OP.PLUS:
      return left + right;
    case DW_OP.MINUS:
      return left - right;
    case DW_OP.MUL:
      return left * right;
    case DW_OP.DIV:
      return right === 0n ? null : left / right;
    case DW_OP.MOD:
      return right === 0n ? null : BigInt.asUintN(64, left) % BigInt.asUintN(64, right);
    case DW_OP.SHL:
      return isShift(right) ? left << right : 0n;
    case DW_OP.SHR:
      return isShift(right) ? BigInt.asUintN(64, left) >> right : 0n;
    case DW_OP.SHRA:
      return isShift(right) ? left >> right : left >> 63n;
    case DW_OP.EQ:
      return left === right ? 1n : 0n;
    case DW_OP.NE:
      return left !== right ? 1n : 0n;
    case DW_OP.GE:
      return left >= right ? 1n : 0n;
    case DW_OP.GT:
      return left > right ? 1n : 0n;
    case DW_OP.LE:
      return left <= right ? 1n : 0n;
    case DW_OP.LT:
      return left < right ? 1n : 0n;
    default:
      return null;
  }
}

function isShift(count: bigint): boolean {
  return count >= 0n && count < 64n;
}
