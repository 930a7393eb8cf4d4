import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { decodeInOrder } from '../../../src/code/disassembly/decoder.ts';
import type { InstructionSet } from '../../../src/code/disassembly/types.ts';
import { loadCapstone, loadDecoders } from '../../../src/read/code/decoders.ts';
import { seededRandom } from '../../helpers/random.ts';

async function decode(architecture: InstructionSet, bytes: Uint8Array): Promise<string[]> {
  const decoder = (await loadDecoders())(architecture);
  const lines: string[] = [];
  let next = 0;
  decodeInOrder(
    decoder,
    bytes.length,
    -4096,
    (offset, length) => bytes.subarray(offset, offset + length),
    ({ offset, size, mnemonic, operands }, own) => {
      // Nothing is left out and nothing is there twice.
      if (offset !== next || own.length !== size) throw new Error(`hole at ${next}: ${offset}`);
      next = offset + size;
      lines.push(`${mnemonic} ${operands}`.trim());
    },
  );
  expect(next).toBe(bytes.length);
  return lines;
}

describe('the disassembler', () => {
  it('a missing Capstone is reported with the install command', async () => {
    const require = createRequire(import.meta.url);
    await expect(loadCapstone(async () => require('no-such-package'))).rejects.toThrow(
      /optional package @alexaltea\/capstone-js\): run npm install @alexaltea\/capstone-js where/,
    );
    await expect(loadCapstone(() => Promise.reject(new Error('out of memory')))).rejects.toThrow(
      'the disassembler @alexaltea/capstone-js does not start: out of memory',
    );
  });

  it('the disassembler continues after an invalid encoding', async () => {
    expect(await decode('x86-64', Uint8Array.of(0x06, 0x90, 0xe8, 0x00))).toStrictEqual([
      '(bad)',
      'nop',
      '(bad)',
      '(bad)',
    ]);
    const arm = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0xc0, 0x03, 0x5f, 0xd6, 0x01);
    expect(await decode('aarch64', arm)).toStrictEqual(['(bad)', 'ret', '(bad)']);
    expect(await decode('aarch64', Uint8Array.of(1, 2))).toStrictEqual(['(bad)']);
    expect(await decode('x86-64', Uint8Array.of(0x0f))).toStrictEqual(['(bad)']);
  });

  it('the disassembler prints kernel addresses unsigned', async () => {
    const call = Uint8Array.of(0xe8, 0x0b, 0x10, 0, 0);
    expect(await decode('x86-64', call)).toStrictEqual(['call 0x10']);
    const back = Uint8Array.of(0xe8, 0xfb, 0xff, 0xff, 0xff);
    expect(await decode('x86-64', back)).toStrictEqual(['call 0xfffffffffffff000']);
  });

  it.each<InstructionSet>(['x86-64', 'i386', 'aarch64'])(
    'the disassembler decodes any bytes of %s across chunks, without gaps',
    async (architecture) => {
      const random = seededRandom(7);
      const bytes = Uint8Array.from({ length: 9001 }, () => Math.floor(random() * 256));
      expect((await decode(architecture, bytes)).length).toBeGreaterThan(1000);
    },
  );

  it('the disassembler finds the same instructions where a chunk ends in one', async () => {
    // Ten bytes each, so that no chunk ends between two.
    const nop = [0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0];
    const bytes = Uint8Array.from({ length: 10_000 }, (_, i) => nop[i % 10]);
    expect(new Set(await decode('x86-64', bytes))).toStrictEqual(
      new Set(['nop word ptr cs:[rax + rax]']),
    );
  });
});
