import { countBefore } from '../base/bisect.ts';
import { NONE } from '../base/brand.ts';
import type { ByteSource } from '../base/byte-source.ts';
import { PerfDataError } from '../base/errors.ts';
import { finish, type Slices } from '../base/slices.ts';
import { wordsOf } from '../base/u64.ts';
import type { PerfData } from '../formats/perf-data/reader.ts';
import { InflatedView } from '../formats/perf-data/record-inflater.ts';
import type { RecordVisitor } from '../formats/perf-data/record-visitor.ts';
import { RoundSorter } from '../kernel/order/round-sorter.ts';
import { PERF_RECORD } from '../kernel/perf-event/constants.ts';
import { UNKNOWN_EVENT } from '../kernel/perf-event/event-lookup.ts';
import { readRecordTime } from '../kernel/perf-event/record-time.ts';
import { RecordView } from '../kernel/perf-event/record-view.ts';

/** Small enough for the processor's caches, and for reuse when a round ends. */
const SEGMENT_BYTES = 512 << 10;
/** Segments in memory at once: 64 MiB. */
const MOST_RESIDENT = 128;
/** Readings of each segment, on average, after which more of them are kept in memory. */
const MOST_READINGS = 4;

/**
 * Visits every record of a recording in time order. The visitor is the same as for the file order;
 * FINISHED_ROUND markers are consumed here.
 *
 * Ordering reads each record's time at its known offset and parses nothing else; the sorter holds
 * positions in the walk. The segments that they point into stay in memory until their round is out;
 * of larger rounds `mostResident` do, and the others are read again. What the visitor gets, its view
 * too, is valid during the call only.
 *
 * The files of a directory come one after the other, and a round of one says nothing about the
 * next: all of them is one round.
 *
 * `onShare` gets the share of the records, 0 … 1, that the visitor has seen, several times a second.
 */
export function visitInTimeOrder(
  data: PerfData,
  visitor: RecordVisitor,
  mostResident = MOST_RESIDENT,
  onShare?: (share: number) => void,
): void {
  finish(visitInTimeOrderInSlices(data, visitor, mostResident, onShare));
}

export function* visitInTimeOrderInSlices(
  data: PerfData,
  visitor: RecordVisitor,
  mostResident = MOST_RESIDENT,
  onShare?: (share: number) => void,
): Slices<void> {
  const segments = new SegmentWindow(data, mostResident);
  const hasRounds = data.threadFiles.length === 0;
  const sorted = new RecordView();
  const bytes = recordBytes(data);
  let share = 0;
  const reportShare = (): void => {
    const walked = bytes > 0 ? Math.min(1, segments.walkedBytes / bytes) : 1;
    // Records that wait in a segment make less of what has gone out.
    share = Math.max(share, walked * sorter.releasedShare);
    onShare?.(share);
  };
  const sorter = new RoundSorter((position) => {
    const segment = segments.at(position);
    const view = segment.view as DataView;
    // An integer again for V8, which took the position out of a column of doubles; segments are small.
    const offset = (position - segment.start) | 0;
    const fileOffset = fileOffsetOf(segment, offset);
    sorted.moveInWords(view, segment.words, offset, data.littleEndian, fileOffset);
    visitor.record(sorted);
  }, reportShare);
  let roundStart = 0;
  const inFileOrder: RecordVisitor = {
    part: (source) => segments.continueIn(source),
    record(record) {
      const position = segments.add(record);
      if (record.type === PERF_RECORD.FINISHED_ROUND) {
        if (!hasRounds) return;
        sorter.finishRound();
        segments.dropBefore(roundStart);
        roundStart = position + record.size;
        return;
      }
      sorter.push(timeOf(data, record), position);
    },
  };
  for (const _segment of data.walkInSlices(inFileOrder, SEGMENT_BYTES)) {
    reportShare();
    yield;
  }
  sorter.finish();
}

/** Bytes of the file, or of the files of a directory, that are records. */
function recordBytes({ dataSize, threadFiles }: PerfData): number {
  return threadFiles.reduce((bytes, { size }) => bytes + size, dataSize);
}

/** Nanoseconds since the recording's start; NaN for a record that carries no time. */
function timeOf(data: PerfData, record: RecordView): number {
  const attrIndex = data.lookup.attrIndexOf(record);
  if (attrIndex === UNKNOWN_EVENT) return Number.NaN;
  return readRecordTime(record, data.attrs[attrIndex].info, data.startTime);
}

/** A view that the walk hands out, and where it lies. */
type Segment = {
  /** Null while it is not in memory. */
  view: DataView | null;
  /** Its words, while it is there and has any. */
  words: Uint32Array | null;
  readonly source: ByteSource;
  readonly length: number;
  /** Position of its first byte: bytes of the views before it. */
  readonly start: number;
  /** File offset of its first record, and where in the view that is. */
  readonly fileOffset: number;
  readonly firstOffset: number;
  /** All its records have that file offset: they are out of one COMPRESSED record. */
  readonly isInflated: boolean;
  /** When it was asked for last. */
  usedAt: number;
};

