import { describe, expect, test } from 'vitest';
import { isBehindCall, isSigreturn } from '../../../src/code/unwind/architectures/arm/code.ts';
import type { UnwindSection, UnwindSections } from '../../../src/code/unwind/module-input.ts';
import { RegisterDump } from '../../../src/code/unwind/register-dump.ts';
import {
  cfa,
  ehFrame,
  type FunctionTable,
  LOAD_BIAS_32,
  STACK_32,
  sections,
  textAt,
  type UnwindInput,
  u32,
  unwind,
} from './cfi-bytes.ts';

const R7 = 7;
const FP = 11;
const LR = 14;
const INDEX_ADDRESS = 0x9000;
const TABLE_ADDRESS = 0x9800;
const CANNOT_UNWIND = 1;

function unwindArm(input: Omit<UnwindInput, 'architecture'>): string {
  return unwind({ architecture: 'arm', ...input });
}

/** 31 bits from `place` to `target`. */
function from(place: number, target: number): number {
  return (target - place) & 0x7fffffff;
}

type Entry = {
  readonly start: number;
  /** The second word of the index; or the words of its entry in `.ARM.extab`. */
  readonly content: number | readonly number[];
};

/** `.ARM.exidx` and `.ARM.extab` of functions in the order of their addresses. */
function exceptionTables(entries: readonly Entry[]): UnwindSections {
  const index: number[] = [];
  const table: number[] = [];
  for (const { start, content } of entries) {
    const place = INDEX_ADDRESS + index.length;
    index.push(...u32(from(place, start)));
    if (typeof content === 'number') index.push(...u32(content));
    else {
      index.push(...u32(from(place + 4, TABLE_ADDRESS + table.length)));
      for (const word of content) table.push(...u32(word));
    }
  }
  const armIndex: UnwindSection = { bytes: Uint8Array.from(index), address: INDEX_ADDRESS };
  const armTable: UnwindSection = { bytes: Uint8Array.from(table), address: TABLE_ADDRESS };
  return sections({ armIndex, armTable, addressBytes: 4 });
}

/** Up to three instructions in the index itself. */
function inline(...[a = 0xb0, b = 0xb0, c = 0xb0]: readonly number[]): number {
  return (0x80 << 24) | (a << 16) | (b << 8) | c;
}

/** main: push {r3, lr}; it has no caller that a table knows. */
const MAIN: Entry = { start: 0x2000, content: inline(0x84, 0x00) };
const FRAME_OF_MAIN = [{ code: 0x1010 }];
const START: Entry = { start: 0x1000, content: CANNOT_UNWIND };

describe('tables for exceptions', () => {
  test.each<[string, number | readonly number[], readonly (number | { code: number })[]]>([
    // 0xa8 | n: pop {r4-r4+n, lr}
    ['push {r4, lr}', inline(0xa8), [4, { code: 0x2011 }]],
    ['push {r4-r7, lr}; sub sp, #8', inline(0x01, 0xab), [0, 0, 4, 5, 6, 7, { code: 0x2010 }]],
    // 0x84 0x80: pop {r11, lr}
    ['push {fp, lr}', inline(0x84, 0x80), [11, { code: 0x2010 }]],
    // 0xb1 0x0f: pop {r0-r3}, of a function with a variable number of arguments
    [
      'push {r0-r3}; push {lr}',
      [(0x81 << 24) | (1 << 16) | 0x84_00, (0x03 << 24) | 0xb0b0b0],
      [{ code: 0x2010 }, 0, 1, 2, 3],
    ],
    // 0xb2 1: vsp += 0x204 + 4
    ['a large frame', inline(0xb2, 1, 0xa8), [...new Array<number>(131).fill(0), { code: 0x2010 }]],
    // 0xb9: pop d8, d9, and a word; 0xd1: the same without
    ['vpush {d8, d9}', inline(0xd1, 0xa8), [0, 0, 0, 0, 4, { code: 0x2010 }]],
    ['fstmfdx {d8, d9}', inline(0xb9, 0xa8), [0, 0, 0, 0, 0, 4, { code: 0x2010 }]],
    // With a personality of its own: its address, how many words follow, three bytes, the words.
    [
      'C++',
      [from(TABLE_ADDRESS, 0x4000), (1 << 24) | 0x0101_01, 0x01a8_b0b0],
      [...new Array<number>(8).fill(0), 4, { code: 0x2010 }],
    ],
  ])('exception tables describe the registers that %s pushed', (_, content, pushed) => {
    const found = unwindArm({
      sections: exceptionTables([START, MAIN, { start: 0x3000, content }]),
      ip: 0x3010,
      stack: [...pushed, ...FRAME_OF_MAIN],
    });
    expect(found).toBe('3010 2010 1010 | no unwind table');
  });

  test('exception tables follow the frame pointer of Arm code, and r7, that of Thumb code', () => {
    // 0x9n: vsp = rn; 0x41: vsp -= 8; pop {r11, lr}, and {r7, lr}
    const arm = { start: 0x3000, content: inline(0x9b, 0x84, 0x80) };
    const thumb = { start: 0x3000, content: inline(0x97, 0x84, 0x08) };
    const stack = [0, 0, 0, 0, { code: 0x2010 }, ...FRAME_OF_MAIN];
    for (const [register, entry] of [[FP, arm] as const, [R7, thumb] as const]) {
      const found = unwindArm({
        sections: exceptionTables([START, MAIN, entry]),
        ip: 0x3010,
        registers: { [register]: STACK_32 + 12 },
        stack,
      });
      expect(found).toBe('3010 2010 1010 | no unwind table');
    }
  });

  test('exception tables hold from the second instruction on; at the first the caller is in lr', () => {
    const found = unwindArm({
      sections: exceptionTables([START, MAIN, { start: 0x3000, content: inline(0xa8) }]),
      ip: 0x3000,
      registers: { [LR]: LOAD_BIAS_32 + 0x2010 },
      stack: FRAME_OF_MAIN,
    });
    expect(found).toBe('3000 2010 1010 | no unwind table');
  });

  test('exception tables of a leaf function push nothing', () => {
    const found = unwindArm({
      sections: exceptionTables([START, MAIN, { start: 0x3000, content: inline() }]),
      ip: 0x3010,
      registers: { [LR]: LOAD_BIAS_32 + 0x2010 },
      stack: FRAME_OF_MAIN,
    });
    expect(found).toBe('3010 2010 1010 | no unwind table');
  });

  test.each([
    ['reserved instructions', inline(0xca)],
    ['a personality in the index that has none there', 0x81a8b0b0],
    ['an entry outside the table', 0x7000],
    ['words behind the end of the table', [0x81ff_a8b0]],
  ])('exception tables with %s are damaged', (_, content) => {
    const found = unwindArm({
      sections: exceptionTables([START, MAIN, { start: 0x3000, content }]),
      ip: 0x3010,
      stack: [4, { code: 0x2010 }],
    });
    expect(found).toBe('3010 | bad unwind table');
  });

  test('.debug_frame precedes exception tables, as it holds at every instruction', () => {
    const main: FunctionTable = {
      start: 0x2000,
      size: 0x100,
      program: [cfa.defOffset(4), cfa.offset(LR, -8)],
    };
    const { armIndex } = exceptionTables([START, { start: 0x2000, content: CANNOT_UNWIND }]);
    const found = unwindArm({
      sections: sections({ armIndex: armIndex!, ehFrame: ehFrame([main], 'arm'), addressBytes: 4 }),
      ip: 0x2010,
      stack: [{ code: 0x1010 }],
    });
    expect(found).toBe('2010 1010 | no unwind table');
  });
});

