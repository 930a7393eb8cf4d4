import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Instruction } from '../../../src/code/unwind/architectures/x86-64/instruction.ts';
import { walkToReturn } from '../../../src/code/unwind/architectures/x86-64/walk-to-return.ts';
import { KIND, UnwindRule } from '../../../src/code/unwind/unwind-rule.ts';
import { engineFile } from '../../helpers/engine.ts';
import { openElf } from '../../helpers/unwind-recording.ts';
import { cfa, ehFrame, STACK, sections, textAt, unwind, type Word } from './cfi-bytes.ts';

const hasObjdump = spawnSync('objdump', ['--version']).status === 0;

/** cfa offset, and the caller's rbp from the cfa; null if the walk finds nothing. */
function walk(...code: readonly number[][]): [cfa: number, rbp: number] | null {
  const rule = new UnwindRule();
  const found = walkToReturn(Uint8Array.from(code.flat()), 0, rule);
  return found ? [rule.cfaOffset, rule.fpOffset] : null;
}

const RET = [0xc3];
const ADD_RSP_8 = [0x48, 0x83, 0xc4, 8];
const SUB_RSP_8 = [0x48, 0x83, 0xec, 8];
const POP_RBX = [0x5b];
const POP_RBP = [0x5d];
const PUSH_RDI = [0x57];
const CALL = [0xe8, 0, 1, 0, 0];
const MOV_EAX_EDI = [0x89, 0xf8];

describe('walking to the return', () => {
  test('walking to the return: words popped lie below the return address', () => {
    expect(walk(RET)).toEqual([8, 0]);
    expect(walk(MOV_EAX_EDI, ADD_RSP_8, POP_RBX, RET)).toEqual([24, 0]);
    expect(walk(ADD_RSP_8, POP_RBX, POP_RBP, RET)).toEqual([32, -16]);
    expect(walk(SUB_RSP_8, PUSH_RDI, CALL, POP_RBX, ADD_RSP_8, ADD_RSP_8, RET)).toEqual([16, 0]);
    expect(walk([0x48, 0x81, 0xc4, 0, 1, 0, 0], RET)).toEqual([264, 0]);
    expect(walk([0x48, 0x8d, 0x64, 0x24, 0x18], RET)).toEqual([32, 0]);
  });

  test('jumps are followed, and branches taken the second time', () => {
    // jmp over a pop
    expect(walk([0xeb, 1], POP_RBX, RET)).toEqual([8, 0]);
    // while (…) { call } with its test on top: je out; call; jmp back; out: pop; ret
    expect(walk([0x74, 7], CALL, [0xeb, 0xf7], POP_RBX, RET)).toEqual([16, 0]);
  });

  test('a branch that was not taken is, where the path ends in padding, a trap or a jump table', () => {
    // musl's cycle(): je out; call; nopl (the loop's alignment, or the end of a function); out: pop; ret
    expect(walk([0x74, 8], CALL, [0x0f, 0x1f, 0], POP_RBX, RET)).toEqual([16, 0]);
    expect(walk([0x74, 2], [0x0f, 0x0b], ADD_RSP_8, RET)).toEqual([16, 0]);
    expect(walk(POP_RBX, [0x74, 2], [0xff, 0xe0], ADD_RSP_8, RET)).toEqual([24, 0]);
    // A frame pointer on one way is that of the function.
    expect(walk([0x74, 1], [0xc9], ADD_RSP_8, RET)).toBe(null);
  });

  test('a frame that the path sets up is taken down again', () => {
    const enter = [0x55, 0x48, 0x89, 0xe5];
    const align = [0x48, 0x83, 0xe4, 0xf0];
    const leave = [0xc9];
    expect(walk(enter, PUSH_RDI, CALL, [0x48, 0x89, 0xec], POP_RBP, RET)).toEqual([8, 0]);
    expect(walk(POP_RBX, enter, align, CALL, leave, RET)).toEqual([16, 0]);
    // What is below it is not known while it is there.
    expect(walk(enter, align, RET)).toBe(null);
  });

  test.each([
    ['leave', [0xc9]],
    ['mov %rbp,%rsp', [0x48, 0x89, 0xec]],
    ['mov (%rbp),%rbp', [0x48, 0x8b, 0x6d, 0]],
    ['lea -8(%rbp),%rsp', [0x48, 0x8d, 0x65, 0xf8]],
    ['and $-16,%rsp', [0x48, 0x83, 0xe4, 0xf0]],
    ['an indirect jump', [0xff, 0xe0]],
    ['a jump to itself', [0xeb, 0xfe]],
    ['ud2', [0x0f, 0x0b]],
    ['a call that does not return', [...CALL, 0x0f, 0x1f, 0x00]],
    ['an opcode that does not exist', [0x06]],
    ['more off the stack than there is', [...PUSH_RDI]],
  ])('walking to the return gives up at %s', (_, code) => {
    expect(walk(code, RET)).toBe(null);
  });

  test('walking to the return stops at the end of the text', () => {
    expect(walk(MOV_EAX_EDI)).toBe(null);
    expect(walk([0x48, 0x81, 0xc4, 0])).toBe(null);
  });
});

