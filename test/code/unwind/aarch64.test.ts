import { expect, test } from 'vitest';
import { isBehindCall, isSigreturn } from '../../../src/code/unwind/architectures/aarch64/code.ts';
import { RegisterDump } from '../../../src/code/unwind/register-dump.ts';
import {
  cfa,
  ehFrame,
  type FunctionTable,
  LOAD_BIAS,
  STACK,
  sections,
  textAt,
  type UnwindInput,
  u32,
  unwind,
} from './cfi-bytes.ts';

const FP = 29;
const LR = 30;
/** Bits of a signature, as the pointer authentication of a 48-bit address space leaves them. */
const SIGNED = 0x0012_0000_0000_0000;

const START: FunctionTable = { start: 0x1000, size: 0x100, program: [cfa.undefined(LR)] };
/** stp x29, x30, [sp, #-32]! */
const MAIN: FunctionTable = {
  start: 0x2000,
  size: 0x100,
  program: [cfa.defOffset(32), cfa.offset(FP, -32), cfa.offset(LR, -24)],
};
const LEAF: FunctionTable = { start: 0x3000, size: 0x100, program: [] };
const FRAME_OF_MAIN = [0, { code: 0x1010 }, 0, 0];

function unwindArm(input: Omit<UnwindInput, 'architecture'>): string {
  return unwind({ architecture: 'aarch64', ...input });
}

const tables = sections({ ehFrame: ehFrame([START, MAIN, LEAF], 'aarch64') });

test('a leaf function has its return address in the link register', () => {
  const found = unwindArm({
    sections: tables,
    ip: 0x3000,
    registers: { [LR]: LOAD_BIAS + 0x2010 },
    stack: FRAME_OF_MAIN,
  });
  expect(found).toBe('3000 2010 1010 | root');
});

// gcc counts instructions, not bytes. Each stretch has its return address in another word.
test.each([
  [0x3000, '3010'],
  [0x3004, '2001'],
  [0x3008, '2001'],
  [0x300c, '2003'],
  [0x3014, '2003'],
  [0x3018, '2005'],
  [0x3420, '2005'],
  [0x3424, '2007'],
])('a CFI row at %i with a code alignment factor covers its instructions', (ip, caller) => {
  const counting: FunctionTable = {
    start: 0x3000,
    size: 0x1000,
    codeFactor: 4,
    program: [
      cfa.advanceShort(1),
      [...cfa.defOffset(16), ...cfa.offset(LR, -8)],
      cfa.advance1(2),
      cfa.defOffset(32),
      cfa.advance2(3),
      cfa.defOffset(48),
      cfa.advance4(0x103),
      cfa.defOffset(64),
    ],
  };
  const found = unwindArm({
    sections: sections({ ehFrame: ehFrame([MAIN, counting], 'aarch64') }),
    ip,
    registers: { [LR]: LOAD_BIAS + 0x3010 },
    stack: Array.from({ length: 10 }, (_, i) => ({ code: 0x2000 + i })),
    mostFrames: 2,
  });
  expect(found).toBe(`${ip.toString(16)} ${caller} | too many frames`);
});

test('the return address is in the link register in the innermost frame only', () => {
  const found = unwindArm({
    sections: sections({ ehFrame: ehFrame([LEAF], 'aarch64') }),
    ip: 0x3000,
    registers: { [LR]: LOAD_BIAS + 0x3010 },
    stack: FRAME_OF_MAIN,
  });
  expect(found).toBe('3000 3010 | stack pointer not advancing');
});

test('signed return addresses lose the bits of their signature', () => {
  const found = unwindArm({
    sections: tables,
    ip: 0x2000,
    stack: [0, LOAD_BIAS + 0x2010 + SIGNED, 0, 0, ...FRAME_OF_MAIN],
  });
  expect(found).toBe('2000 2010 1010 | root');
});

test('a signed link register of a register dump loses its signature bits', () => {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, 0xffe2_7fff_1234_5678n, true);
  const dump = new RegisterDump('aarch64', 1n << 30n);
  expect(dump.read(view, 0, 1)[LR]).toBe(0x7fff_1234_5678);
});

