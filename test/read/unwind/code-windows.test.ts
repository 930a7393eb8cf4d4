import { describe, expect, it } from 'vitest';
import { throughWindows } from '../../../src/read/unwind/code-windows.ts';
import { seededRandom } from '../../helpers/random.ts';

/** Two segments of code that meet, and a third far behind them; none begins at a page. */
const SEGMENTS = [
  { start: 0x1f40, bytes: Uint8Array.from({ length: 20_000 }, (_, i) => i * 7) },
  { start: 0x1f40 + 20_000, bytes: Uint8Array.from({ length: 9000 }, (_, i) => i * 11) },
  { start: 0x40_0123, bytes: Uint8Array.from({ length: 300 }, (_, i) => i * 13) },
];

/** Code of one segment, cut at its end, with the number of reads. */
function drawnFile() {
  const file = {
    reads: 0,
    read(address: number, length: number): Uint8Array | null {
      file.reads++;
      for (const { start, bytes } of SEGMENTS) {
        const at = address - start;
        if (at >= 0 && at < bytes.length) return bytes.subarray(at, at + length);
      }
      return null;
    },
  };
  return file;
}

describe('code in windows', () => {
  it('windows of code are the same as read from the file, wherever segments begin and end', () => {
    const random = seededRandom(3);
    const file = drawnFile();
    const read = throughWindows((address, length) => file.read(address, length));
    const hex = (bytes: Uint8Array | null) => bytes && Buffer.from(bytes).toString('hex');
    for (let i = 0; i < 1000; i++) {
      const base = i % 3 === 0 ? 0x3f_e000 : 0x1000;
      const address = base + Math.floor(random() * 40_000);
      const length = 1 + Math.floor(random() ** 3 * 20_000);
      expect(hex(read(address, length))).toBe(hex(file.read(address, length)));
    }
  });

  it('windows of code are read once for many looks at one place', () => {
    const file = drawnFile();
    const read = throughWindows((address, length) => file.read(address, length));
    for (let i = 0; i < 1000; i++) read(0x3000 + i, 500);
    expect(file.reads).toBe(1);
  });
});