describe('a tail call through a register', () => {
  const JMP_RCX = [0xff, 0xe1];
  /** A bytecode handler at 0x3000 that ends so; its function's entry called it at 0x2010. */
  function inHandler(handler: readonly number[], entry: readonly number[], top: Word): string {
    const start = { start: 0x1000, size: 0x100, program: [cfa.undefined(16)] };
    const handlerText = textAt(0x3000, handler);
    const entryText = textAt(0x2010 - entry.length, entry);
    return unwind({
      sections: sections({
        ehFrame: ehFrame([start]),
        readText: (at, length) => (at < 0x2800 ? entryText : handlerText)?.(at, length) ?? null,
      }),
      ip: 0x3000,
      registers: { 6: STACK + 16 },
      // The entry's frame is at STACK + 16; its caller is the outermost function.
      stack: [top, 0, 0, { code: 0x1010 }],
    });
  }

  test('a tail call leads to the function whose frame pointer is intact', () => {
    const callThroughRcx = [0xff, 0xd1];
    const found = inHandler([...MOV_EAX_EDI, ...JMP_RCX], callThroughRcx, { code: 0x2010 });
    expect(found).toBe('3000 2010 1010 | root');
  });

  test('arguments that a callee takes off the stack do not count beside the frame', () => {
    const enter = [0x55, 0x48, 0x89, 0xe5, 0x6a, 0x10];
    // Node 26 pushes an argument that the called builtin removes: add $16,%rsp is the frame alone.
    const leave = [0x48, 0x8b, 0x6d, 0, 0x48, 0x83, 0xc4, 16];
    const handler = [...MOV_EAX_EDI, 0x74, 0, ...enter, ...PUSH_RDI, ...CALL, ...leave, ...JMP_RCX];
    const found = inHandler(handler, [0xff, 0xd1], { code: 0x2010 });
    expect(found).toBe('3000 2010 1010 | root');
  });

  test('a jump after an addition is a jump table, not a tail call', () => {
    const tables = [
      [0x48, 0x01, 0xd1],
      [0x48, 0x03, 0xca],
    ];
    for (const add of tables) {
      const found = inHandler([...add, ...JMP_RCX], [0xff, 0xd1], { code: 0x2010 });
      expect(found).toBe('3000 1010 | root');
    }
  });

  test.each<[string, readonly number[], Word]>([
    ['no call stands before it', MOV_EAX_EDI, { code: 0x2010 }],
    ['no code is mapped there', [0xff, 0xd1], 0x1234],
    ['it is the address of a function', CALL, { code: 0x2011 }],
  ])('a tail call is rejected where the stack has no return address: %s', (_, entry, top) => {
    expect(inHandler([...MOV_EAX_EDI, ...JMP_RCX], entry, top)).toBe('3000 1010 | root');
  });

  test('a register jump after restoring rbp is an epilogue', () => {
    const rule = new UnwindRule();
    const code = Uint8Array.from([...POP_RBP, ...JMP_RCX]);
    expect(walkToReturn(code, 0, rule, true)).toBe(true);
    expect([rule.kind, rule.cfaOffset, rule.fpOffset]).toEqual([KIND.SP_SAVED, 16, -16]);
  });
});

test('a function without table and frame pointer leads on to its caller', () => {
  // Returned to at 0x3005: add $8,%rsp; pop %rbx; ret. rbp has a value of its own.
  const main = { start: 0x2000, size: 0x100, program: [cfa.defOffset(16)] };
  const start = { start: 0x1000, size: 0x100, program: [cfa.undefined(16)] };
  const leaf = { start: 0x4000, size: 0x100, program: [] };
  const found = unwind({
    sections: sections({
      ehFrame: ehFrame([start, main, leaf]),
      readText: textAt(0x3000, [...CALL, ...ADD_RSP_8, ...POP_RBX, ...RET]),
    }),
    ip: 0x4000,
    registers: { 6: STACK + 8 },
    stack: [{ code: 0x3005 }, 0, 0, { code: 0x2010 }, 0, { code: 0x1010 }],
  });
  expect(found).toBe('4000 3005 2010 1010 | root');
});

test.each([
  ["the dynamic loader's entry", [0x48, 0x89, 0xe7, ...CALL], []],
  ["musl's entry", [0x48, 0x83, 0xe4, 0xf0, ...CALL], []],
  ["musl's threads", [0x41, 0xff, 0xd1], [0x89, 0xc7, 0x31, 0xc0, 0xb0, 60, 0x0f, 0x05]],
  ["musl's call of main", [0xff, 0xd3], [0x89, 0xc7, ...CALL, 0x66, 0x90]],
])('%s has no caller', (_, before, after) => {
  const leaf = { start: 0x4000, size: 0x100, program: [] };
  const returnTo = 0x3000 + before.length;
  const readText = textAt(0x3000, [...before, ...after]);
  const found = unwind({
    sections: sections({ ehFrame: ehFrame([leaf]), readText }),
    ip: 0x4000,
    stack: [{ code: returnTo }],
  });
  expect(found).toBe(`4000 ${returnTo.toString(16)} | root`);
});

