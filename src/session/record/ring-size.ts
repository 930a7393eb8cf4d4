import { UsageError } from '../../base/errors.ts';
import type { KernelSettings, Privileges } from './kernel-settings.ts';

export const PAGE_BYTES = 4096;

/** 4 MiB a ring: half a second of slack at 30 kHz with deep stacks. */
export const PRIVILEGED_PAGES = 1024;
const PRIVILEGED_SIDEBAND_PAGES = 128;
const SIDEBAND_PAGES = 16;

export type RingSize = {
  /** Data pages of a sample ring, a power of two. */
  readonly ringPages: number;
  /** Data pages of a side-band ring, a power of two. */
  readonly sidebandPages: number;
};

/**
 * The rings to ask for. The kernel grants each user `perf_event_mlock_kb` per CPU, control pages
 * included, and refuses (EPERM) what goes beyond; so without CAP_IPC_LOCK the sample ring is the
 * largest power of two with which both rings of a CPU fit: 64 + 16 pages at the usual 516 KiB.
 */
export function chooseRingSize(
  settings: KernelSettings,
  privileges: Privileges,
  askedPages: number | null,
): RingSize {
  if (privileges.ipcLock || settings.paranoidLevel === -1) {
    return { ringPages: askedPages ?? PRIVILEGED_PAGES, sidebandPages: PRIVILEGED_SIDEBAND_PAGES };
  }
  if (askedPages !== null) return { ringPages: askedPages, sidebandPages: SIDEBAND_PAGES };
  const budgetPages = Math.floor(((settings.mlockKib ?? 516) * 1024) / PAGE_BYTES);
  const forSamples = budgetPages - (SIDEBAND_PAGES + 1) - 1;
  const ringPages = forSamples < 1 ? 1 : 2 ** Math.floor(Math.log2(forSamples));
  return { ringPages, sidebandPages: SIDEBAND_PAGES };
}

/** Of a ring for each thread there may be many: half a MiB, as a thread fills one CPU at most. */
const THREAD_PAGES = 128;

/** The rings of single threads, where a CPU's would be `perCpu`. */
export function ringsPerThread(perCpu: RingSize, askedPages: number | null): RingSize {
  return {
    ringPages: askedPages ?? Math.min(perCpu.ringPages, THREAD_PAGES),
    sidebandPages: SIDEBAND_PAGES,
  };
}

/**
 * Reads `-m`: a number of pages, or a size with a suffix (B, K, M, G), rounded up to a power of two
 * of pages as perf does.
 */
export function parseRingPages(text: string): number {
  const match = /^(\d+)([bBkKmMgG]?)$/.exec(text.trim());
  const amount = match ? Number(match[1]) : 0;
  if (!match || amount === 0) {
    throw new UsageError(`-m ${text}: expected a number of pages or a size such as 512K`);
  }
  const unit = (match[2] ?? '').toUpperCase();
  const bytesPerUnit = { B: 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30 }[unit];
  const pages = bytesPerUnit === undefined ? amount : (amount * bytesPerUnit) / PAGE_BYTES;
  const rounded = 2 ** Math.ceil(Math.log2(Math.max(1, pages)));
  if (rounded > 2 ** 20) throw new UsageError(`-m ${text}: more than 4 GiB a ring`);
  return rounded;
}
