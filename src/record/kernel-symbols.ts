// Hot: once per word of the recording.

import { deflateRawSync } from 'node:zlib';
import { Diagnostics } from '../base/diagnostics.ts';
import { systemErrorReason } from '../base/system-error.ts';
import { recordedKernelSymbols } from '../code/symbols/recorded-kernel.ts';
import { readProcFile } from '../system/files/proc-file.ts';
import { readSome } from '../system/files/read-some.ts';

const TWO_32 = 2 ** 32;
const WINDOW_BYTES = 1 << 20;
/** Upper half of every kernel address, on x86-64 and aarch64 with 48-bit addresses, and above. */
const LOWEST_KERNEL_HIGH = 0xffff_0000;
/** Above: context markers of callchains and errors, no code. */
const LARGEST_KERNEL_LOW = 0xffff_f000;
const RECENT = 1 << 14;
const FASTEST = 1;
const BEST = 9;
/** No recording meets so many places in the kernel; what looks like more is other data. */
const MAX_ADDRESSES = 1_000_000;

/**
 * The names of what the recording met in the kernel, taken while the kernel still is the one that
 * was recorded: text as of `recordedKernelSymbols`, deflated, in base64. Null if it met nothing, or
 * the kernel hides its addresses.
 *
 * Records are not decoded for that: every word of the data section that may be a kernel address is
 * looked up. A word that is none costs a name too many, no more.
 */
export function collectKernelSymbols(
  { fd, from, to }: { readonly fd: number; readonly from: number; readonly to: number },
  say: (notice: string) => void,
): string | null {
  return orNotice(say, () => {
    const addresses = findKernelAddresses(fd, from, to);
    return addresses.length === 0 ? null : nameKernel(addresses, BEST);
  });
}

/** The same of all functions of the kernel, where what was recorded is gone already: a pipe. */
export function collectAllKernelSymbols(say: (notice: string) => void): string | null {
  return orNotice(say, () => nameKernel(null, FASTEST));
}

/** No recording ends for the names of what it met in the kernel: its samples are whole. */
function orNotice(say: (notice: string) => void, collect: () => string | null): string | null {
  try {
    return collect();
  } catch (error) {
    // A kernel without a list of its names.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    const reason = systemErrorReason(error);
    say(`names of the kernel's functions are not in the recording: ${reason}`);
    return null;
  }
}

function nameKernel(addresses: Float64Array | null, level: number): string | null {
  const kallsyms = readProcFile('/proc/kallsyms');
  const text = recordedKernelSymbols(kallsyms, addresses, new Diagnostics());
  return text === null ? null : deflateRawSync(text, { level }).toString('base64');
}

/** Words at any multiple of 4 bytes: what tracepoints bring starts 4 bytes off. */
export function findKernelAddresses(fd: number, from: number, to: number): Float64Array {
  const found = new Set<number>();
  /** The last ones seen, by hash: most words repeat. */
  const recent = new Float64Array(RECENT);
  const bytes = new Uint8Array(WINDOW_BYTES + 4);
  const words = new Uint32Array(bytes.buffer);
  let isFirst = true;
  for (let at = from; at < to && found.size < MAX_ADDRESSES; at += WINDOW_BYTES) {
    const length = readSome(fd, bytes, 4, Math.min(WINDOW_BYTES, to - at), at);
    const end = (length + 4) >>> 2;
    // Word 0 is the last one of the window before.
    for (let i = isFirst ? 2 : 1; i < end; i++) {
      const high = words[i];
      if (high < LOWEST_KERNEL_HIGH) continue;
      const low = words[i - 1];
      if (high === 0xffff_ffff && low >= LARGEST_KERNEL_LOW) continue;
      const slot = (low ^ (low >>> 14)) & (RECENT - 1);
      const address = (high | 0) * TWO_32 + low;
      if (recent[slot] === address) continue;
      recent[slot] = address;
      found.add(address);
    }
    words[0] = words[end - 1];
    isFirst = false;
  }
  return Float64Array.from(found);
}