describe('code without tables', () => {
  const PUSH_FP_LR = 0xe92d4800;
  const ADD_FP_SP_4 = 0xe28db004;
  const POP_FP_PC = 0xe8bd8800;
  const BX_LR = 0xe12fff1e;
  const code = [PUSH_FP_LR, ADD_FP_SP_4, 0, POP_FP_PC, BX_LR].flatMap(u32);
  const readText = textAt(0x3000, code);
  const saved = [STACK_32 + 12, { code: 0x2010 }];
  // GCC's frame pointer is at the saved link register.
  const outer = [0, { code: 0x1010 }];
  test.each([
    ['push {fp, lr}', 0x3000, [], STACK_32 + 4],
    ['add fp, sp, #4', 0x3004, saved, STACK_32 + 12],
    ['the body', 0x3008, saved, STACK_32 + 4],
    ['pop {fp, pc}', 0x300c, saved, STACK_32 + 4],
    ['bx lr', 0x3010, [], STACK_32 + 4],
  ])('code without tables is analysed at %s', (_, ip, pushed, fp) => {
    const found = unwindArm({
      sections: sections({ readText, addressBytes: 4 }),
      ip,
      registers: { [FP]: fp, [LR]: LOAD_BIAS_32 + 0x2010 },
      stack: [...pushed, ...outer],
    });
    expect(found).toBe(`${ip.toString(16)} 2010 1010 | end of the frame pointer chain`);
  });

  test("a return address follows a call, or a signal handler's return", () => {
    const bytes = (...words: number[]) => Uint8Array.from(words.flatMap(u32));
    expect(isBehindCall(bytes(0xeb000010), 4)).toBe(true);
    expect(isBehindCall(bytes(0xe12fff33), 4)).toBe(true);
    expect(isBehindCall(bytes(0xe1a00000), 4)).toBe(false);
    // Thumb: bl, blx r3
    expect(isBehindCall(bytes(0xf800f000), 4)).toBe(true);
    expect(isBehindCall(bytes(0x4798bf00), 4)).toBe(true);
    expect(isSigreturn(bytes(0xe3a070ad, 0xef000000), 0)).toBe(true);
    expect(isSigreturn(bytes(0xdf0027ad), 0)).toBe(true);
    expect(isSigreturn(bytes(0xe3a07077, 0xef000000), 0)).toBe(false);
  });

  test('code interrupted by a signal continues at its ip, with its link register', () => {
    const trampoline = [0xe3a070ad, 0xef000000].flatMap(u32);
    const frame = new Array<number | { code: number }>(56).fill(0);
    // siginfo, ucontext up to the registers; then r0 … pc
    frame[40 + 13] = STACK_32 + 4 * frame.length;
    frame[40 + LR] = { code: 0x2011 };
    frame[40 + 15] = { code: 0x3010 };
    const leaf = exceptionTables([START, MAIN, { start: 0x3000, content: inline() }]);
    const found = unwindArm({
      sections: { ...leaf, readText: textAt(0x800, trampoline) },
      ip: 0x800,
      stack: [...frame, ...FRAME_OF_MAIN],
    });
    expect(found).toBe('800 3010! 2010 1010 | no unwind table');
  });
});

test('a register dump has the numbers of the code, of a 64-bit kernel too', () => {
  const view = new DataView(new ArrayBuffer(33 * 8));
  for (let i = 0; i < 33; i++) view.setBigUint64(i * 8, 0xf000_0001n + 2n * BigInt(i), true);
  const dump = new RegisterDump('arm', 0x1_ffff_ffffn);
  const registers = dump.read(view, 0, 33);
  dump.readOthers();
  expect(registers.length).toBe(16);
  expect(registers[3]).toBe(0xf000_0007);
  expect(registers[15]).toBe(0xf000_001f);
  // Without the bit of Thumb code.
  expect(registers[LR]).toBe(0xf000_001c);
});