test('a frame whose CFA is the frame pointer is unwound', () => {
  const alloca: FunctionTable = {
    start: 0x3000,
    size: 0x100,
    program: [cfa.def(FP, 32), cfa.offset(FP, -32), cfa.offset(LR, -24)],
  };
  const found = unwindArm({
    sections: sections({ ehFrame: ehFrame([START, MAIN, alloca], 'aarch64') }),
    ip: 0x3010,
    registers: { [FP]: STACK + 16 },
    stack: [0, 0, 0, { code: 0x2010 }, 0, 0, ...FRAME_OF_MAIN],
  });
  expect(found).toBe('3010 2010 1010 | root');
});

test('the unwind tables continue after a step by frame pointer', () => {
  // 0x4000 has no table: its saved pair lies somewhere in its frame, so the stack pointer is unknown;
  // main's own pair is where its frame pointer points.
  const found = unwindArm({
    sections: tables,
    ip: 0x4010,
    registers: { [FP]: STACK + 8 },
    stack: [0, STACK + 48, { code: 0x2010 }, 7, 7, 7, ...FRAME_OF_MAIN],
  });
  expect(found).toBe('4010 2010 1010 | root');
});

test.each([
  ['paciasp; stp x29, x30, [sp, #-16]!', [0xd503233f, 0xa9bf7bfd], 0, 0],
  ['ret', [0xd65f03c0], 0, 0],
  ['autiasp; ret', [0xd50323bf, 0xd65f03c0], 0, 0],
])('%s without a table has the return address in the link register', (_, code, at, words) => {
  const found = unwindArm({
    sections: { ...tables, readText: textAt(0x4000, code.flatMap(u32)) },
    ip: 0x4000 + at,
    registers: { [LR]: LOAD_BIAS + 0x2010, [FP]: 0 },
    stack: [...new Array<number>(words).fill(0), ...FRAME_OF_MAIN],
  });
  expect(found).toBe('4000 2010 1010 | root');
});

test.each([
  ['mov x29, sp behind the stp', [0xa9be7bfd, 0x910003fd], 4],
  ['ldp x29, x30, [sp], #32; ret', [0xa8c27bfd, 0xd65f03c0], 0],
  ['ldp x29, x30, [sp]; add sp, sp, #32; ret', [0xa9407bfd, 0x910083ff, 0xd65f03c0], 0],
])('%s without a table has the return address on the stack', (_, code, at) => {
  const found = unwindArm({
    sections: { ...tables, readText: textAt(0x4000, code.flatMap(u32)) },
    ip: 0x4000 + at,
    registers: { [FP]: 0 },
    stack: [0, { code: 0x2010 }, 0, 0, ...FRAME_OF_MAIN],
  });
  expect(found).toBe(`${(0x4000 + at).toString(16)} 2010 1010 | root`);
});

test('code at the start and the end of its section is analysed', () => {
  const call = Uint8Array.from([0x94000010, 0xd503201f].flatMap(u32)); // bl; nop
  expect([0, 4, 8, 12].map((at) => isBehindCall(call, at))).toEqual([false, true, false, false]);
  const trampoline = Uint8Array.from([0xd2801168, 0xd4000001].flatMap(u32)); // mov x8, #139; svc #0
  expect([-4, 0, 4].map((at) => isSigreturn(trampoline, at))).toEqual([false, true, false]);
  expect(isSigreturn(trampoline.subarray(0, 7), 0)).toBe(false);
});

test("a signal frame is recognized by the vDSO's code", () => {
  // mov x8, #139; svc #0. The context is at sp: x0 … x30 from 312 on, sp 560, pc 568.
  const context = new Array<number | { code: number }>(72).fill(0);
  context[(312 + 30 * 8) / 8] = { code: 0x2010 };
  context[560 / 8] = STACK + 72 * 8;
  context[568 / 8] = { code: 0x3000 };
  const found = unwindArm({
    sections: { ...tables, readText: textAt(0x5000, [0xd2801168, 0xd4000001].flatMap(u32)) },
    ip: 0x3000,
    registers: { [LR]: LOAD_BIAS + 0x5000 },
    stack: [...context, ...FRAME_OF_MAIN],
  });
  expect(found).toBe('3000 5000 3000! 2010 1010 | root');
});
