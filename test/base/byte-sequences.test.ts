import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ByteCursor } from '../../src/base/byte-cursor.ts';
import { ByteWriter } from '../../src/base/byte-writer.ts';
import { PerfDataError } from '../../src/base/errors.ts';
import { fromHex, toHex } from '../../src/base/hex.ts';
import { decodeText } from '../../src/base/text.ts';
import { readAddress, readAddresses } from '../../src/base/u64.ts';

describe('byte sequences', () => {
  test('written bytes are read back, at any length and in both byte orders', () => {
    const item = fc.record({
      byte: fc.nat(0xff),
      short: fc.nat(0xffff),
      word: fc.nat(0xffffffff),
      long: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
      count: fc.maxSafeNat(),
      text: fc.string({ maxLength: 30 }).map((text) => text.replaceAll('\0', '')),
    });
    fc.assert(
      fc.property(fc.array(item, { maxLength: 60 }), fc.boolean(), (items, littleEndian) => {
        const out = new ByteWriter(littleEndian);
        for (const { byte, short, word, long, count, text } of items) {
          out.u8(byte).u16(short).u32(word).u64(long).u64(count).text(text).u8(0).align(8);
        }
        const bytes = out.finish();
        expect(bytes.length).toBe(out.length);
        const cursor = new ByteCursor(bytes, littleEndian);
        for (const { byte, short, word, long, count, text } of items) {
          expect([cursor.u8(), cursor.u16(), cursor.u32()]).toEqual([byte, short, word]);
          expect([cursor.bigU64(), cursor.u64()]).toEqual([long, count]);
          const left = cursor.left;
          expect(cursor.text(new TextEncoder().encode(text).length)).toBe(text);
          expect(cursor.u8()).toBe(0);
          cursor.skip((8 - (cursor.position % 8)) % 8);
          expect(cursor.left).toBeLessThan(left);
        }
        expect(cursor.left).toBe(0);
      }),
    );
  });

  test('reserved size fields are filled in later', () => {
    const out = new ByteWriter().u16(0).u32(0).u64(0).zeros(300);
    out.patchU16(0, 0x1234);
    out.patchU32(2, 0x89abcdef);
    out.patchU64(6, -1);
    expect(toHex(out.finish().subarray(0, 14))).toBe('3412efcdab89ffffffffffffffff');
  });

  test('the cursor reads and reports nothing beyond the end', () => {
    const bytes = Uint8Array.of(3, 0, 0, 0, 1, 2);
    expect(() => new ByteCursor(bytes, true).u64()).toThrow(PerfDataError);
    expect(() => new ByteCursor(bytes, true).text(7)).toThrow('7 bytes expected, 6 bytes are left');
    expect(() => new ByteCursor(bytes, true).count(1)).toThrow(
      '3 items of at least 1 bytes are announced, 2 bytes are left',
    );
    expect(new ByteCursor(bytes, true).bytes(6)).toEqual(bytes);
  });

  test('text ends at its first NUL, and what is not UTF-8 does not throw', () => {
    expect(decodeText(new TextEncoder().encode('wk-2 café\0rest'))).toBe('wk-2 café');
    // More than are remembered, twice.
    const names = Array.from(
      { length: 4000 },
      (_, i) => `/usr/lib/lib${i}.so.${'x'.repeat(i % 300)}`,
    );
    for (const name of [...names, ...names]) {
      expect(decodeText(new TextEncoder().encode(`${name}\0`))).toBe(name);
    }
    expect(decodeText(Uint8Array.of(0x61, 0xff, 0x62))).toBe('a\ufffdb');
    expect(decodeText(new Uint8Array(0))).toBe('');
  });

  test('hex digits are formatted and parsed back; other text is not parsed as hex', () => {
    expect(toHex(fromHex('00deadBEEF')!)).toBe('00deadbeef');
    expect([fromHex('abc'), fromHex('xy')]).toEqual([null, null]);
  });

  test('addresses read in bulk equal those read one by one', () => {
    const words = fc.array(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), { maxLength: 20 });
    fc.assert(
      fc.property(words, fc.boolean(), (list, littleEndian) => {
        const out = new ByteWriter(littleEndian).u32(0);
        for (const word of list) out.u64(word);
        const view = new DataView(out.finish().buffer);
        const addresses = new Float64Array(list.length);
        readAddresses(view, 4, list.length, littleEndian, addresses);
        expect([...addresses]).toEqual(
          list.map((_, i) => readAddress(view, 4 + 8 * i, littleEndian)),
        );
      }),
    );
  });
});
