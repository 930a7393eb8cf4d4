import { expect, test } from 'vitest';
import type { CodeTable } from '../../../src/code/jit/code-table.ts';
import { JitCode } from '../../../src/code/jit/jit-code.ts';
import { DsoTable } from '../../../src/code/process/dso-table.ts';
import { StackBytes } from '../../../src/code/unwind/stack-bytes.ts';
import { SampleView } from '../../../src/kernel/perf-event/sample.ts';
import { InterpretedFrames, locateCopy } from '../../../src/read/unwind/interpreted-frames.ts';

const PID = 7;
/** A tagged pointer to a bytecode array, whose first bytecode lies 0x40 bytes in. */
const ARRAY = 0x2000_0001;
const FIRST = 0x2000_0040;
const LENGTH = 0x100;
/** Return addresses: into V8's entry to its interpreter, into its caller, and into that one's. */
const ENTRY = 0x5000;
const CALLER = 0x6000;
const OUTER = 0x7000;
const HANDLER = 0x4000;
const STACK = 0x9000;
const FP = STACK + 0x60;

const table: CodeTable = {
  length: 1,
  timeNs: Float64Array.of(-1),
  start: Float64Array.of(FIRST),
  end: Float64Array.of(FIRST + LENGTH),
  restarts: [],
  name: () => 'JS:~work /app/a.js:1:14',
  hasSameName: () => true,
  isBytecode: () => true,
};

/** The frame of an interpreted function at `FP`, at its bytecode `at`; `bytes` of the stack are copied. */
function stackAt(at: number, bytes = 0x100): StackBytes {
  const view = new DataView(new ArrayBuffer(0x100));
  const set = (address: number, value: bigint) => view.setBigUint64(address - STACK, value, true);
  set(FP + 8, BigInt(CALLER));
  set(FP, BigInt(FP + 0x40));
  set(FP - 32, BigInt(ARRAY));
  // As V8 counts: from the tagged pointer.
  set(FP - 40, BigInt(at + FIRST - ARRAY) << 32n);
  set(FP + 0x48, BigInt(OUTER));
  const stack = new StackBytes();
  stack.set(view, 0, bytes, STACK);
  return stack;
}

function placed(
  stack: StackBytes,
  given: Readonly<Record<number, number>> = {},
  pid = PID,
  codes: CodeTable = table,
  chain: readonly number[] = [HANDLER, ENTRY, CALLER, OUTER],
): number[] {
  const jit = new JitCode(
    new DsoTable(),
    () => [codes],
    (of) => of === PID,
  );
  jit.advance(0);
  // Those of code further in.
  const registers = new Float64Array(17);
  registers[6] = FP;
  for (const [number, value] of Object.entries(given)) registers[Number(number)] = value;
  const frames = Float64Array.from(chain);
  const interpreted = new InterpretedFrames(jit);
  interpreted.place(pid, registers, stack, frames, new Uint8Array(4), 4);
  return [...frames];
}

test('an interpreted frame is at its bytecode, looked up in front of its return address', () => {
  expect(placed(stackAt(0x21))).toEqual([HANDLER, FIRST + 0x21 + 1, CALLER, OUTER]);
});

test('code that took the frame of the interpreter over keeps its place, as the frame has where that was left', () => {
  const at = (sign: string): CodeTable => ({
    ...table,
    ...{ length: 2, timeNs: Float64Array.of(-2, -1) },
    start: Float64Array.of(FIRST, ENTRY - 0x10),
    end: Float64Array.of(FIRST + LENGTH, ENTRY + 0x100),
    name: (row) => `JS:${row === 0 ? '~' : sign}work /app/a.js:1:14`,
    hasSameName: (a, b) => a === b || sign === '~',
    isBytecode: (row) => row === 0,
  });
  const placedAt = (sign: string) => placed(stackAt(0x21), {}, PID, at(sign))[1];
  expect(placedAt('~')).toBe(FIRST + 0x21 + 1);
  for (const sign of ['*', '+', '^']) expect(placedAt(sign)).toBe(ENTRY);
});

test('a handler that was interrupted has the bytecode in registers', () => {
  const registers = { 12: ARRAY, 9: 0x30 + FIRST - ARRAY };
  expect(placed(stackAt(0x21), registers)[1]).toBe(FIRST + 0x30 + 1);
  expect(placed(stackAt(0x21), { ...registers, 12: ARRAY + 8 })[1]).toBe(FIRST + 0x21 + 1);
  expect(placed(stackAt(0x21), { ...registers, 9: 0x10_0000 })[1]).toBe(FIRST + 0x21 + 1);
});

test('a function is at the bytecode of its frame without registers, unless the innermost code may be its handler', () => {
  const unknown = { 9: Number.NaN, 12: Number.NaN };
  expect(placed(stackAt(0x21), unknown)).toEqual([HANDLER, ENTRY, CALLER, OUTER]);
  const further = [HANDLER - 8, HANDLER, ENTRY, CALLER];
  expect(placed(stackAt(0x21), unknown, PID, table, further)).toEqual([
    ...further.slice(0, 2),
    ...[FIRST + 0x21 + 1, CALLER],
  ]);
});

