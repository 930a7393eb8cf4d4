import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import {
  bytesOfParts,
  encodeParts,
  openParts,
} from '../../../src/formats/perf-data/program-attachment.ts';

const FILE = Uint8Array.from({ length: 64 }, (_, at) => at + 1);
const RANGES = [
  { offset: 40, size: 8 },
  { offset: 4, size: 6 },
  { offset: 8, size: 4 },
];

describe('parts of a file', () => {
  it('parts of a file are read at the offsets that they have in it, with zeros between them', () => {
    const again = openParts(encodeParts(memorySource(FILE), RANGES))!;
    const isKept = (at: number) => (at >= 4 && at < 12) || (at >= 40 && at < 48);
    const expected = FILE.map((byte, at) => (isKept(at) ? byte : 0));
    expect(again.size).toBe(64);
    expect(bytesOfParts(RANGES)).toBe(16);
    fc.assert(
      fc.property(fc.nat(70), fc.nat(70), (offset, length) => {
        expect([...again.read(offset, length)]).toEqual([
          ...expected.subarray(offset, offset + length),
        ]);
      }),
    );
  });

  it('parts of a file that are cut or overlap are refused', () => {
    const bytes = encodeParts(memorySource(FILE), RANGES);
    for (let length = 0; length < bytes.length; length++) {
      expect(openParts(bytes.subarray(0, length))).toBeNull();
    }
    // The second part begins inside of the first.
    const overlapping = bytes.slice();
    new DataView(overlapping.buffer).setUint32(32, 5, true);
    expect(openParts(overlapping)).toBeNull();
  });
});
