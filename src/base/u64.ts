// How two 32-bit halves become one number. The only file that knows; docs/numbers.md has the table.

import type { AbsoluteAddress, NanosSinceStart } from './brand.ts';

const TWO_32 = 2 ** 32;

/** An unsigned 64-bit count, id or period. Exact below 2^53; above, the nearest double. */
export function readU64(view: DataView, offset: number, littleEndian: boolean): number {
  const low = view.getUint32(littleEndian ? offset : offset + 4, littleEndian);
  const high = view.getUint32(littleEndian ? offset + 4 : offset, littleEndian);
  return high * TWO_32 + low;
}

const HOST_IS_LITTLE_ENDIAN = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;

/**
 * The bytes of a view as 32-bit words: the same values as by `view.getUint32`, and much faster in code
 * that V8 has not optimised yet. Null where the words are not those of this machine, or lie elsewhere
 * than its memory has words; of a u64 the lower half comes first. Unsigned, since V8 takes what it has seen
 * of `>>> 0` for all that comes, and throws optimised code away at the first time or id beyond 2^31.
 */
export function wordsOf(view: DataView, littleEndian: boolean): Uint32Array | null {
  if (!littleEndian || !HOST_IS_LITTLE_ENDIAN || view.byteOffset % 4 !== 0) return null;
  return new Uint32Array(view.buffer, view.byteOffset, view.byteLength >>> 2);
}

/** `readU64` of the words `at` and `at` + 1. */
export function u64OfWords(words: Uint32Array, at: number): number {
  return words[at + 1] * TWO_32 + words[at];
}

/** `readAddress` of the words `at` and `at` + 1. */
export function addressOfWords(words: Uint32Array, at: number): AbsoluteAddress {
  return joinAddress(words[at + 1] | 0, words[at]) as AbsoluteAddress;
}

/** `readAddresses` of the words from `at` on. */
// Hot: once per frame.
export function addressesOfWords(
  words: Uint32Array,
  at: number,
  count: number,
  out: Float64Array,
): void {
  for (let i = 0; i < count; i++) {
    const word = at + 2 * i;
    out[i] = joinAddress(words[word + 1] | 0, words[word]);
  }
}

/**
 * `readTimeSince` of the words `at` and `at` + 1. Added from the upper half on, every sum is a double for V8:
 * a difference of lower halves would be a small integer for two seconds, and then optimised code is thrown away.
 */
export function timeSinceOfWords(words: Uint32Array, at: number, start: RawTime): NanosSinceStart {
  return ((words[at + 1] - start.high) * TWO_32 + words[at] - start.low) as NanosSinceStart;
}

/** The upper half of the 64-bit value at `offset`. */
export function readHigh32(view: DataView, offset: number, littleEndian: boolean): number {
  return view.getUint32(littleEndian ? offset + 4 : offset, littleEndian);
}

/** The lower half of the 64-bit value at `offset`. */
export function readLow32(view: DataView, offset: number, littleEndian: boolean): number {
  return view.getUint32(littleEndian ? offset : offset + 4, littleEndian);
}

/**
 * Kernels that do not lie at the top of their half: the upper 16 bits of the addresses, ascending. Such
 * an address in signed form has up to 63 bits, which a double does not hold: 0xc00000000018ae84 would
 * become …18ae00. So the segments take the place of addresses that nothing uses, below −2^52, each
 * with its 48 bits:
 *
 *     0xc00000000018ae84  ─▶  −2^53 + 5 · 2^48 + 0x18ae84
 *
 * Order and distances within a segment, and the order of segments, are those of the addresses.
 */
const KERNEL_SEGMENTS = [
  // LoongArch and mips64, uncached and cached; ia64 has 0xa000, mips64 also 0xa800
  ...[0x8000, 0x9000, 0x9800, 0xa000, 0xa800],
  // ppc64: linear map, vmalloc, I/O, vmemmap; modules of mips64
  ...[0xc000, 0xc001, 0xc002, 0xc003, 0xc008, 0xc00a, 0xc00c],
  // ppc64 up to Linux 4.17: vmalloc, vmemmap
  ...[0xd000, 0xe000, 0xf000],
];
const SEGMENTS_START = -(2 ** 53);
/** Addresses at and above it are in signed form as they are. */
const LOWEST_PLAIN = -(2 ** 52);
const SEGMENT_BYTES = 2 ** 48;

/** The address of two halves, the upper one signed. */
function joinAddress(high: number, low: number): number {
  const signed = high * TWO_32 + low;
  return signed >= LOWEST_PLAIN ? signed : moveSegment(high, low, signed);
}

/** Doubles an offset in no segment: that is no safe integer, so nothing takes it for an address. */
function moveSegment(high: number, low: number, signed: number): number {
  const segment = KERNEL_SEGMENTS.indexOf(high >>> 16);
  if (segment < 0) return signed * 2;
  return SEGMENTS_START + segment * SEGMENT_BYTES + (high & 0xffff) * TWO_32 + low;
}