test.skipIf(!hasObjdump || process.arch !== 'x64')('lengths in code are those of objdump', () => {
  const path = engineFile();
  const text = openElf(path)?.sections.find(({ name }) => name === '.text');
  if (text === undefined) throw new Error(`${path} has no .text`);
  // C++ of V8, in the middle of the text.
  const start = text.address + Math.floor(text.size / 16);
  const range = [`--start-address=${start}`, `--stop-address=${start + 0x20000}`];
  const words = ['-d', '--no-show-raw-insn', '-j', '.text', ...range, path];
  const { stdout } = spawnSync('objdump', words, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  const lines = [...stdout.matchAll(/^\s*([0-9a-f]+):\t(.*)$/gm)];
  const addresses = lines.map((line) => Number.parseInt(line[1], 16));
  const bytes = readFileSync(path);
  const instruction = new Instruction();
  const wrong: string[] = [];
  // The first may begin in the middle of one, the last is cut.
  for (let i = 20; i + 20 < addresses.length; i++) {
    const address = addresses[i];
    instruction.decode(bytes, address - text.address + text.offset);
    if (instruction.length !== addresses[i + 1] - address) wrong.push(lines[i]?.[0] ?? '');
  }
  expect(addresses.length).toBeGreaterThan(10_000);
  expect(wrong).toEqual([]);
});

test.skipIf(!hasObjdump)('the length of every opcode that is understood is that of objdump', () => {
  const BLOCK = 32;
  const prefixes = [[], [0x48], [0x66]];
  const maps = [[], [0x0f]];
  // Registers; [rsp + 16]; [rip + …]; /3 with 32 bits from rcx. Nops follow, which are operands too.
  const operands = [[0xc1], [0x44, 0x24, 0x10], [0x05, 0, 0, 0, 0], [0x99, 0, 0, 0, 0]];
  const blocks: Uint8Array[] = [];
  for (const prefix of prefixes) {
    for (const map of maps) {
      for (let opcode = 0; opcode < 256; opcode++) {
        for (const operand of operands) {
          const block = new Uint8Array(BLOCK).fill(0x90);
          block.set([...prefix, ...map, opcode, ...operand]);
          blocks.push(block);
        }
      }
    }
  }
  const directory = mkdtempSync(join(tmpdir(), 'perf-ts-opcodes-'));
  const path = join(directory, 'code');
  const code = Buffer.concat(blocks);
  writeFileSync(path, code);
  const words = ['-D', '-b', 'binary', '-m', 'i386:x86-64', '-w', '--no-show-raw-insn', path];
  const { stdout } = spawnSync('objdump', words, { encoding: 'utf8', maxBuffer: 2 ** 27 });
  rmSync(directory, { recursive: true });
  const lines = [...stdout.matchAll(/^\s*([0-9a-f]+):\t(.*)$/gm)];
  const instruction = new Instruction();
  const wrong: string[] = [];
  const unknown = new Set<string>();
  let compared = 0;
  for (let i = 0; i + 1 < lines.length; i++) {
    const [line, at, text] = lines[i] as unknown as [string, string, string];
    const address = Number.parseInt(at, 16);
    // What is no instruction, and a prefix that objdump shows as one by itself.
    const isOne = !/\(bad\)|^(rex\S*|data16|addr32|lock|repn?z|[cdefgs]s)\s*$/.test(text);
    // With that prefix Intel and AMD take branches for different lengths; extrq is AMD's alone.
    const isDisputed = code[address] === 0x66 && /\t?(call|j\w+)w? |extrq/.test(text);
    if (address % BLOCK !== 0 || !isOne || isDisputed) continue;
    if (!instruction.decode(code, address)) {
      const isTwoByte = code[address] === 0x0f;
      const opcode = code[isTwoByte ? address + 1 : address];
      if (text !== '' && code[address] !== 0x48 && code[address] !== 0x66)
        unknown.add(`${isTwoByte ? '0f ' : ''}${opcode.toString(16).padStart(2, '0')}`);
      continue;
    }
    compared++;
    const length = Number.parseInt(lines[i + 1]?.[1], 16) - address;
    if (instruction.length !== length) {
      const bytes = code.subarray(address, address + 12).toString('hex');
      wrong.push(`${bytes} ${instruction.length}: ${line.trim()}, ${length}`);
    }
  }
  expect(compared).toBeGreaterThan(3000);
  expect(wrong).toEqual([]);
  // REX2, a prefix of APX that binutils know since 2.43.
  unknown.delete('d5');
  // Ports, interrupts and control registers; enter, far returns and xlat, which no compiler uses.
  expect([...unknown].join(' ')).toBe(
    '6c 6d 6e 6f c8 ca cb cf d7 e4 e5 e6 e7 ec ed ee ef f1 fa fb 0f 20 0f 21 0f 22 0f 23',
  );
});
