// Hot: once per sample that reads its counters.

import { readU64 } from '../../base/u64.ts';
import { PERF_FORMAT } from './constants.ts';

/** The target of `decodeReadFormat` for a counter, or a group of counters; `SampleView` is one. */
export type ReadValues = {
  readCount: number;
  timeEnabled: number;
  timeRunning: number;
  readonly readValues: Float64Array;
  readonly readIds: Float64Array;
  readonly readLost: Float64Array;
};

/**
 * Decodes the counters at `at` and returns where they end, −1 if they do not fit before `end`.
 *
 *   struct read_format {
 *     { u64 value;
 *       { u64 time_enabled; } && PERF_FORMAT_TOTAL_TIME_ENABLED
 *       { u64 time_running; } && PERF_FORMAT_TOTAL_TIME_RUNNING
 *       { u64 id;           } && PERF_FORMAT_ID
 *       { u64 lost;         } && PERF_FORMAT_LOST
 *     } && !PERF_FORMAT_GROUP
 *
 *     { u64 nr;
 *       { u64 time_enabled; } && PERF_FORMAT_TOTAL_TIME_ENABLED
 *       { u64 time_running; } && PERF_FORMAT_TOTAL_TIME_RUNNING
 *       { u64 value;
 *         { u64 id;         } && PERF_FORMAT_ID
 *         { u64 lost;       } && PERF_FORMAT_LOST
 *       } cntr[nr];
 *     } && PERF_FORMAT_GROUP
 *   };
 */
export function decodeReadFormat(
  view: DataView,
  start: number,
  end: number,
  readFormat: number,
  littleEndian: boolean,
  out: ReadValues,
): number {
  const isGroup = (readFormat & PERF_FORMAT.GROUP) !== 0;
  const timeBytes =
    (readFormat & PERF_FORMAT.TOTAL_TIME_ENABLED ? 8 : 0) +
    (readFormat & PERF_FORMAT.TOTAL_TIME_RUNNING ? 8 : 0);
  const counterBytes =
    8 + (readFormat & PERF_FORMAT.ID ? 8 : 0) + (readFormat & PERF_FORMAT.LOST ? 8 : 0);
  let at = start;
  let count = 1;
  if (at + 8 + timeBytes > end) return -1;
  if (isGroup) {
    count = readU64(view, at, littleEndian);
    at += 8;
    if (count * counterBytes > end - at - timeBytes) return -1;
  } else {
    if (at + timeBytes + counterBytes > end) return -1;
    out.readValues[0] = readU64(view, at, littleEndian);
    at += 8;
  }
  out.readCount = count;
  if (readFormat & PERF_FORMAT.TOTAL_TIME_ENABLED) {
    out.timeEnabled = readU64(view, at, littleEndian);
    at += 8;
  }
  if (readFormat & PERF_FORMAT.TOTAL_TIME_RUNNING) {
    out.timeRunning = readU64(view, at, littleEndian);
    at += 8;
  }
  for (let i = 0; i < count; i++) {
    if (isGroup) {
      out.readValues[i] = readU64(view, at, littleEndian);
      at += 8;
    }
    if (readFormat & PERF_FORMAT.ID) {
      out.readIds[i] = readU64(view, at, littleEndian);
      at += 8;
    }
    if (readFormat & PERF_FORMAT.LOST) {
      out.readLost[i] = readU64(view, at, littleEndian);
      at += 8;
    }
  }
  return at;
}
