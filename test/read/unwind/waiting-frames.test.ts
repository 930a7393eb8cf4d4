import { expect, test } from 'vitest';
import { CallerLog } from '../../../src/code/jit/caller-log.ts';
import type { CodeTable } from '../../../src/code/jit/code-table.ts';
import { JitCode } from '../../../src/code/jit/jit-code.ts';
import { DsoTable } from '../../../src/code/process/dso-table.ts';
import { PERF_CONTEXT } from '../../../src/kernel/perf-event/constants.ts';
import { SampleView } from '../../../src/kernel/perf-event/sample.ts';
import { placeWaiting } from '../../../src/read/unwind/waiting-frames.ts';

const PID = 7;
/** Bytecode of the function, and its own entry to the interpreter. */
const BYTECODE = 0x2000_0040;
const ENTRY = 0x5000;
/** Code of the program's file: in V8's compiler, its callers, a handler of a bytecode. */
const [LEAF, COMPILER, RUNTIME, LAZY, HANDLER, CALLER, OUTER] = [1, 2, 3, 4, 5, 6, 7];

/** Moments: isolate, time, place in the bytecode, and the addresses around the call. */
type Moment = readonly [number, number, number, readonly number[]];

function logOf(moments: readonly Moment[]): CallerLog {
  const log = new CallerLog();
  for (const [isolate, timeNs, at, addresses] of moments) {
    const view = new DataView(new ArrayBuffer(40));
    for (const [i, value] of [BYTECODE + at, ...addresses].entries()) {
      view.setBigUint64(8 * i, BigInt(value), true);
    }
    log.add(isolate, timeNs, view, 0);
  }
  return log;
}

function placed(moments: readonly Moment[], timeNs: number, user: readonly number[]): number[] {
  const starts = [BYTECODE, ENTRY];
  const table: CodeTable = {
    length: 2,
    timeNs: Float64Array.of(-2, -1),
    start: Float64Array.from(starts),
    end: Float64Array.of(BYTECODE + 0x100, ENTRY + 0x40),
    restarts: [],
    name: () => 'JS:~work /app/a.js:1:14',
    hasSameName: (a, b) => a === b,
    isBytecode: (row) => row === 0,
    callers: logOf(moments),
  };
  const jit = new JitCode(
    new DsoTable(),
    () => [table],
    (of) => of === PID,
  );
  const sample = new SampleView({ high: 0, low: 0 });
  sample.pid = PID;
  sample.timeNs = timeNs;
  const chain = [PERF_CONTEXT.KERNEL, -4096 * 5, PERF_CONTEXT.USER, ...user];
  sample.callchain.set(chain);
  sample.callchainLength = chain.length;
  placeWaiting(sample, jit);
  return [...sample.callchain.subarray(3, sample.callchainLength)];
}

const IN_ENTRY = [RUNTIME, LAZY, ENTRY + 9, CALLER];
const LAZILY = [LEAF, COMPILER, ...IN_ENTRY, OUTER];

test('a function that waits for V8 is at the bytecode that the next code was compiled for', () => {
  const moments: Moment[] = [
    [1, 100, 0x10, IN_ENTRY],
    [1, 200, 0x20, IN_ENTRY],
  ];
  const at = (bytecode: number) => [LEAF, COMPILER, RUNTIME, LAZY, bytecode + 1, CALLER, OUTER];
  expect(placed(moments, 50, LAZILY)).toEqual(at(BYTECODE + 0x10));
  expect(placed(moments, 150, LAZILY)).toEqual(at(BYTECODE + 0x20));
  expect(placed(moments, 250, LAZILY)).toEqual(LAZILY);
});

test('a function that a handler hides from the walk is put behind the handler', () => {
  const hidden = [COMPILER, RUNTIME, HANDLER, CALLER];
  expect(placed([[1, 100, 0x30, hidden]], 50, [LEAF, ...hidden, OUTER])).toEqual([
    ...[LEAF, COMPILER, RUNTIME, HANDLER],
    ...[BYTECODE + 0x31, CALLER, OUTER],
  ]);
});

test('other frames around the call, and other code that was compiled first, leave it as it is', () => {
  expect(placed([[1, 100, 0x10, [COMPILER, LAZY, ENTRY + 9, CALLER]]], 50, LAZILY)).toEqual(LAZILY);
  expect(placed([[1, 100, 0x10, [RUNTIME, LAZY, ENTRY + 9, OUTER]]], 50, LAZILY)).toEqual(LAZILY);
  const first: Moment = [1, 80, 0x10, [RUNTIME, LAZY, HANDLER, CALLER]];
  expect(placed([first, [1, 100, 0x20, IN_ENTRY]], 50, LAZILY)).toEqual(LAZILY);
  const ofOther: Moment = [2, 80, 0x10, [RUNTIME, LAZY, HANDLER, CALLER]];
  expect(placed([ofOther, [1, 100, 0x20, IN_ENTRY]], 50, LAZILY)[4]).toBe(BYTECODE + 0x21);
});

test('an address at which no bytecode was announced places nothing', () => {
  expect(placed([[1, 100, 0x100, IN_ENTRY]], 50, LAZILY)).toEqual(LAZILY);
});

test('a function outside Node that called one of Node that waits is at its bytecode as well', () => {
  const [NODE, INNER] = [0x3000, 8];
  const ofNode: Moment = [1, 100, NODE - BYTECODE, [COMPILER, RUNTIME, INNER, HANDLER]];
  const chain = [LEAF, COMPILER, RUNTIME, INNER, HANDLER, CALLER, OUTER];
  const placedAt = (addresses: readonly number[], timeNs = 50, at = 100) =>
    placed([ofNode, [1, at, 0x30, addresses]], timeNs, chain);
  const outside = [RUNTIME, INNER, HANDLER, CALLER];
  expect(placedAt(outside)).toEqual([...chain.slice(0, 5), BYTECODE + 0x31, CALLER, OUTER]);
  expect(placedAt([LEAF, INNER, HANDLER, CALLER])).toEqual(chain);
  // A later moment, in front of which the other one is.
  expect(placedAt(outside, 50, 110)).toEqual(chain);
});
