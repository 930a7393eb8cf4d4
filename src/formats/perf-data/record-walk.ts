// Hot: once per record.

import type { ByteSource } from '../../base/byte-source.ts';
import { finish, type Slices } from '../../base/slices.ts';
import { readU64, wordsOf } from '../../base/u64.ts';
import { PERF_RECORD, PERF_RECORD_USER_TYPE_START } from '../../kernel/perf-event/constants.ts';
import { RECORD_HEADER_SIZE, RecordView } from '../../kernel/perf-event/record-view.ts';
import type { RecordInflater } from './record-inflater.ts';
import type { RecordVisitor, WalkEnd } from './record-visitor.ts';

/**
 * Bytes read at once. More is not faster. Records that cross the border are read again with the
 * next segment.
 */
export const SEGMENT_BYTES = 8 << 20;

/** `walkRangeInSlices` without a break. */
export function walkRange(...words: Parameters<typeof walkRangeInSlices>): WalkEnd {
  return finish(walkRangeInSlices(...words));
}

/** A record's size is a u16. */
const LARGEST_RECORD = 65536;

/**
 * Walks the records in [start, end) of `source`, in file order, a segment in each slice. `isPipe`: tracing data follows its
 * record. `inflater` reads what is inside of COMPRESSED records; without it they are visited only.
 * A header with a size below 8 ends the walk, as in perf: nothing states where the next record would
 * begin.
 */
export function* walkRangeInSlices(
  source: ByteSource,
  start: number,
  end: number,
  littleEndian: boolean,
  isPipe: boolean,
  visitor: RecordVisitor,
  inflater: RecordInflater | null = null,
  segmentBytes = SEGMENT_BYTES,
): Slices<WalkEnd> {
  let records = 0;
  let compressedRecords = 0;
  let opaqueBytes = 0;
  let truncatedAt = -1;
  let badRecordAt = -1;
  let position = start;
  const record = new RecordView();
  // A segment holds at least one record, so that every read makes progress.
  const atOnce = Math.max(segmentBytes, LARGEST_RECORD);
  walk: while (position < end) {
    const wanted = Math.min(atOnce, end - position);
    const bytes = source.read(position, wanted);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const words = wordsOf(view, littleEndian);
    const segmentStart = position;
    const length = bytes.length;
    let offset = 0;
    while (offset + RECORD_HEADER_SIZE <= length) {
      record.moveInWords(view, words, offset, littleEndian, segmentStart + offset);
      const { size, type } = record;
      if (size < RECORD_HEADER_SIZE) {
        badRecordAt = segmentStart + offset;
        break walk;
      }
      if (offset + size > length) break;
      visitor.record(record);
      records++;
      let next = offset + size;
      if (type >= PERF_RECORD_USER_TYPE_START) {
        if (type === PERF_RECORD.COMPRESSED || type === PERF_RECORD.COMPRESSED2) {
          compressedRecords++;
          inflater?.inflate(record, visitor);
          if (inflater === null || inflater.failure !== null) opaqueBytes += size;
        }
        next += payloadBytes(record, isPipe, littleEndian);
        if (segmentStart + next > end) {
          truncatedAt = segmentStart + offset;
          break walk;
        }
      }
      if (visitor.isDone === true) break walk;
      offset = next;
    }
    // What is left of the segment is part of a record: it is read again with what follows.
    position = segmentStart + offset;
    if (position < end && (segmentStart + length >= end || length < wanted)) {
      truncatedAt = position;
      break;
    }
    yield;
  }
  const stoppedAt = Math.max(truncatedAt, badRecordAt);
  const skippedBytes = stoppedAt < 0 ? 0 : end - stoppedAt;
  records += inflater?.records ?? 0;
  return { records, compressedRecords, opaqueBytes, truncatedAt, badRecordAt, skippedBytes };
}

/**
 * Bytes that follow the record without being part of its size.
 *
 *   struct { header; u64 size; … }  AUXTRACE
 *   struct { header; u32 size; }    HEADER_TRACING_DATA, in a pipe
 */
function payloadBytes(record: RecordView, isPipe: boolean, littleEndian: boolean): number {
  const { view, offset, size, type } = record;
  if (type === PERF_RECORD.AUXTRACE && size >= 16) {
    return readU64(view, offset + 8, littleEndian);
  }
  if (type === PERF_RECORD.HEADER_TRACING_DATA && isPipe && size >= 12) {
    return view.getUint32(offset + 8, littleEndian);
  }
  return 0;
}
