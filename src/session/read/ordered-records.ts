import { NONE } from '../../base/brand.ts';
import type { ByteSource } from '../../base/byte-source.ts';
import { RoundSorter } from '../../order/round-sorter.ts';
import { type PerfData, walkRecords } from '../../perf-data/reader.ts';
import { InflatedView } from '../../perf-data/record-inflater.ts';
import type { RecordVisitor } from '../../perf-data/record-walk.ts';
import { PERF_RECORD } from '../../perf-event/constants.ts';
import { UNKNOWN_EVENT } from '../../perf-event/event-lookup.ts';
import { readRecordTime } from '../../perf-event/record-time.ts';

/** Small enough for the processor's caches, and to be had again when a round is out. */
const SEGMENT_BYTES = 2 << 20;

/**
 * Visits every record of a recording in time order. The visitor is the same as for the file order;
 * FINISHED_ROUND markers are consumed here.
 *
 * Ordering reads each record's time at its known offset and parses nothing else; the sorter holds
 * positions in the walk, and the segments that they point into stay alive until their round is out.
 * The view that the visitor gets is valid during the call only.
 *
 * The files of a directory come one after the other, and a round of one says nothing about the
 * next: all of them is one round.
 */
export function visitInTimeOrder(data: PerfData, visitor: RecordVisitor): void {
  const segments = new SegmentWindow(data.source);
  const hasRounds = data.threadFiles.length === 0;
  const sorter = new RoundSorter((position) => {
    const segment = segments.at(position);
    const { view } = segment;
    const offset = position - segment.start;
    const { littleEndian } = data;
    const type = view.getUint32(offset, littleEndian);
    const misc = view.getUint16(offset + 4, littleEndian);
    const size = view.getUint16(offset + 6, littleEndian);
    visitor.record(view, offset, size, type, misc, fileOffsetOf(segment, offset));
  });
  let roundStart = 0;
  const inFileOrder: RecordVisitor = {
    record(view, offset, size, type, _misc, fileOffset) {
      const position = segments.add(view, offset, fileOffset);
      if (type === PERF_RECORD.FINISHED_ROUND) {
        if (!hasRounds) return;
        sorter.finishRound();
        segments.dropBefore(roundStart);
        roundStart = position + size;
        return;
      }
      sorter.push(timeOf(data, view, offset, size, type), position);
    },
  };
  walkRecords(data, inFileOrder, SEGMENT_BYTES);
  sorter.finish();
}

/** Nanoseconds since the recording's start; NaN for a record that carries no time. */
function timeOf(
  data: PerfData,
  view: DataView,
  offset: number,
  size: number,
  type: number,
): number {
  const attrIndex = data.lookup.attrIndexOf(view, offset, size, type);
  if (attrIndex === UNKNOWN_EVENT) return Number.NaN;
  return readRecordTime(view, offset, size, type, data.attrs[attrIndex]!.info, data.startTime);
}

/** A view that the walk hands out, and where it lies. */
type Segment = {
  readonly view: DataView;
  /** Position of its first byte: bytes of the views before it. */
  readonly start: number;
  /** File offset of its first record, and where in the view that is. */
  readonly fileOffset: number;
  readonly firstOffset: number;
  /** All its records have that file offset: they are out of one COMPRESSED record. */
  readonly isInflated: boolean;
};

function fileOffsetOf(segment: Segment, offset: number): number {
  if (segment.isInflated) return segment.fileOffset;
  return segment.fileOffset + offset - segment.firstOffset;
}

/**
 * The segments that records still point into, in the order of the walk. Positions count the bytes
 * of all views: unlike file offsets they also tell the records of one COMPRESSED record apart.
 */
class SegmentWindow {
  readonly #segments: Segment[] = [];
  readonly #source: ByteSource;
  #current = NONE;
  #latest: Segment | null = null;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /** Position of a record in the latest view or a new one. */
  add(view: DataView, offset: number, fileOffset: number): number {
    let latest = this.#latest;
    if (latest === null || latest.view !== view) {
      const start = latest === null ? 0 : latest.start + latest.view.byteLength;
      const isInflated = view instanceof InflatedView;
      latest = { view, start, fileOffset, firstOffset: offset, isInflated };
      this.#latest = latest;
      this.#segments.push(latest);
    }
    return latest.start + offset;
  }

  at(position: number): Segment {
    const current = this.#current;
    if (current < 0 || !this.#holds(current, position)) this.#current = this.#find(position);
    return this.#segments[this.#current]!;
  }

  /** Forgets segments that end before `position`: their last round is out. */
  dropBefore(position: number): void {
    let count = 0;
    while (count + 1 < this.#segments.length && this.#segments[count + 1]!.start <= position) {
      count++;
    }
    if (count === 0) return;
    for (const { view, isInflated } of this.#segments.splice(0, count)) {
      if (isInflated) continue;
      const { buffer, byteOffset, byteLength } = view;
      this.#source.recycle?.(new Uint8Array(buffer, byteOffset, byteLength));
    }
    this.#current = NONE;
  }

  #holds(index: number, position: number): boolean {
    const { start, view } = this.#segments[index]!;
    return position >= start && position < start + view.byteLength;
  }

  /** The last segment that begins at or before `position`. */
  #find(position: number): number {
    let low = 0;
    let high = this.#segments.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#segments[middle]!.start <= position) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