/** All 64 bits of an address in signed form. Cold. */
export function addressBits(address: number): bigint {
  if (address >= LOWEST_PLAIN) return BigInt.asUintN(64, BigInt(address));
  if (address < SEGMENTS_START) return BigInt.asUintN(64, BigInt(address) / 2n);
  const offset = address - SEGMENTS_START;
  const segment = KERNEL_SEGMENTS[Math.floor(offset / SEGMENT_BYTES)] ?? 0xffff;
  return (BigInt(segment) << 48n) + BigInt(offset % SEGMENT_BYTES);
}

/** The two's complement, for writers of 64-bit integers: a bigint only where a number would round. */
export function signedAddress(address: number): number | bigint {
  return address >= LOWEST_PLAIN ? address : BigInt.asIntN(64, addressBits(address));
}

/** Writes the 64 bits of an address in signed form, or a small count. */
export function writeAddress(
  view: DataView,
  offset: number,
  address: number,
  littleEndian: boolean,
): void {
  if (address < LOWEST_PLAIN) {
    view.setBigUint64(offset, addressBits(address), littleEndian);
    return;
  }
  const high = Math.floor(address / TWO_32);
  view.setInt32(littleEndian ? offset + 4 : offset, high, littleEndian);
  view.setUint32(littleEndian ? offset : offset + 4, address - high * TWO_32, littleEndian);
}

/** The address with these 64 bits, in signed form. Cold. */
export function addressOf(bits: bigint): AbsoluteAddress {
  const high = Number(BigInt.asIntN(32, bits >> 32n));
  return joinAddress(high, Number(BigInt.asUintN(32, bits))) as AbsoluteAddress;
}

/**
 * An absolute address in signed form: user addresses are positive, kernel addresses negative, and
 * the `PERF_CONTEXT_*` callchain markers come out as −128 (kernel), −512 (user) and so on.
 * Exact for canonical 48-bit addresses and for `KERNEL_SEGMENTS`; check `Number.isSafeInteger` where
 * 57-bit ones may occur.
 */
export function readAddress(
  view: DataView,
  offset: number,
  littleEndian: boolean,
): AbsoluteAddress {
  const low = view.getUint32(littleEndian ? offset : offset + 4, littleEndian);
  const high = view.getInt32(littleEndian ? offset + 4 : offset, littleEndian);
  return joinAddress(high, low) as AbsoluteAddress;
}

/**
 * Hot: once per frame. Reads `count` addresses in signed form into the front of `out`. Written out
 * for each byte order: with a constant flag the reads are plain loads.
 */
export function readAddresses(
  view: DataView,
  offset: number,
  count: number,
  littleEndian: boolean,
  out: Float64Array,
): void {
  let at = offset;
  if (littleEndian) {
    for (let i = 0; i < count; i++) {
      out[i] = joinAddress(view.getInt32(at + 4, true), view.getUint32(at, true));
      at += 8;
    }
  } else {
    for (let i = 0; i < count; i++) {
      out[i] = joinAddress(view.getInt32(at, false), view.getUint32(at + 4, false));
      at += 8;
    }
  }
}

/** A raw 64-bit time as its two halves, kept once per session so that differences stay exact. */
export type RawTime = { readonly high: number; readonly low: number };

/** Time at `offset` minus `start`, in nanoseconds; exact for differences below 104 days. */
export function readTimeSince(
  view: DataView,
  offset: number,
  littleEndian: boolean,
  start: RawTime,
): NanosSinceStart {
  const low = view.getUint32(littleEndian ? offset : offset + 4, littleEndian);
  const high = view.getUint32(littleEndian ? offset + 4 : offset, littleEndian);
  return ((high - start.high) * TWO_32 + low - start.low) as NanosSinceStart;
}

/** `start` + `sinceStart`, as the raw 64-bit nanoseconds that the file holds. Cold path. */
export function toRawTime(start: RawTime, sinceStart: number): bigint {
  return (BigInt(start.high) << 32n) + BigInt(start.low) + BigInt(sinceStart);
}

/**
 * Orders signed-form addresses as the machine does: user space below kernel space.
 * Negative, zero or positive, as a sort comparator wants it.
 */
export function compareAddresses(a: number, b: number): number {
  if (a < 0 !== b < 0) return a < 0 ? 1 : -1;
  return a - b;
}

/** True for an address in the kernel's half. */
export function isKernelAddress(address: number): boolean {
  return address < 0;
}

/** `0x…` without padding, the unsigned form that other tools print. */
export function formatAddress(address: number): string {
  if (address >= 0) return `0x${address.toString(16)}`;
  return `0x${addressBits(address).toString(16)}`;
}

/** Reads what `formatAddress` or kallsyms writes: up to 16 hex digits, no prefix. NaN if none. */
export function parseHexAddress(digits: string): number {
  if (!/^[0-9a-fA-F]{1,16}$/.test(digits)) return Number.NaN;
  const low = Number.parseInt(digits.slice(-8), 16);
  const highDigits = digits.slice(0, -8);
  const high = highDigits === '' ? 0 : Number.parseInt(highDigits, 16) | 0;
  return joinAddress(high, low);
}
