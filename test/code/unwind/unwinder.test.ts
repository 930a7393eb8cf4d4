import { describe, expect, test } from 'vitest';
import { createUnwinder } from '../../../src/code/unwind/architectures/create-unwinder.ts';
import {
  cfa,
  debugFrame,
  ehFrame,
  type FunctionTable,
  LOAD_BIAS,
  STACK,
  sections,
  textAt,
  unwind,
} from './cfi-bytes.ts';

const RCX = 2;
const RBX = 3;
const RBP = 6;
const RSP = 7;
const R12 = 12;
const RIP = 16;

/** `_start` at 0x1000 has no caller; main at 0x2000 has 16 bytes of locals; leaf at 0x3000 none. */
const START: FunctionTable = { start: 0x1000, size: 0x100, program: [cfa.undefined(RIP)] };
const MAIN: FunctionTable = { start: 0x2000, size: 0x100, program: [cfa.defOffset(24)] };
const LEAF: FunctionTable = { start: 0x3000, size: 0x100, program: [] };

/** leaf ← main ← _start. */
const STACK_OF_LEAF = [{ code: 0x2010 }, 0, 0, { code: 0x1010 }];
const WHOLE = '3000 2010 1010 | root';

describe('tables', () => {
  test('.eh_frame without a search table is indexed', () => {
    const found = unwind({
      sections: sections({ ehFrame: ehFrame([MAIN, LEAF, START]) }),
      ip: 0x3000,
      stack: STACK_OF_LEAF,
    });
    expect(found).toBe(WHOLE);
  });

  test('.debug_frame version 4 is read where .eh_frame has nothing', () => {
    const found = unwind({
      sections: sections({ ehFrame: ehFrame([LEAF]), debugFrame: debugFrame([START, MAIN]) }),
      ip: 0x3000,
      stack: STACK_OF_LEAF,
    });
    expect(found).toBe(WHOLE);
  });

  test('the row of an address is that of the last instruction at or before it', () => {
    // push %rbx at 0x3000, pop %rbx at 0x3010, ret; then code behind the early return.
    const table: FunctionTable = {
      start: 0x3000,
      size: 0x100,
      program: [
        cfa.advance(1),
        cfa.defOffset(16),
        cfa.offset(RBX, -16),
        cfa.rememberState(),
        cfa.advance(0x10),
        cfa.defOffset(8),
        cfa.advance(1),
        cfa.restoreState(),
      ],
    };
    const at = (ip: number, stack: readonly (number | { code: number })[]) =>
      unwind({ sections: sections({ ehFrame: ehFrame([START, table]) }), ip, stack });
    const entered = [{ code: 0x1010 }];
    const pushed = [0xbb, { code: 0x1010 }];
    expect(at(0x3000, entered)).toBe('3000 1010 | root');
    expect(at(0x3001, pushed)).toBe('3001 1010 | root');
    expect(at(0x3010, pushed)).toBe('3010 1010 | root');
    expect(at(0x3011, entered)).toBe('3011 1010 | root');
    expect(at(0x3012, pushed)).toBe('3012 1010 | root');
  });

  test('a caller is looked up one byte before its return address', () => {
    // main ends with a call that never returns: the return address is behind it.
    const found = unwind({
      sections: sections({ ehFrame: ehFrame([START, MAIN, LEAF]) }),
      ip: 0x3000,
      stack: [{ code: 0x2100 }, 0, 0, { code: 0x1010 }],
    });
    expect(found).toBe('3000 2100 1010 | root');
  });
});

