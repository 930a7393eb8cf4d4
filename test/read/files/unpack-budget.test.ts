import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { DwarfFile, SourceFrames } from '../../../src/code/dwarf/dwarf-file.ts';
import type { Scratch } from '../../../src/code/elf/inflated-section.ts';
import { describeDiagnostics } from '../../../src/findings/diagnostic-text.ts';
import { sectionDecoders } from '../../../src/read/files/section-decoders.ts';
import { boundedDecoders, UnpackBudget } from '../../../src/read/files/unpack-budget.ts';

const MIB = 2 ** 20;
const packed = deflateSync(Buffer.alloc(60 * MIB), { level: 1 });

describe('compressed sections of the files that name a recording', () => {
  test('together unpack to no more than their size explains, unless the user allows it', () => {
    const inflaterFor = (most: number | null) => {
      const decoders = boundedDecoders(most);
      const inflate = () => decoders.zlib?.(packed, 60 * MIB).length;
      for (let file = 0; file < 4; file++) expect(inflate()).toBe(60 * MIB);
      return inflate;
    };
    expect(inflaterFor(null)).toThrow(
      /more than their size explains: --max-unpacked \(maxUnpacked\) allows more$/,
    );
    expect(inflaterFor(1e9)()).toBe(60 * MIB);
  });

  test('compressed sections may unpack to the size they explain', () => {
    const bytes = Uint8Array.from({ length: 4096 }, (_unused, index) => (index * index) >> 3);
    const stream = deflateSync(bytes);
    const inflate = new UnpackBudget(0, null).bound(sectionDecoders.zlib as never);
    for (let file = 0; file < 100; file++) expect(inflate(stream, 4096).length).toBe(4096);
  });

  test('damaged compressed sections count in full', () => {
    const inflate = new UnpackBudget(100, null).bound(() => {
      throw new Error('damaged');
    });
    expect(() => inflate(new Uint8Array(1), 100)).toThrow('damaged');
    expect(() => inflate(new Uint8Array(1), 100)).toThrow('--max-unpacked');
  });

  test('compressed sections in scratch files are limited as well', () => {
    const none: Scratch = { write: () => true, read: () => new Uint8Array(0), close: () => {} };
    const open = new UnpackBudget(4 * MIB, null).boundScratch(() => none);
    const scratch = open(64 * MIB, 1000);
    expect(scratch?.write(0, new Uint8Array(2 * MIB))).toBe(true);
    expect(scratch?.write(2 * MIB, new Uint8Array(2 * MIB))).toBe(false);
    expect(open(64 * MIB, 1000)).not.toBeNull();
    expect(open(64 * MIB, 1000)).toBeNull();
  });
});

test('units of DWARF take no more memory in many files than in one', () => {
  const diagnostics = new Diagnostics();
  const unitRoom = { left: 3 };
  // Headers of units of version 4 with nothing in them.
  const info = Uint8Array.from(
    { length: 24 },
    (_unused, at) => [8, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8, 0][at % 12],
  );
  for (let file = 0; file < 2; file++) {
    const dwarf = new DwarfFile({
      sections: (name) => (name === '.debug_info' ? memorySource(info) : null),
      littleEndian: true,
      diagnostics,
      unitRoom,
    });
    dwarf.find(0x1000, new SourceFrames());
  }
  expect(unitRoom.left).toBe(0);
  expect(describeDiagnostics(diagnostics).map(({ example }) => example)).toContain(
    'unit at offset 12: there are more units than any program has',
  );
});
