import type { PerfData } from '../../../perf-data/reader.ts';

const CLOCK_NAMES: Record<number, string> = {
  0: 'realtime',
  1: 'monotonic',
  4: 'monotonic_raw',
  7: 'boottime',
  11: 'tai',
};

/** The clock of the record times; `perf` for the kernel's scheduler clock. */
export function clockOf(data: PerfData): string {
  const attr = data.attrs[0]?.attr;
  if (attr === undefined || !attr.flags.useClockid) return 'perf';
  return CLOCK_NAMES[attr.clockid] ?? `clock ${attr.clockid}`;
}