describe('rules', () => {
  const withTable = (program: FunctionTable['program'], ip = 0x3010) => ({
    sections: sections({
      ehFrame: ehFrame([START, MAIN, { start: 0x3000, size: 0x100, program }]),
    }),
    ip,
  });

  test('a frame whose CFA is rbp restores rbp', () => {
    // Locals of unknown size below rbp; main hangs on the rbp that leaf saved.
    const main: FunctionTable = {
      start: 0x2000,
      size: 0x100,
      program: [cfa.def(RBP, 16), cfa.offset(RBP, -16)],
    };
    const leaf = { ...main, start: 0x3000 };
    const found = unwind({
      sections: sections({ ehFrame: ehFrame([START, main, leaf]) }),
      ip: 0x3010,
      registers: { [RBP]: STACK + 16 },
      stack: [0, 0, STACK + 40, { code: 0x2010 }, 0, 0, { code: 0x1010 }],
    });
    expect(found).toBe('3010 2010 1010 | root');
  });

  test('a register below the stack pointer was popped by the epilogue', () => {
    // GCC's table at `ret` still has rbp at cfa − 16.
    const found = unwind({
      sections: sections({
        ehFrame: ehFrame([
          START,
          { start: 0x2000, size: 0x100, program: [cfa.def(RBP, 16), cfa.offset(RBP, -16)] },
          { start: 0x3000, size: 0x100, program: [cfa.offset(RBP, -16)] },
        ]),
      }),
      ip: 0x3010,
      registers: { [RBP]: STACK + 8 },
      stack: [{ code: 0x2010 }, 0, { code: 0x1010 }],
    });
    expect(found).toBe('3010 2010 1010 | root');
  });

  test('a PLT entry has pushed one word from its eleventh byte on', () => {
    const breg = (register: number, offset: number) => [0x70 + register, offset];
    const program = [
      // breg7 8; breg16 0; lit15; and; lit11; ge; lit3; shl; plus
      cfa.defExpression(...breg(7, 8), ...breg(16, 0), 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22),
    ];
    expect(unwind({ ...withTable(program, 0x3010), stack: [{ code: 0x1010 }] })).toBe(
      '3010 1010 | root',
    );
    expect(unwind({ ...withTable(program, 0x301b), stack: [7, { code: 0x1010 }] })).toBe(
      '301b 1010 | root',
    );
  });

  test('a realigned stack keeps the old one below rbp', () => {
    // cfa = [rbp − 8]; rbp saved at rbp + 0.
    const program = [cfa.defExpression(0x76, 0x78, 0x06), cfa.expression(RBP, 0x76, 0)];
    const found = unwind({
      ...withTable(program),
      registers: { [RBP]: STACK + 16 },
      stack: [0, STACK + 48, 0, 0, 0, { code: 0x1010 }],
    });
    expect(found).toBe('3010 1010 | root');
  });

  test('a frame whose CFA is another register is unwound', () => {
    const unwinder = createUnwinder('x86-64');
    // leaf saves r12, of which main makes its frame: cfa = r12 + 8.
    const main: FunctionTable = { start: 0x2000, size: 0x100, program: [cfa.def(R12, 8)] };
    const leaf: FunctionTable = {
      start: 0x3000,
      size: 0x100,
      program: [cfa.defOffset(16), cfa.offset(R12, -16)],
    };
    const found = unwind({
      unwinder,
      sections: sections({ ehFrame: ehFrame([START, main, leaf]) }),
      ip: 0x3010,
      stack: [STACK + 32, { code: 0x2010 }, 0, 0, { code: 0x1010 }],
    });
    expect(found).toBe('3010 2010 1010 | root');
    expect(unwinder.statistics.fullUnwinds).toBe(1);
  });

  test.each([
    ['callee-saved', R12, '3000 2010 1010 | root'],
    ['no callee saves', RCX, '3000 2010 | register missing'],
  ])('a register that the row does not mention, %s', (_, register, expected) => {
    const main: FunctionTable = { start: 0x2000, size: 0x100, program: [cfa.def(register, 8)] };
    const found = unwind({
      sections: sections({ ehFrame: ehFrame([START, main, LEAF]) }),
      ip: 0x3000,
      registers: { [register]: STACK + 24 },
      stack: STACK_OF_LEAF,
    });
    expect(found).toBe(expected);
  });

  test('a signal frame goes on at the interrupted instruction', () => {
    // The trampoline at 0x4000 as glibc describes it; main was at its first instruction.
    const trampoline: FunctionTable = {
      start: 0x3fff,
      size: 0x10,
      isSignal: true,
      program: [
        cfa.defExpression(0x77, 0xa0, 0x01, 0x06),
        cfa.expression(RBP, 0x77, 0xf8, 0x00),
        cfa.expression(RIP, 0x77, 0xa8, 0x01),
      ],
    };
    const context = new Array<number | { code: number }>(22).fill(0);
    context[160 / 8] = STACK + 8 * 23;
    context[168 / 8] = { code: 0x2000 };
    const found = unwind({
      sections: sections({ ehFrame: ehFrame([START, MAIN, LEAF, trampoline]) }),
      ip: 0x3000,
      stack: [{ code: 0x4000 }, ...context, 0, 0, { code: 0x1010 }],
    });
    expect(found).toBe('3000 4000 2000! 1010 | root');
  });

  test('a signal frame without a table is recognized by its code', () => {
    const text = textAt(0x4000, [0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05]);
    const context = new Array<number | { code: number }>(22).fill(0);
    context[160 / 8] = STACK + 8 * 23;
    context[168 / 8] = { code: 0x2000 };
    const found = unwind({
      sections: sections({ ehFrame: ehFrame([START, MAIN, LEAF]), readText: text }),
      ip: 0x3000,
      stack: [{ code: 0x4000 }, ...context, 0, 0, { code: 0x1010 }],
    });
    expect(found).toBe('3000 4000 2000! 1010 | root');
  });
});

