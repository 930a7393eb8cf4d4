// Streams that zlib makes, decoded by the piece; and streams that nobody makes.

import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import {
  DeflateDamage,
  DeflateDecoder,
  HISTORY_BYTES,
  OVERRUN_BYTES,
} from '../../../src/code/elf/deflate-decoder.ts';
import { seededRandom } from '../../helpers/random.ts';

/** All that the stream holds, decoded in pieces of `pieceBytes`. */
function decode(stream: Uint8Array, pieceBytes: number): Buffer {
  const decoder = new DeflateDecoder(memorySource(stream));
  const bytes = new Uint8Array(HISTORY_BYTES + pieceBytes + OVERRUN_BYTES);
  const parts: Buffer[] = [];
  let history = 0;
  for (;;) {
    const end = HISTORY_BYTES + pieceBytes;
    const stopped = decoder.run(bytes, HISTORY_BYTES - history, HISTORY_BYTES, end);
    parts.push(Buffer.from(bytes.subarray(HISTORY_BYTES, stopped)));
    if (stopped < end) return Buffer.concat(parts);
    history = Math.min(HISTORY_BYTES, history + stopped - HISTORY_BYTES);
    bytes.copyWithin(0, stopped - HISTORY_BYTES, stopped);
  }
}

const next = seededRandom(5);
const random = (length: number, values: number) =>
  Buffer.from(Array.from({ length }, () => Math.floor(next() * values)));

/** Words that come again at all distances, as names and tags do. */
function words(length: number): Buffer {
  const known = Array.from({ length: 300 }, () => random(1 + Math.floor(next() * 40), 90));
  const parts: Buffer[] = [];
  for (let bytes = 0; bytes < length; ) {
    const part = known[Math.floor(next() ** 2 * known.length)];
    parts.push(part);
    bytes += part.length;
  }
  return Buffer.concat(parts).subarray(0, length);
}

const CONTENTS: readonly (readonly [string, Buffer])[] = [
  ['nothing', Buffer.alloc(0)],
  ['one byte', Buffer.from('a')],
  ['one byte, many times', Buffer.alloc(100_000, 7)],
  ['short periods', Buffer.from('abcabcabcdabcdefgabcdefg'.repeat(3000))],
  ['words', words(400_000)],
  ['random bytes', random(700_000, 256)],
  ['few values', random(200_000, 3)],
  ['far apart', Buffer.concat([random(32_700, 256), Buffer.alloc(32), random(500, 256)])],
];
const STRATEGIES = [
  ['default', { level: 6 }],
  ['fastest', { level: 1 }],
  ['best', { level: 9 }],
  ['stored', { level: 0 }],
  ['fixed codes', { strategy: constants.Z_FIXED }],
  ['no matches', { strategy: constants.Z_HUFFMAN_ONLY }],
  ['runs', { strategy: constants.Z_RLE }],
  ['small blocks', { memLevel: 1 }],
] as const;

describe.each(STRATEGIES)('streams of zlib: %s', (_, options) => {
  test.each(CONTENTS)('%s', (_name, content) => {
    const stream = deflateRawSync(content, options);
    // Not expect().toEqual: it takes seconds for a megabyte.
    for (const pieceBytes of [2 ** 20, 4097]) {
      expect(decode(stream, pieceBytes).equals(content)).toBe(true);
    }
  });
});

test('code lengths of all sorts, up to 15 bits', () => {
  // Frequencies like Fibonacci numbers make the deepest tree there is.
  const parts: Buffer[] = [];
  for (let [a, b, byte] = [1, 1, 0]; b < 60_000; [a, b, byte] = [b, a + b, byte + 1]) {
    parts.push(Buffer.alloc(a, byte));
  }
  const content = Buffer.concat(parts);
  const options = { strategy: constants.Z_HUFFMAN_ONLY, memLevel: 9 };
  expect(decode(deflateRawSync(content, options), 2 ** 16).equals(content)).toBe(true);
});

describe('a damaged stream', () => {
  const content = words(30_000);
  const whole = deflateRawSync(content);

  test('a deflate stream cut anywhere throws', () => {
    for (let length = 0; length < whole.length; length += 97) {
      expect(() => decode(whole.subarray(0, length), 4096)).toThrow(DeflateDamage);
    }
  });

  test('a deflate stream with changed bits is read as by zlib, or ends', () => {
    let readable = 0;
    let refused = 0;
    for (let round = 0; round < 600; round++) {
      const stream = Buffer.from(whole);
      const at = Math.floor(next() ** 2 * stream.length);
      stream[at] ^= 1 << Math.floor(next() * 8);
      let expected: Buffer | null = null;
      try {
        expected = inflateRawSync(stream);
      } catch {}
      try {
        const found = decode(stream, 4096);
        if (expected !== null) expect(found.equals(expected)).toBe(true);
        readable++;
      } catch (error) {
        expect(error).toBeInstanceOf(DeflateDamage);
        expect(expected).toBeNull();
        refused++;
      }
    }
    expect(readable).toBeGreaterThan(0);
    expect(refused).toBeGreaterThan(0);
  });

  test('a deflate stream of random bytes ends', () => {
    for (let round = 0; round < 300; round++) {
      try {
        decode(random(2000, 256), 4096);
      } catch (error) {
        expect(error).toBeInstanceOf(DeflateDamage);
      }
    }
  });

  test('a match that reaches before the start is refused', () => {
    // Fixed codes: a match of 3 bytes, distance 1, as the first symbol.
    const stream = Buffer.from([0b0000_0011, 0b0000_0010, 0, 0, 0]);
    expect(() => inflateRawSync(stream)).toThrow('too far back');
    expect(() => decode(stream, 64)).toThrow('before the start');
  });
});