function fileOffsetOf(segment: Segment, offset: number): number {
  if (segment.isInflated) return segment.fileOffset;
  return segment.fileOffset + offset - segment.firstOffset;
}

/**
 * The segments that records still point into, in the order of the walk. Positions count the bytes
 * of all views: unlike file offsets they also tell the records of one COMPRESSED record apart.
 *
 * Segments of the file beyond `mostResident` leave memory, the one that was used longest ago first;
 * inflated ones stay. Times that jump to and fro would have each record read a segment: so when
 * segments are read again and again, more of them are kept.
 */
class SegmentWindow {
  readonly #segments: Segment[] = [];
  readonly #resident = new Set<Segment>();
  readonly #littleEndian: boolean;
  #source: ByteSource;
  #mostResident: number;
  #current = NONE;
  #latest: Segment | null = null;
  /** The segment of the file that the walk is in. */
  #walked: Segment | null = null;
  /** Bytes of all views. */
  #end = 0;
  #now = 0;
  #readings = 0;
  /** Bytes of the segments that the walk has come to: records that cross a border count twice. */
  walkedBytes = 0;

  constructor({ source, littleEndian }: PerfData, mostResident: number) {
    this.#source = source;
    this.#littleEndian = littleEndian;
    this.#mostResident = mostResident;
  }

  /** Sets the source that the views that follow are read from. */
  continueIn(source: ByteSource): void {
    this.#source = source;
  }

  /** Position of a record in a new view, the latest, or that of the file around an inflated one. */
  add(record: RecordView): number {
    if (this.#latest?.view !== record.view) {
      const isAround = this.#walked?.view === record.view;
      this.#latest = isAround ? this.#walked : this.#append(record);
    }
    return (this.#latest as Segment).start + record.offset;
  }

  at(position: number): Segment {
    let segment = this.#segments[this.#current];
    if (segment !== undefined && segment.view !== null && holds(segment, position)) return segment;
    this.#current = this.#find(position);
    segment = this.#segments[this.#current];
    segment.usedAt = ++this.#now;
    if (segment.view === null) this.#readAgain(segment);
    return segment;
  }

  /** Forgets segments that end before `position`: their last round is out. */
  dropBefore(position: number): void {
    let count = 0;
    // More records may come from the segment that the walk is in, whatever was inflated since.
    while (count + 1 < this.#segments.length && this.#segments[count] !== this.#walked) {
      if (this.#segments[count + 1].start > position) break;
      count++;
    }
    if (count === 0) return;
    for (const segment of this.#segments.splice(0, count)) {
      if (this.#resident.has(segment)) this.#release(segment);
    }
    this.#current = NONE;
  }

  #append({ view, offset, fileOffset }: RecordView): Segment {
    const segment: Segment = {
      view,
      words: wordsOf(view, this.#littleEndian),
      source: this.#source,
      length: view.byteLength,
      start: this.#end,
      fileOffset,
      firstOffset: offset,
      isInflated: view instanceof InflatedView,
      usedAt: ++this.#now,
    };
    this.#end += segment.length;
    this.#segments.push(segment);
    if (!segment.isInflated) {
      this.#walked = segment;
      this.walkedBytes += segment.length;
      this.#keep(segment);
    }
    return segment;
  }

  #readAgain(segment: Segment): void {
    const { source, fileOffset, firstOffset, length } = segment;
    if (++this.#readings > MOST_READINGS * this.#segments.length) {
      this.#readings = 0;
      this.#mostResident *= 2;
    }
    const offset = fileOffset - firstOffset;
    const { buffer, byteOffset, byteLength } = source.read(offset, length);
    if (byteLength < length) {
      throw new PerfDataError(
        'short',
        `${byteLength} of ${length} bytes at 0x${offset.toString(16)}: it was cut while it was read`,
      );
    }
    segment.view = new DataView(buffer, byteOffset, length);
    segment.words = wordsOf(segment.view, this.#littleEndian);
    this.#keep(segment);
  }

  #keep(segment: Segment): void {
    this.#resident.add(segment);
    if (this.#resident.size <= this.#mostResident) return;
    let oldest: Segment | null = null;
    for (const one of this.#resident) {
      if (one === segment || one === this.#walked) continue;
      if (oldest === null || one.usedAt < oldest.usedAt) oldest = one;
    }
    if (oldest !== null) this.#release(oldest);
  }

  #release(segment: Segment): void {
    const { buffer, byteOffset, byteLength } = segment.view as DataView;
    segment.source.recycle?.(new Uint8Array(buffer, byteOffset, byteLength));
    segment.view = null;
    segment.words = null;
    this.#resident.delete(segment);
  }

  /** The last segment that begins at or before `position`. */
  #find(position: number): number {
    const segments = this.#segments;
    return Math.max(0, countBefore(segments.length, (row) => segments[row].start <= position) - 1);
  }
}

function holds({ start, length }: Segment, position: number): boolean {
  return position >= start && position < start + length;
}