/** A copy whose place is not known, of two frame records at `FP` and 0x40 behind; `stale`: words that calls have left. */
function strayCopy(stale: Readonly<Record<number, number>> = {}, bytes = 0x100): StackBytes {
  const view = new DataView(new ArrayBuffer(0x100));
  const words = { [FP]: FP + 0x40, [FP + 8]: CALLER, [FP + 0x40]: FP + 0x400, [FP + 0x48]: OUTER };
  for (const [at, word] of Object.entries({ ...words, ...stale }))
    view.setBigUint64(Number(at) - STACK, BigInt(word), true);
  const stack = new StackBytes();
  stack.set(view, 0, bytes, 2 ** 46);
  return stack;
}

test('two frame records in a row tell where a copy of the stack was', () => {
  const frames = Float64Array.of(HANDLER, CALLER, OUTER);
  const stack = strayCopy();
  expect(locateCopy(stack, frames, 1)).toBe(FP);
  expect(stack.start).toBe(STACK);
  // The return address of an earlier call, whose record is gone.
  expect(locateCopy(strayCopy({ [STACK + 0x20]: CALLER }), frames, 1)).toBe(FP);
});

test('a copy without two records of the callchain stays where it was put', () => {
  const at = (...frames: number[]) => {
    const stack = strayCopy({}, 0x98);
    expect(locateCopy(stack, Float64Array.from(frames), 1)).toBeNaN();
    expect(stack.start).toBe(2 ** 46);
  };
  at(HANDLER, CALLER, OUTER);
  at(HANDLER, CALLER);
  at(HANDLER, OUTER, CALLER);
  const twice = strayCopy({ [STACK + 0x18]: FP + 0x40, [STACK + 0x20]: CALLER });
  expect(locateCopy(twice, Float64Array.of(HANDLER, CALLER, OUTER), 1)).toBeNaN();
});

/** A callchain by frame pointer whose innermost function is at `ENTRY`, if `isSame` the one that the registers tell of. */
function innermost(
  given: Readonly<Record<number, number>>,
  isSame = true,
  chain = [HANDLER, ENTRY + 1, CALLER],
) {
  const entry = {
    ...table,
    start: Float64Array.of(FIRST, ENTRY),
    end: Float64Array.of(FIRST + LENGTH, ENTRY + 0x100),
  };
  const names: CodeTable = {
    ...entry,
    ...{ length: 2, timeNs: Float64Array.of(-2, -1) },
    hasSameName: (a, b) => a === b || isSame,
    isBytecode: (row) => row === 0,
  };
  const jit = new JitCode(
    new DsoTable(),
    () => [names],
    () => true,
  );
  jit.advance(0);
  const sample = new SampleView({ high: 0, low: 0 });
  sample.pid = PID;
  sample.callchain.set(chain);
  sample.callchainLength = chain.length;
  const registers = new Float64Array(17).fill(Number.NaN);
  for (const [number, value] of Object.entries(given)) registers[Number(number)] = value;
  const isPlaced = new InterpretedFrames(jit).placeInnermost(sample, 0, registers);
  const placed = [...sample.callchain.subarray(0, chain.length)];
  expect(isPlaced).toBe(placed.some((address, i) => address !== chain[i]));
  return placed;
}

test('the innermost function of a callchain is at the bytecode that registers of a handler have', () => {
  const registers = { 12: ARRAY, 9: 0x30 + FIRST - ARRAY };
  expect(innermost(registers)).toEqual([HANDLER, FIRST + 0x30 + 1, CALLER]);
  expect(innermost(registers, true, [ENTRY, CALLER])).toEqual([FIRST + 0x30, CALLER]);
});

test('registers that tell of another function, of no bytecode, or that code further in has used, place nothing', () => {
  const registers = { 12: ARRAY, 9: 0x30 + FIRST - ARRAY };
  const stays = [HANDLER, ENTRY + 1, CALLER];
  expect(innermost(registers, false)).toEqual(stays);
  expect(innermost({ ...registers, 9: LENGTH + FIRST - ARRAY })).toEqual(stays);
  expect(innermost({ ...registers, 12: ARRAY + 1 })).toEqual(stays);
  expect(innermost({})).toEqual(stays);
  const deep = [HANDLER, HANDLER, HANDLER, ENTRY + 1];
  expect(innermost(registers, true, deep)).toEqual(deep);
  const placed = [HANDLER, FIRST + 0x11, CALLER];
  expect(innermost(registers, true, placed)).toEqual(placed);
});

test('a frame stays as it is where V8 announced no bytecode, or the copy of the stack ends before it', () => {
  const stays = [HANDLER, ENTRY, CALLER, OUTER];
  expect(placed(stackAt(LENGTH))).toEqual(stays);
  expect(placed(stackAt(0x21), {}, PID + 1)).toEqual(stays);
  expect(placed(stackAt(0x21, 0x60))).toEqual(stays);
});
