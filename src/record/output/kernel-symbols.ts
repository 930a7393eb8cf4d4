import { Diagnostics } from '../../base/diagnostics.ts';
import { lateModules } from '../../base/late-modules.ts';
import { systemErrorReason } from '../../base/system-error.ts';
import { addressesToName, recordedKernelSymbols } from '../../code/symbols/recorded-kernel.ts';
import type { NativeBinding } from '../../native/types.ts';
import { readProcFile } from '../../system/files/proc-file.ts';

const KALLSYMS = '/proc/kallsyms';
const FASTEST = 1;
const BEST = 9;

/**
 * The names of what the recording met in the kernel, taken while the kernel still is the one that
 * was recorded: text as of `recordedKernelSymbols`, deflated, in base64. Null if it met nothing, or
 * the kernel hides its addresses. `addresses`: as of `NativeBinding.scanRecording`.
 */
export function collectKernelSymbols(
  addresses: Float64Array,
  readKernelLines: NativeBinding['readKernelLines'],
  notify: (notice: string) => void,
): string | null {
  if (addresses.length === 0) return null;
  return orNotice(notify, () => {
    const lines = readKernelLines(KALLSYMS, addressesToName(addresses));
    return nameKernel(lines, addresses, BEST);
  });
}

/** The names of all functions of the kernel, where what was recorded is gone already: a pipe. */
export function collectAllKernelSymbols(notify: (notice: string) => void): string | null {
  return orNotice(notify, () => nameKernel(readProcFile(KALLSYMS), null, FASTEST));
}

/** No recording ends for the names of what it met in the kernel: its samples are whole. */
function orNotice(notify: (notice: string) => void, collect: () => string | null): string | null {
  try {
    return collect();
  } catch (error) {
    // A kernel without a list of its names.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    const reason = systemErrorReason(error);
    notify(`names of the kernel's functions are not in the recording: ${reason}`);
    return null;
  }
}

function nameKernel(
  kallsyms: Uint8Array,
  addresses: Float64Array | null,
  level: number,
): string | null {
  const text = recordedKernelSymbols(kallsyms, addresses, new Diagnostics());
  return text === null ? null : lateModules.zlib.deflateRawSync(text, { level }).toString('base64');
}
