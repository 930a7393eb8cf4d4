import { ByteWriter } from '../../src/base/byte-writer.ts';

/** A window of 2^(10 + exponent) bytes. */
export type FrameOptions = { readonly windowExponent?: number };

/**
 * The start of a zstd frame without an end, as perf writes it (RFC 8878, 3.1.1.1): magic,
 * descriptor 0 (a window follows, no checksum), window.
 */
export function zstdFrameHeader({ windowExponent = 9 }: FrameOptions = {}): Uint8Array {
  return new ByteWriter()
    .u32(0xfd2fb528)
    .u8(0)
    .u8(windowExponent << 3)
    .finish();
}

/** A block that is not compressed: `last:1 = 0, type:2 = 0, size:21`, then the bytes. */
export function zstdRawBlock(bytes: Uint8Array): Uint8Array {
  const header = bytes.length << 3;
  const out = new ByteWriter()
    .u8(header & 255)
    .u8((header >> 8) & 255)
    .u8(header >> 16);
  return out.bytes(bytes).finish();
}

/** A block of `count` times the same byte: type 1. */
export function zstdRunBlock(byte: number, count: number): Uint8Array {
  const header = (count << 3) | 2;
  const out = new ByteWriter()
    .u8(header & 255)
    .u8((header >> 8) & 255)
    .u8((header >> 16) & 255);
  return out.u8(byte).finish();
}
