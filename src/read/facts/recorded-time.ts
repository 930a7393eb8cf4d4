import { toRawTime } from '../../base/u64.ts';
import { type PerfData, walkRecords } from '../../formats/perf-data/reader.ts';
import { PERF_RECORD } from '../../kernel/perf-event/constants.ts';
import { UNKNOWN_EVENT } from '../../kernel/perf-event/event-lookup.ts';
import { readRecordTime } from '../../kernel/perf-event/record-time.ts';
import type { RecordedTime } from '../../profile/time-range.ts';

/** When the samples of a recording were taken, from the samples themselves: one walk, no decoding. */
export function recordedTime(data: PerfData): RecordedTime {
  let firstNs = Number.NaN;
  let lastNs = Number.NaN;
  walkRecords(data, {
    record(record) {
      if (record.type !== PERF_RECORD.SAMPLE) return;
      const attrIndex = data.lookup.attrIndexOf(record);
      if (attrIndex === UNKNOWN_EVENT) return;
      const { info } = data.attrs[attrIndex];
      const timeNs = readRecordTime(record, info, data.startTime);
      // A comparison with NaN is false: the first time is taken as it is.
      if (Number.isNaN(timeNs)) return;
      if (!(firstNs <= timeNs)) firstNs = timeNs;
      if (!(lastNs >= timeNs)) lastNs = timeNs;
    },
  });
  return { startTime: toRawTime(data.startTime, 0), firstNs, lastNs };
}
