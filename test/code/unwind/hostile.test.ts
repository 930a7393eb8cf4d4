// Damaged tables: whatever they hold, unwinding ends and throws nothing.

import { expect, test } from 'vitest';
import { createUnwinder } from '../../../src/code/unwind/architectures/create-unwinder.ts';
import type { UnwindSection } from '../../../src/code/unwind/module-input.ts';
import { STOP_NAMES } from '../../../src/code/unwind/stop-reason.ts';
import { seededRandom } from '../../helpers/random.ts';
import { openElf, sectionsOf } from '../../helpers/unwind-recording.ts';
import { cfa, ehFrame, STACK, sections, u32, uleb, unwind } from './cfi-bytes.ts';

/** A third of the bytes that are changed are made one of these. */
const EVIL = [0x00, 0x7f, 0x80, 0xff];

function mutated(section: UnwindSection, random: () => number, count: number): UnwindSection {
  const bytes = section.bytes.slice();
  for (let i = 0; i < count; i++) {
    const at = Math.floor(random() * bytes.length);
    const isEvil = random() < 1 / 3;
    bytes[at] = isEvil ? EVIL[Math.floor(random() * 4)] : Math.floor(random() * 256);
  }
  const length = random() < 0.1 ? Math.floor(random() * bytes.length) : bytes.length;
  return { ...section, bytes: bytes.subarray(0, length) };
}

test('damaged hand-made unwind tables never crash the unwinder', () => {
  const random = seededRandom(4);
  const good = ehFrame([
    { start: 0x1000, size: 0x100, program: [cfa.undefined(16)] },
    {
      start: 0x2000,
      size: 0x100,
      program: [cfa.defExpression(0x76, 0x78, 0x06), cfa.expression(6, 0x76, 0)],
    },
    {
      start: 0x3000,
      size: 0x100,
      program: [cfa.offset(12, -16), cfa.advance(4), cfa.rememberState(), cfa.restoreState()],
    },
  ]);
  const reasons = new Set<string>();
  const unwinder = createUnwinder('x86-64');
  for (let i = 0; i < 20_000; i++) {
    const ehFrame = mutated(good, random, 1 + (i % 8));
    const stack = [{ code: 0x2010 }, STACK, STACK + 24, { code: 0x1010 }, 0, { code: 0x3004 }];
    const ip = 0x1000 * (1 + (i % 3)) + (i % 9);
    const found = unwind({
      unwinder,
      sections: sections({ ehFrame }),
      ip,
      registers: { 6: STACK + 16 },
      stack,
    });
    reasons.add(found.split(' | ')[1]);
  }
  for (const reason of reasons) expect(STOP_NAMES).toContain(reason);
  expect(reasons).toContain('root');
  expect(reasons).toContain('bad unwind table');
});

test('damaged unwind tables of a real program never crash the unwinder', () => {
  const elf = openElf(process.execPath);
  if (elf === null) throw new Error(`${process.execPath} is no ELF file`);
  const { ehFrame: frames, ehFrameHdr } = sectionsOf(elf);
  if (frames === null || ehFrameHdr === null) throw new Error('node has no frame tables');
  const random = seededRandom(5);
  // The first 64 KiB, with an index of their own, and with the search table damaged.
  const start = { ...frames, bytes: frames.bytes.subarray(0, 1 << 16) };
  for (let i = 0; i < 20; i++) {
    const ehFrame = mutated(start, random, 200);
    const hdr = i % 2 === 0 ? null : mutated(ehFrameHdr, random, 20_000);
    const unwinder = createUnwinder('x86-64');
    const input = sections({ ehFrame, ehFrameHdr: hdr });
    for (let k = 0; k < 50; k++) {
      const ip = Math.floor(random() * 0x10000);
      const stack = Array.from({ length: 64 }, () => ({ code: Math.floor(random() * 0x10000) }));
      const found = unwind({ unwinder, sections: input, ip, stack });
      expect(STOP_NAMES).toContain(found.split(' | ')[1]);
    }
  }
});

test('a CFI program without an end is refused', () => {
  // A million instructions that change nothing, of which a lookup takes the first 100 000.
  const program = [new Array<number>(1_000_000).fill(0)];
  const table = ehFrame([{ start: 0x3000, size: 0x100, program }]);
  expect(unwind({ sections: sections({ ehFrame: table }), ip: 0x3000, stack: [] })).toBe(
    '3000 | bad unwind table',
  );
});

test('an expression that jumps back for ever is refused', () => {
  // lit0; skip −3: back to the skip itself.
  const program = [cfa.defExpression(0x30, 0x2f, 0xfd, 0xff)];
  const table = ehFrame([{ start: 0x3000, size: 0x100, program }]);
  expect(unwind({ sections: sections({ ehFrame: table }), ip: 0x3000, stack: [] })).toBe(
    '3000 | register missing',
  );
});

test('endless DW_CFA_remember_state is refused', () => {
  const program = new Array<number[]>(10_000).fill(cfa.rememberState());
  const table = ehFrame([{ start: 0x3000, size: 0x100, program }]);
  expect(unwind({ sections: sections({ ehFrame: table }), ip: 0x3000, stack: [] })).toBe(
    '3000 | bad unwind table',
  );
});

test('an FDE that is its own CIE is refused', () => {
  // The id counts back from itself, here to the entry's own start.
  const body = [...u32(4), ...u32(0), ...u32(0x100), ...uleb(0)];
  const bytes = Uint8Array.from([...u32(body.length), ...body]);
  const ehFrame = { bytes, address: 0x8000 };
  expect(unwind({ sections: sections({ ehFrame }), ip: 0x3000, stack: [] })).toBe(
    '3000 | no unwind table',
  );
});
