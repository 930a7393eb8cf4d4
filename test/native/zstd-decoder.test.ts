// libzstd by the addon, for streams that this process has written: the same bytes as fzstd gives.

import { describe, expect, it } from 'vitest';
import { loadBinding } from '../../src/native/binding.ts';
import type { NativeBinding } from '../../src/native/types.ts';
import { createOwnZstdDecoder, createZstdDecoder } from '../../src/read/files/zstd.ts';
import { below } from '../fuzz/mutate-bytes.ts';
import { seededRandom } from '../helpers/random.ts';
import { concat } from '../helpers/record-builder.ts';
import {
  zstdFrameHeader,
  zstdMatchBlock,
  zstdRawBlock,
  zstdRunBlock,
} from '../helpers/zstd-stream.ts';

const binding = ((): NativeBinding | null => {
  try {
    const found = loadBinding();
    return found.zstdProblem() === '' ? found : null;
  } catch {
    return null;
  }
})();

type Create = typeof createZstdDecoder;

function decode(create: Create, pieces: readonly Uint8Array[]): Buffer {
  const blocks: Uint8Array[] = [];
  const decoder = create((block) => blocks.push(block.slice()));
  for (const piece of pieces) decoder.push(piece.slice());
  return Buffer.concat(blocks);
}

describe.skipIf(binding === null)('the decoder of own streams', () => {
  const random = seededRandom(11);
  const noise = Uint8Array.from({ length: 70_000 }, () => below(random, 256));
  const stream = concat(
    zstdFrameHeader({ windowExponent: 11 }),
    zstdRawBlock(noise),
    zstdMatchBlock(noise.length, 131_072),
    zstdRunBlock(7, 131_072),
    zstdRawBlock(noise.subarray(0, 1)),
    zstdMatchBlock(100_000, 65_539),
  );

  it('the decoder of own streams gives what fzstd gives, however the stream is cut', () => {
    const whole = decode(createZstdDecoder, [stream]);
    expect(whole.length).toBe(70_000 + 131_072 * 2 + 1 + 65_539);
    expect(decode(createOwnZstdDecoder, [stream]).equals(whole)).toBe(true);
    for (const largest of [3, 1000, 60_000]) {
      const pieces: Uint8Array[] = [];
      for (let at = 0; at < stream.length; ) {
        const size = 1 + below(random, largest);
        pieces.push(stream.subarray(at, at + size));
        at += size;
      }
      expect(decode(createOwnZstdDecoder, pieces).equals(whole)).toBe(true);
    }
  });

  it('the decoder of own streams goes on where one frame ends and another begins', () => {
    // A frame whose only block, of three bytes, is its last.
    const frame = concat(zstdFrameHeader(), Uint8Array.of((3 << 3) | 1, 0, 0, 1, 2, 3));
    const frames = concat(frame, frame, frame);
    expect([...decode(createOwnZstdDecoder, [frames])]).toEqual([1, 2, 3, 1, 2, 3, 1, 2, 3]);
  });

  it('a stream that makes no sense is an error', () => {
    const damaged = concat(zstdFrameHeader(), Uint8Array.of(0xff, 0xff, 0xff));
    expect(() => decode(createOwnZstdDecoder, [damaged])).toThrow(/^ZSTD_decompressStream: /);
    expect(() => decode(createOwnZstdDecoder, [Uint8Array.of(1, 2, 3, 4, 5)])).toThrow(
      /^ZSTD_decompressStream: /,
    );
  });

  it('the decoder of own streams refuses what is no Uint8Array', () => {
    const decoder = new (binding as NativeBinding).ZstdDecoder();
    const wrong = [
      undefined,
      null,
      1,
      'x',
      [1],
      new Float64Array(2),
      new DataView(new ArrayBuffer(2)),
    ];
    for (const value of wrong as never[]) {
      expect(() => decoder.push(value)).toThrow(TypeError);
      expect(() => decoder.next(value)).toThrow(TypeError);
    }
    expect(decoder.next(new Uint8Array(0))).toBe(0);
    expect(decoder.next(new Uint8Array(9))).toBe(0);
  });
});
