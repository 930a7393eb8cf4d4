// How two 32-bit halves become one number. The only file that knows; docs/numbers.md has the table.

import type { AbsoluteAddress, NanosSinceStart } from './brand.ts';

const TWO_32 = 2 ** 32;

/** An unsigned 64-bit count, id or period. Exact below 2^53; above, the nearest double. */
export function readU64(view: DataView, offset: number, littleEndian: boolean): number {
  const low = view.getUint32(littleEndian ? offset : offset + 4, littleEndian);
  const high = view.getUint32(littleEndian ? offset + 4 : offset, littleEndian);
  return high * TWO_32 + low;
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
 * An absolute address in signed form: user addresses are positive, kernel addresses negative, and
 * the `PERF_CONTEXT_*` callchain markers come out as −128 (kernel), −512 (user) and so on.
 * Exact for canonical 48-bit addresses; check `Number.isSafeInteger` where 57-bit ones may occur.
 */
export function readAddress(
  view: DataView,
  offset: number,
  littleEndian: boolean,
): AbsoluteAddress {
  const low = view.getUint32(littleEndian ? offset : offset + 4, littleEndian);
  const high = view.getInt32(littleEndian ? offset + 4 : offset, littleEndian);
  return (high * TWO_32 + low) as AbsoluteAddress;
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
      out[i] = view.getInt32(at + 4, true) * TWO_32 + view.getUint32(at, true);
      at += 8;
    }
  } else {
    for (let i = 0; i < count; i++) {
      out[i] = view.getInt32(at, false) * TWO_32 + view.getUint32(at + 4, false);
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
  return ((high - start.high) * TWO_32 + (low - start.low)) as NanosSinceStart;
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
  return `0x${BigInt.asUintN(64, BigInt(address)).toString(16)}`;
}

/** Reads what `formatAddress` or kallsyms writes: up to 16 hex digits, no prefix. NaN if none. */
export function parseHexAddress(digits: string): number {
  if (!/^[0-9a-fA-F]{1,16}$/.test(digits)) return Number.NaN;
  const low = Number.parseInt(digits.slice(-8), 16);
  const highDigits = digits.slice(0, -8);
  const high = highDigits === '' ? 0 : Number.parseInt(highDigits, 16) | 0;
  return high * TWO_32 + low;
}
