import { expect, test } from 'vitest';
import { RegisterDump } from '../../../src/code/unwind/register-dump.ts';
import {
  cfa,
  ehFrame,
  type FunctionTable,
  STACK_32,
  sections,
  textAt,
  type UnwindInput,
  unwind,
} from './cfi-bytes.ts';

const ESP = 4;
const EBP = 5;
const EIP = 8;
const BREG4 = 0x74;
const BREG5 = 0x75;
const DEREF = 0x06;

const START: FunctionTable = { start: 0x1000, size: 0x100, program: [cfa.undefined(EIP)] };
/** sub $8,%esp. Offsets of saved registers are twice what they are, see `cfa.offset`. */
const MAIN: FunctionTable = { start: 0x2000, size: 0x100, program: [cfa.defOffset(12)] };
const LEAF: FunctionTable = { start: 0x3000, size: 0x100, program: [] };
const tables = sections({
  ehFrame: ehFrame([START, MAIN, LEAF], 'i386'),
  addressBytes: 4,
});
const FRAME_OF_MAIN = [0, 0, { code: 0x1010 }];

function unwind386(input: Omit<UnwindInput, 'architecture'>): string {
  return unwind({ architecture: 'i386', ...input });
}

test('words of a 32-bit stack have four bytes', () => {
  const stack = [{ code: 0x2010 }, ...FRAME_OF_MAIN];
  expect(unwind386({ sections: tables, ip: 0x3000, stack })).toBe('3000 2010 1010 | root');
});

test('a saved frame pointer leads to the caller', () => {
  const saves: FunctionTable = {
    start: 0x3000,
    size: 0x100,
    program: [cfa.def(EBP, 8), cfa.offset(EBP, -16)],
  };
  const found = unwind386({
    sections: sections({ ehFrame: ehFrame([START, MAIN, saves], 'i386'), addressBytes: 4 }),
    ip: 0x3000,
    registers: { [EBP]: STACK_32 + 4 },
    stack: [0, 0, { code: 0x2010 }, ...FRAME_OF_MAIN],
  });
  expect(found).toBe('3000 2010 1010 | root');
});

// main of programs whose stack GCC realigns: CFA breg5(ebp) -4; deref, ebp at breg5(ebp) 0.
test('a realigned stack keeps the old one below the frame pointer', () => {
  const realigned: FunctionTable = {
    start: 0x3000,
    size: 0x100,
    program: [cfa.defExpression(BREG5, 0x7c, DEREF), cfa.expression(EBP, BREG5, 0)],
  };
  const found = unwind386({
    sections: sections({ ehFrame: ehFrame([START, MAIN, realigned], 'i386'), addressBytes: 4 }),
    ip: 0x3000,
    registers: { [EBP]: STACK_32 + 8 },
    //      below           at ebp
    stack: [0, STACK_32 + 20, STACK_32 + 64, 0, { code: 0x2010 }, ...FRAME_OF_MAIN],
  });
  expect(found).toBe('3000 2010 1010 | root');
});

test.each([
  [0x3008, 1],
  [0x300c, 2],
])('the PLT entry at byte %i has %i words below the return address', (ip, words) => {
  // breg4 4; breg8 0; lit15; and; lit11; ge; lit2; shl; plus
  const operations = [BREG4, 4, 0x78, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x32, 0x24, 0x22];
  const plt: FunctionTable = {
    start: 0x3000,
    size: 0x100,
    program: [cfa.defExpression(...operations)],
  };
  const pushed = new Array<number>(words - 1).fill(7);
  const found = unwind386({
    sections: sections({ ehFrame: ehFrame([START, MAIN, plt], 'i386'), addressBytes: 4 }),
    ip,
    stack: [...pushed, { code: 0x2010 }, ...FRAME_OF_MAIN],
  });
  expect(found).toBe(`${ip.toString(16)} 2010 1010 | root`);
});

test('code without tables is followed by frame pointer', () => {
  const found = unwind386({
    sections: null,
    ip: 0x3000,
    registers: { [EBP]: STACK_32 + 4 },
    stack: [9, STACK_32 + 12, { code: 0x2010 }, 0, { code: 0x1010 }],
  });
  expect(found).toBe('3000 2010 1010 | end of the frame pointer chain');
});

test.each([
  ['before push %ebp', 0x3000, [{ code: 0x2010 }]],
  ['behind push %ebp', 0x3001, [STACK_32 + 8, { code: 0x2010 }]],
  ['before pop %ebp', 0x3003, [STACK_32 + 8, { code: 0x2010 }]],
  ['before ret', 0x3004, [{ code: 0x2010 }]],
])("%s the frame pointer is still, or again, the caller's", (_, ip, pushed) => {
  const code = [0x55, 0x89, 0xe5, 0x5d, 0xc3];
  const found = unwind386({
    sections: sections({ readText: textAt(0x3000, code), addressBytes: 4 }),
    ip,
    registers: { [EBP]: STACK_32 + 4 * pushed.length },
    stack: [...pushed, 0, { code: 0x1010 }],
  });
  expect(found).toBe(`${ip.toString(16)} 2010 1010 | end of the frame pointer chain`);
});

/** Text and tables of callers; the code that they call has neither. */
const outer = sections({
  ehFrame: ehFrame([START, MAIN], 'i386'),
  readText: textAt(0x200b, [0xe8, 0, 0, 0, 0]),
  addressBytes: 4,
});

// push %ecx; push %edx; push %ebp; …; int $0x80
test('a system call in a vDSO that can’t be read has pushed three registers', () => {
  const found = unwind386({
    sections: outer,
    isVdso: true,
    ip: 0x3000,
    stack: [STACK_32 + 16, 5, 6, { code: 0x2010 }, ...FRAME_OF_MAIN],
  });
  expect(found).toBe('3000 2010 1010 | root');
});

test.each([
  ['without siginfo', 1],
  ['with siginfo', 40],
])('a handler returns through a vDSO that can’t be read: a signal frame %s', (_, context) => {
  // { sig } or { sig; pinfo; puc; siginfo; … }, then gs fs es ds di si bp sp bx dx cx ax trapno err ip
  const frame = new Array<number | { code: number }>(context + 15).fill(1);
  if (context > 1) frame[2] = STACK_32 + 4 + 12 + 128;
  frame[context + 7] = STACK_32 + 4 * (1 + frame.length);
  frame[context + 14] = { code: 0x2010 };
  const handler: FunctionTable = { start: 0x3000, size: 0x100, program: [] };
  const found = unwind386({
    sections: { ...outer, ehFrame: ehFrame([START, MAIN, handler], 'i386') },
    isVdso: true,
    ip: 0x3000,
    stack: [{ code: 0x4001 }, ...frame, ...FRAME_OF_MAIN],
  });
  expect(found).toBe('3000 4001 2010! 1010 | root');
});

test('a register dump has its registers in perf’s order, in the lower halves', () => {
  // ax bx cx dx si di bp sp ip flags … r8
  const mask = 0x1_03ffn;
  const view = new DataView(new ArrayBuffer(11 * 8));
  for (let i = 0; i < 11; i++) view.setBigUint64(i * 8, 0xdead_0000_8000_0000n + BigInt(i), true);
  const dump = new RegisterDump('i386', mask);
  const registers = dump.read(view, 0, 11);
  dump.readOthers();
  expect([...registers].map((value) => value - 0x8000_0000)).toEqual([0, 2, 3, 1, 7, 6, 4, 5, 8]);
  expect([dump.stackPointer, dump.instructionPointer]).toEqual([ESP, EIP]);
});
