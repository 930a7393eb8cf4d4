import type { PagesOrBytes } from '../../options/kinds.ts';
import { OptionError } from '../../options/option-error.ts';
import { RECORD } from '../../options/record.ts';
import type { KernelSettings, Privileges } from '../../system/kernel/kernel-settings.ts';
import { onlineCpus } from '../../system/kernel/online-cpus.ts';
import { readPageBytes } from '../../system/kernel/page-bytes.ts';

/** A sample ring is so many times as large as the side-band's, where there is no bound. */
const RINGS_TO_SIDEBAND = 8;
/** Half a second of slack at 30 kHz with deep stacks. */
export const PRIVILEGED_BYTES = 4 << 20;
const PRIVILEGED_SIDEBAND_BYTES = PRIVILEGED_BYTES / RINGS_TO_SIDEBAND;
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
  /** The most data pages of a sample ring that the user may have, a power of two; null: no bound. */
  readonly mostPages: number | null;
};

/** The CPUs that get rings, and the size of their pages. */
type RingMachine = { readonly cpus: number; readonly pageBytes: number };

/** The rings to ask for: as large as a recording needs them, or as the user may have them. */
export function chooseRingSize(
  settings: KernelSettings,
  privileges: Privileges,
  askedPages: number | null,
  machine = thisMachine(),
): RingSize {
  const { pageBytes } = machine;
  const mostPages = mostRingPages(settings, privileges, machine);
  const least = pagesIn(mostPages === null ? PRIVILEGED_SIDEBAND_BYTES : SIDEBAND_BYTES, pageBytes);
  const usual = pagesIn(PRIVILEGED_BYTES, pageBytes);
  return {
    mostPages,
    ringPages: askedPages ?? Math.min(usual, mostPages ?? usual),
    // Who asks for larger rings has lost records, which may be those of the side-band.
    sidebandPages: Math.max(least, Math.floor((askedPages ?? 0) / RINGS_TO_SIDEBAND)),
  };
}

/**
 * The largest sample ring that a user may have on each CPU, in pages, a power of two; null: no bound.
 *
 * The kernel grants each user `perf_event_mlock_kb` for each CPU that is online, and to each process RLIMIT_MEMLOCK
 * beyond that (`perf_mmap` in kernel/events/core.c), control pages included; what exceeds both is refused (EPERM). Both
 * rings of a CPU have to fit: 64 + 16 pages of 4 KiB into the usual 516 KiB; 1024 + 16 with the 8 MiB that a
 * process may lock since Linux 5.16, on two CPUs.
 */
function mostRingPages(
  { mlockKib, memlockKib, paranoidLevel }: KernelSettings,
  privileges: Privileges,
  { cpus, pageBytes } = thisMachine(),
): number | null {
  if (privileges.ipcLock || paranoidLevel === -1 || memlockKib === Number.POSITIVE_INFINITY) {
    return null;
  }
  const ofUserKib = mlockKib ?? USUAL_RING_KIB + pageBytes / 1024;
  const budgetKib = ofUserKib + (memlockKib ?? 0) / cpus;
  const pages = Math.floor((budgetKib * 1024) / pageBytes);
  const forSamples = pages - (pagesIn(SIDEBAND_BYTES, pageBytes) + 1) - 1;
  return forSamples < 1 ? 1 : 2 ** Math.floor(Math.log2(forSamples));
}

function thisMachine(): RingMachine {
  return { cpus: onlineCpus().length, pageBytes: readPageBytes() };
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
    mostPages: perCpu.mostPages,
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
