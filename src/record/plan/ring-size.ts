import type { PagesOrBytes } from '../../options/kinds.ts';
import { OptionError } from '../../options/option-error.ts';
import { RECORD } from '../../options/record.ts';
import type { KernelSettings, Privileges } from '../../system/kernel/kernel-settings.ts';
import { readPageBytes } from '../../system/kernel/page-bytes.ts';

/** Half a second of slack at 30 kHz with deep stacks. */
export const PRIVILEGED_BYTES = 4 << 20;
const PRIVILEGED_SIDEBAND_BYTES = 512 << 10;
const SIDEBAND_BYTES = 64 << 10;
/** There may be many rings of threads, and a thread fills one CPU at most. */
const THREAD_BYTES = 512 << 10;
/** The largest ring that can be asked for. */
const MOST_BYTES = 4 * 2 ** 30;
/** `perf_event_mlock_kb` unless it was changed, without the control page. */
const USUAL_RING_KIB = 512;
export type RingSize = {
  /** Data pages of a sample ring, a power of two. */
  readonly ringPages: number;
  /** Data pages of a side-band ring, a power of two. */
  readonly sidebandPages: number;
};

/**
 * The rings to ask for. The kernel grants each user `perf_event_mlock_kb` per CPU, control pages
 * included, and refuses (EPERM) what goes beyond; so without CAP_IPC_LOCK the sample ring is the
 * largest power of two with which both rings of a CPU fit: 64 + 16 pages of 4 KiB at the usual 516 KiB.
 */
export function chooseRingSize(
  settings: KernelSettings,
  privileges: Privileges,
  askedPages: number | null,
  pageBytes = readPageBytes(),
): RingSize {
  if (privileges.ipcLock || settings.paranoidLevel === -1) {
    return {
      ringPages: askedPages ?? pagesIn(PRIVILEGED_BYTES, pageBytes),
      sidebandPages: pagesIn(PRIVILEGED_SIDEBAND_BYTES, pageBytes),
    };
  }
  const sidebandPages = pagesIn(SIDEBAND_BYTES, pageBytes);
  if (askedPages !== null) return { ringPages: askedPages, sidebandPages };
  const budgetKib = settings.mlockKib ?? USUAL_RING_KIB + pageBytes / 1024;
  const forSamples = Math.floor((budgetKib * 1024) / pageBytes) - (sidebandPages + 1) - 1;
  const ringPages = forSamples < 1 ? 1 : 2 ** Math.floor(Math.log2(forSamples));
  return { ringPages, sidebandPages };
}

/** The rings of single threads, where a CPU's would be `perCpu`. */
export function ringsPerThread(
  perCpu: RingSize,
  askedPages: number | null,
  pageBytes = readPageBytes(),
): RingSize {
  return {
    ringPages: askedPages ?? Math.min(perCpu.ringPages, pagesIn(THREAD_BYTES, pageBytes)),
    sidebandPages: pagesIn(SIDEBAND_BYTES, pageBytes),
  };
}

function pagesIn(bytes: number, pageBytes: number): number {
  return Math.max(1, bytes / pageBytes);
}

/** The data pages that a user asks for, rounded up to a power of two as perf does; null: none. Throws OptionError. */
export function askedRingPages(
  asked: PagesOrBytes | undefined,
  pageBytes: number,
  notify: (notice: string) => void,
): number | null {
  if (asked === undefined) return null;
  const pages = typeof asked === 'number' ? asked : asked.bytes / pageBytes;
  const rounded = 2 ** Math.ceil(Math.log2(Math.max(1, pages)));
  if (rounded * pageBytes > MOST_BYTES) {
    throw new OptionError(RECORD.ringPages, 'more than 4 GiB a ring');
  }
  if (typeof asked === 'number' && rounded !== asked) {
    notify(`-m ${asked}: rings of ${rounded} pages, which have to be a power of two`);
  }
  return rounded;
}
