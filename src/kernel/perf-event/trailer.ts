import { knownCpu } from '../../base/cpu-number.ts';
import { type RawTime, readTimeSince, readU64 } from '../../base/u64.ts';
import { PERF_SAMPLE } from './constants.ts';
import type { ParseInfo } from './parse-info.ts';
import { RECORD_HEADER_SIZE, type RecordView } from './record-view.ts';

/**
 * The task, time and CPU of a record that is not a sample. One object is filled again and again; what
 * is not recorded reads −1, time NaN; so does a CPU that can't be.
 */
export class TrailerView {
  /** The origin of `timeNs`. */
  readonly start: RawTime;
  pid = -1;
  tid = -1;
  /** Nanoseconds since `start`. Records that perf made up have the raw time 0. */
  timeNs = Number.NaN;
  id = -1;
  streamId = -1;
  cpu = -1;

  constructor(start: RawTime) {
    this.start = start;
  }
}

/**
 * Decodes the sample-id trailer (`struct sample_id`, see parse-info) at the end of the record.
 * False, with every field absent, if the event has none or the record is too short.
 */
export function decodeTrailer(record: RecordView, info: ParseInfo, out: TrailerView): boolean {
  const { view } = record;
  const { sampleType, littleEndian, trailerSize } = info;
  out.pid = -1;
  out.tid = -1;
  out.timeNs = Number.NaN;
  out.id = -1;
  out.streamId = -1;
  out.cpu = -1;
  if (trailerSize === 0 || trailerSize + RECORD_HEADER_SIZE > record.size) return false;
  let at = record.end - trailerSize;
  if (sampleType & PERF_SAMPLE.TID) {
    out.pid = view.getInt32(at, littleEndian);
    out.tid = view.getInt32(at + 4, littleEndian);
    at += 8;
  }
  if (sampleType & PERF_SAMPLE.TIME) {
    out.timeNs = readTimeSince(view, at, littleEndian, out.start);
    at += 8;
  }
  if (sampleType & PERF_SAMPLE.ID) {
    out.id = readU64(view, at, littleEndian);
    at += 8;
  }
  if (sampleType & PERF_SAMPLE.STREAM_ID) {
    out.streamId = readU64(view, at, littleEndian);
    at += 8;
  }
  if (sampleType & PERF_SAMPLE.CPU) {
    out.cpu = knownCpu(view.getInt32(at, littleEndian));
    at += 8;
  }
  if (sampleType & PERF_SAMPLE.IDENTIFIER) out.id = readU64(view, at, littleEndian);
  return true;
}