describe('without a table', () => {
  const noTable = { sections: sections({ ehFrame: ehFrame([START]) }), ip: 0x3010 };

  test('the frame pointer is followed, and tables where there are some', () => {
    const found = unwind({
      ...noTable,
      registers: { [RBP]: STACK + 8 },
      stack: [0, STACK + 24, { code: 0x2010 }, 0, { code: 0x1010 }],
    });
    expect(found).toBe('3010 2010 1010 | root');
  });

  test('a saved frame pointer of 0 ends the chain', () => {
    const found = unwind({
      ...noTable,
      registers: { [RBP]: STACK + 8 },
      stack: [0, 0, { code: 0x2010 }],
    });
    expect(found).toBe('3010 2010 | end of the frame pointer chain');
  });

  test('a frame pointer outside the stack is not followed', () => {
    const found = unwind({ ...noTable, registers: { [RBP]: 0x1234 }, stack: [{ code: 0x1010 }] });
    expect(found).toBe('3010 | no unwind table');
  });

  test.each([
    ['push %rbp; mov %rsp,%rbp', [0x55, 0x48, 0x89, 0xe5], 0, [{ code: 0x1010 }]],
    ['mov %rsp,%rbp behind it', [0x55, 0x48, 0x89, 0xe5], 1, [STACK + 8, { code: 0x1010 }]],
    [
      'add $16,%rsp; pop %rbp; ret',
      [0x48, 0x83, 0xc4, 16, 0x5d, 0xc3],
      0,
      [0, 0, 0, { code: 0x1010 }],
    ],
    ['pop %r12; pop %rbp; ret', [0x41, 0x5c, 0x5d, 0xc3], 0, [0, 0, { code: 0x1010 }]],
    ['ret', [0xc3], 0, [{ code: 0x1010 }]],
  ])('prologue and epilogue are recognized by their code: %s', (_, code, at, stack) => {
    const found = unwind({
      sections: sections({ ehFrame: ehFrame([START]), readText: textAt(0x3000, code) }),
      ip: 0x3000 + at,
      registers: { [RBP]: STACK + 0x100 },
      stack,
    });
    expect(found).toBe(`${(0x3000 + at).toString(16)} 1010 | root`);
  });
});

