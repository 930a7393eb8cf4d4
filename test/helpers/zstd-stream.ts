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

/**
 * A block of `length` bytes (at least 65539) that repeat those which lie `distance` before them: type
 * 2, no literals, and one sequence, whose three codes have tables of one symbol, so that only the extra
 * bits of offset and match length are in its bit stream (RFC 8878, 3.1.1.3.2).
 */
export function zstdMatchBlock(distance: number, length: number): Uint8Array {
  const NO_LITERALS = 0;
  const ONE_SEQUENCE = 1;
  const THREE_RLE_TABLES = 0b01_01_01_00;
  const LITERAL_LENGTH_0 = 0;
  const MATCH_LENGTH_65539 = 52;
  const offsetValue = distance + 3;
  const offsetCode = 31 - Math.clz32(offsetValue);
  // The stream is read from its end: a 1 that marks it, the offset's bits, the length's 16 bits.
  let bits = 1n;
  bits = (bits << BigInt(offsetCode)) | BigInt(offsetValue - (1 << offsetCode));
  bits = (bits << 16n) | BigInt(length - 65539);
  const stream: number[] = [];
  for (; bits > 0n; bits >>= 8n) stream.push(Number(bits & 255n));
  const size = 6 + stream.length;
  const header = (size << 3) | (2 << 1);
  const out = new ByteWriter()
    .u8(header & 255)
    .u8((header >> 8) & 255)
    .u8(header >> 16);
  out.u8(NO_LITERALS).u8(ONE_SEQUENCE).u8(THREE_RLE_TABLES);
  out.u8(LITERAL_LENGTH_0).u8(offsetCode).u8(MATCH_LENGTH_65539);
  return out.bytes(Uint8Array.from(stream)).finish();
}
