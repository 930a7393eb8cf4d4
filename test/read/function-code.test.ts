import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { CodePart } from '../../src/code/disassembly/types.ts';
import type { FuncIndex } from '../../src/profile/types.ts';
import { type OpenedProfile, openProfile } from '../../src/read/open-profile.ts';
import {
  type DrawnFunction,
  type DrawnPlace,
  writeCodeRecording,
  writeProgram,
} from '../helpers/code-recording.ts';
import { NOBODY } from '../helpers/nobody.ts';

const directory = mkdtempSync(join(tmpdir(), 'function-code-'));
afterAll(() => rmSync(directory, { recursive: true }));

const WORK: DrawnFunction = [
  'work',
  [
    0x55, // push rbp
    ...[0x48, 0xff, 0xcf], // dec rdi
    ...[0x75, 0xfb], // jne back to dec
    ...[0xe8, 0x04, 0, 0, 0], // call leaf
    0x5d, // pop rbp
    0xc3, // ret
    0x06, // no instruction
    0x90, // nop
  ],
];
const LEAF: DrawnFunction = ['leaf', [...[0x48, 0x8b, 0x05, 0xf1, 0xff, 0xff, 0xff], 0xc3]];

let files = 0;

async function open(
  functions: readonly DrawnFunction[],
  stacks: readonly (readonly DrawnPlace[])[],
): Promise<{ opened: OpenedProfile; program: string }> {
  const program = join(directory, `program-${++files}`);
  writeProgram(program, functions);
  const path = join(directory, `perf-${files}.data`);
  writeCodeRecording(path, program, functions, stacks);
  return { opened: await openProfile(path), program };
}

function funcNamed({ profile: { funcs, strings } }: OpenedProfile, name: string): FuncIndex {
  return funcs.name.findIndex((row) => strings[row] === name) as FuncIndex;
}

/** `address text`, and `self/total` where there is any. */
function draw(opened: OpenedProfile, func: FuncIndex, part: CodePart): string[] {
  const { self, total, selfElsewhere } = opened.weighInstructions(func, part, {
    weight: 'samples',
  });
  expect(selfElsewhere).toBe(0);
  return part.text.map((text, row) => {
    const target = part.target[row];
    const notes = [
      target === -1 ? '' : `-> row ${target}`,
      part.refers[row] === '' ? '' : `<${part.refers[row]}>`,
      total[row] === 0 ? '' : `${self[row]}/${total[row]}`,
    ];
    const address = (part.start + part.offset[row]).toString(16);
    return [address, text, ...notes.filter((note) => note !== '')].join(' ');
  });
}

