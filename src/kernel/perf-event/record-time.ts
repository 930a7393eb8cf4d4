// Hot: once per record.

import {
  type RawTime,
  readHigh32,
  readLow32,
  readTimeSince,
  timeSinceOfWords,
} from '../../base/u64.ts';
import { type ParseInfo, recordTimeOffset } from './parse-info.ts';
import type { RecordView } from './record-view.ts';

/** Raw times that stand for none: perf writes them into records that it made up. */
export function isNoTime(high: number, low: number): boolean {
  return (high === 0 && low === 0) || (high === 0xffffffff && low === 0xffffffff);
}

/**
 * Time of any record, in nanoseconds since `start`; NaN if it has none, or one that stands for
 * none. This is what ordering goes by.
 */
export function readRecordTime(record: RecordView, info: ParseInfo, start: RawTime): number {
  const at = recordTimeOffset(info, record);
  if (at < 0) return Number.NaN;
  const { view, words } = record;
  const { littleEndian } = info;
  if (words !== null) {
    const word = at >> 2;
    if (isNoTime(words[word + 1], words[word])) return Number.NaN;
    return timeSinceOfWords(words, word, start);
  }
  if (isNoTime(readHigh32(view, at, littleEndian), readLow32(view, at, littleEndian))) {
    return Number.NaN;
  }
  return readTimeSince(view, at, littleEndian, start);
}
