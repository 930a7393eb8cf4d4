import { NONE } from '../base/brand.ts';
import type { ByteSource } from '../base/byte-source.ts';
import { RoundSorter } from '../order/round-sorter.ts';
import { type PerfData, walkRecords } from '../perf-data/reader.ts';
import type { RecordVisitor } from '../perf-data/record-walk.ts';
import { PERF_RECORD } from '../perf-event/constants.ts';
import { UNKNOWN_EVENT } from '../perf-event/event-lookup.ts';
import { readRecordTime } from '../perf-event/record-time.ts';

/** Small enough for the processor's caches, and to be had again when a round is out. */
const SEGMENT_BYTES = 2 << 20;

/**
 * Visits every record of a recording in time order. The visitor is the same as for the file order;
 * FINISHED_ROUND markers are consumed here.
 *
 * Ordering reads each record's time at its known offset and parses nothing else; the sorter holds
 * file positions, and the segments that they point into stay alive until their round is out. The
 * view that the visitor gets is valid during the call only.
 */
export function visitInTimeOrder(data: PerfData, visitor: RecordVisitor): void {
  const segments = new SegmentWindow(data.source);
  const sorter = new RoundSorter((position) => {
    const { view, start } = segments.at(position);
    const offset = position - start;
    const { littleEndian } = data;
    const type = view.getUint32(offset, littleEndian);
    const misc = view.getUint16(offset + 4, littleEndian);
    const size = view.getUint16(offset + 6, littleEndian);
    visitor.record(view, offset, size, type, misc, position);
  });
  let roundStart = 0;
  const inFileOrder: RecordVisitor = {
    record(view, offset, size, type, _misc, fileOffset) {
      if (type === PERF_RECORD.FINISHED_ROUND) {
        sorter.finishRound();
        segments.dropBefore(roundStart);
        roundStart = fileOffset + size;
        return;
      }
      segments.add(view, fileOffset - offset);
      sorter.push(timeOf(data, view, offset, size, type), fileOffset);
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

/** The segments of the file that records still point into, in file order. */
class SegmentWindow {
  readonly #views: DataView[] = [];
  readonly #starts: number[] = [];
  readonly #source: ByteSource;
  #current = NONE;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  add(view: DataView, start: number): void {
    if (this.#views[this.#views.length - 1] === view) return;
    this.#views.push(view);
    this.#starts.push(start);
  }

  at(position: number): { view: DataView; start: number } {
    let index = this.#current;
    if (index < 0 || !this.#holds(index, position)) {
      index = this.#views.length - 1;
      while (!this.#holds(index, position)) index--;
      this.#current = index;
    }
    return { view: this.#views[index]!, start: this.#starts[index]! };
  }

  /** Forgets segments that end before `position`: their last round is out. */
  dropBefore(position: number): void {
    let count = 0;
    while (count + 1 < this.#views.length && this.#starts[count + 1]! <= position) count++;
    if (count === 0) return;
    for (const { buffer, byteOffset, byteLength } of this.#views.splice(0, count)) {
      this.#source.recycle?.(new Uint8Array(buffer, byteOffset, byteLength));
    }
    this.#starts.splice(0, count);
    this.#current = NONE;
  }

  /** Segments overlap where a record crosses their border: the later one has it whole. */
  #holds(index: number, position: number): boolean {
    const next = this.#starts[index + 1];
    return position >= this.#starts[index]! && (next === undefined || position < next);
  }
}