describe('the code of a function', () => {
  it('the code has each sample at its instruction, of callers at their call', async () => {
    const { opened, program } = await open(
      [WORK, LEAF],
      [
        [['work', 1]],
        [['work', 1]],
        [['work', 4]],
        [
          ['leaf', 0],
          ['work', 11],
        ],
        [
          ['leaf', 7],
          ['work', 11],
        ],
      ],
    );
    const func = funcNamed(opened, 'work');
    const { parts, missing } = await opened.disassemble(func);
    expect(missing).toStrictEqual([]);
    expect(parts).toHaveLength(1);
    const part = parts[0];
    expect(part).toMatchObject({
      name: 'work',
      dso: program,
      size: 15,
      extent: 'symbol',
      gaps: [],
    });
    expect(draw(opened, func, part)).toStrictEqual([
      '400078 push rbp',
      '400079 dec rdi 2/2',
      '40007c jne 0x400079 -> row 1 1/1',
      '40007e call 0x400087 <leaf> 0/2',
      '400083 pop rbp',
      '400084 ret',
      '400085 (bad)',
      '400086 nop',
    ]);
    expect(part.bytes.slice(0, 3)).toStrictEqual(['55', '48ffcf', '75fb']);
    const leaf = await opened.disassemble(funcNamed(opened, 'leaf'));
    expect(draw(opened, funcNamed(opened, 'leaf'), leaf.parts[0])).toStrictEqual([
      '400087 mov rax, qword ptr [rip - 0xf] <work+0x7> 1/1',
      '40008e ret 1/1',
    ]);
  });

  it('a call that recurs counts a sample once', async () => {
    const { opened } = await open(
      [WORK, LEAF],
      [
        [
          ['work', 6],
          ['work', 11],
          ['work', 11],
        ],
      ],
    );
    const func = funcNamed(opened, 'work');
    const { parts } = await opened.disassemble(func);
    expect(draw(opened, func, parts[0])[3]).toBe('40007e call 0x400087 <leaf> 1/1');
  });

  it('long code is shown around the samples, with what lies between counted', async () => {
    const long: DrawnFunction = ['long', new Array<number>(2 ** 18).fill(0x90)];
    const { opened } = await open([long], [[['long', 1000]], [['long', 2 ** 17]]]);
    const { parts } = await opened.disassemble(funcNamed(opened, 'long'));
    const part = parts[0];
    expect(part.text).toHaveLength(2 * 384);
    expect(part.rowOfFrame.map((row) => part.offset[row])).toStrictEqual([1000, 2 ** 17]);
    expect(part.gaps).toStrictEqual([
      { before: 0, instructions: 808, bytes: 808 },
      { before: 384, instructions: 2 ** 17 - 1384, bytes: 2 ** 17 - 1384 },
      { before: 768, instructions: 2 ** 17 - 192, bytes: 2 ** 17 - 192 },
    ]);
  });

  it('code is cut where the file ends before its symbol', async () => {
    const { opened, program } = await open([WORK, LEAF], [[['work', 1]]]);
    writeProgram(program, [WORK]);
    // Of the leaf only the symbol was there.
    const { missing, parts } = await opened.disassemble(funcNamed(opened, 'work'));
    expect(missing).toStrictEqual([]);
    expect(parts[0]?.refers[3]).toBe('');
  });

  it('missing code of a function is reported with a reason', async () => {
    const { opened, program } = await open(
      [WORK, LEAF],
      [
        [['work', 1]],
        [
          ['work', 4],
          ['work', 11],
        ],
      ],
    );
    rmSync(program);
    const func = funcNamed(opened, 'work');
    expect(await opened.disassemble(func)).toStrictEqual({
      schema: 'perf-ts/assembly@1',
      parts: [],
      missing: [{ reason: `${program}: file can not be read (ENOENT).`, samples: 2 }],
    });
    writeFileSync(program, 'no code');
    expect((await opened.disassemble(func)).missing).toStrictEqual([
      { reason: `${program}: not an ELF file.`, samples: 2 },
    ]);
    writeProgram(program, [WORK, LEAF], 243);
    expect((await opened.disassemble(func)).missing).toStrictEqual([
      { reason: `${program}: code of ELF machine 243 is not disassembled.`, samples: 2 },
    ]);
  });

  it.skipIf(process.geteuid?.() !== 0)(
    'code of a file that only its owner may read is not shown',
    async () => {
      const { opened, program } = await open([WORK, LEAF], [[['work', 1]]]);
      chmodSync(program, 0o600);
      chownSync(program, NOBODY, NOBODY);
      const func = funcNamed(opened, 'work');
      expect((await opened.disassemble(func)).missing).toStrictEqual([
        { reason: `${program}: another user's, and not for everybody to read.`, samples: 1 },
      ]);
      chmodSync(program, 0o604);
      expect((await opened.disassemble(func)).missing).toStrictEqual([]);
    },
  );

  it('an imported text has no code', async () => {
    const path = join(directory, 'a.folded');
    writeFileSync(path, 'main;work 3\n');
    const opened = await openProfile(path);
    await expect(opened.disassemble(0 as FuncIndex)).rejects.toThrow(
      'no assembly: only a perf.data file records which code ran',
    );
  });
});
