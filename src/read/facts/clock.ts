import type { PerfData } from '../../formats/perf-data/reader.ts';
import { clockName } from '../../kernel/perf-event/clock-ids.ts';

/** The clock of the record times; `perf` for the kernel's scheduler clock. */
export function clockOf(data: PerfData): string {
  const attr = data.attrs[0]?.attr;
  if (attr === undefined || !attr.flags.useClockid) return 'perf';
  return clockName(attr.clockid);
}