describe('ends', () => {
  const all = sections({ ehFrame: ehFrame([START, MAIN, LEAF]) });

  test('a stack dump that is too short ends the stack', () => {
    expect(unwind({ sections: all, ip: 0x3000, stack: [{ code: 0x2010 }, 0] })).toBe(
      '3000 2010 | stack copy too short',
    );
  });

  test('an unmapped return address ends the stack', () => {
    const stack = [{ code: 0x2010 }, 0, 0, 0x1234];
    expect(unwind({ sections: all, ip: 0x3000, stack })).toBe(
      '3000 2010 | return address not mapped',
    );
  });

  test('a return address of 0 ends the stack', () => {
    expect(unwind({ sections: all, ip: 0x3000, stack: [0] })).toBe('3000 | return address 0');
  });

  test('a missing file ends the stack', () => {
    expect(unwind({ sections: null, ip: 0x3000, stack: [] })).toBe('3000 | no unwind table');
  });

  test('a stack that loops ends', () => {
    // cfa = rbp + 16 with rbp pointing to itself: the caller's frame would be the same.
    const loop: FunctionTable = {
      start: 0x2000,
      size: 0x100,
      program: [cfa.def(RBP, 16), cfa.offset(RBP, -16)],
    };
    const found = unwind({
      sections: sections({ ehFrame: ehFrame([loop]) }),
      ip: 0x2010,
      registers: { [RBP]: STACK },
      stack: [STACK, { code: 0x2010 }],
    });
    expect(found).toBe('2010 2010 | stack pointer not advancing');
  });

  test('the unwinder writes as many frames as there is room for', () => {
    const stack = new Array(50).fill({ code: 0x3010 });
    const found = unwind({ sections: all, ip: 0x3000, stack, mostFrames: 3 });
    expect(found).toBe('3000 3010 3010 | too many frames');
  });

  test('a stack ends at the last return address that is wanted', () => {
    const input = { sections: all, ip: 0x3000, stack: [{ code: 0x3010 }, ...STACK_OF_LEAF] };
    expect(unwind({ ...input, last: 0x2010 })).toBe('3000 3010 2010 | too many frames');
    expect(unwind({ ...input, last: 0x3000 })).toBe('3000 3010 2010 1010 | root');
  });

  test('a stack has at most 1024 frames', () => {
    const stack = new Array(3000).fill({ code: 0x3010 });
    const found = unwind({ sections: all, ip: 0x3000, stack, mostFrames: 3000 });
    expect(found.split(' | ')[0]?.split(' ')).toHaveLength(1024);
  });

  test('an unknown CFI instruction ends the stack', () => {
    const bad: FunctionTable = { start: 0x3000, size: 0x100, program: [[0x3f]] };
    expect(unwind({ sections: sections({ ehFrame: ehFrame([bad]) }), ip: 0x3000, stack: [] })).toBe(
      '3000 | bad unwind table',
    );
  });
});

test('rules are found in the cache the second time, by address and process', () => {
  const unwinder = createUnwinder('x86-64');
  const input = {
    unwinder,
    sections: sections({ ehFrame: ehFrame([START, MAIN, LEAF]) }),
    ip: 0x3000,
    stack: STACK_OF_LEAF,
  };
  expect(unwind(input)).toBe(WHOLE);
  expect(unwinder.statistics).toMatchObject({ hits: 0, firstMisses: 3, collisions: 0 });
  // Another module at the same addresses, with other tables: nothing of the first may be taken.
  expect(unwind({ ...input, sections: sections({}) })).toBe('3000 | no unwind table');
  expect(unwinder.statistics.hits).toBe(0);
});

test('the registers after unwinding are those of the outermost frame', () => {
  const unwinder = createUnwinder('x86-64');
  const input = {
    unwinder,
    sections: sections({ ehFrame: ehFrame([START, MAIN, LEAF]) }),
    ip: 0x3000,
    stack: STACK_OF_LEAF,
    registers: { [RSP]: STACK },
  };
  unwind(input);
  expect(unwinder.stackPointer).toBe(STACK + 32);
  expect(unwinder.stopAddress).toBe(LOAD_BIAS + 0x100f);
});
