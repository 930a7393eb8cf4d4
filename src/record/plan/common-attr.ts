import type { EventAttr } from '../../kernel/perf-event/attr.ts';
import { CLOCK_IDS } from '../../kernel/perf-event/clock-ids.ts';
import { PERF_FORMAT, PERF_SAMPLE } from '../../kernel/perf-event/constants.ts';
import type { RecordSettings } from '../../options/record.ts';
import type { KernelFeatures } from '../../system/kernel/kernel-features.ts';

/** Fields of every record's trailer, the same for all events, so that one walk orders them all. */
export const COMMON_SAMPLE_TYPE =
  PERF_SAMPLE.IDENTIFIER |
  PERF_SAMPLE.IP |
  PERF_SAMPLE.TID |
  PERF_SAMPLE.TIME |
  PERF_SAMPLE.CPU |
  PERF_SAMPLE.STREAM_ID;

/** The counter's own fields: its id, how long it was on, and how many samples it lost. */
export function commonReadFormat(features: KernelFeatures): number {
  return (
    PERF_FORMAT.ID |
    PERF_FORMAT.TOTAL_TIME_ENABLED |
    PERF_FORMAT.TOTAL_TIME_RUNNING |
    (features.lost ? PERF_FORMAT.LOST : 0)
  );
}

/** `attr.clockid`, with the flag `use_clockid`. */
export function clockIdOf({ clock }: RecordSettings): EventAttr['clockid'] {
  return CLOCK_IDS[clock ?? 'monotonic'];
}
