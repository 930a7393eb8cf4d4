// Hot: once per record.

import { countBefore } from '../../base/bisect.ts';
import { joinBytes } from '../../base/join-bytes.ts';
import type { PerfData } from '../../formats/perf-data/reader.ts';
import { RoundSorter } from '../../kernel/order/round-sorter.ts';
import { PERF_RECORD } from '../../kernel/perf-event/constants.ts';
import { UNKNOWN_EVENT } from '../../kernel/perf-event/event-lookup.ts';
import type { ParseInfo } from '../../kernel/perf-event/parse-info.ts';
import { readRecordTime } from '../../kernel/perf-event/record-time.ts';
import { RECORD_HEADER_SIZE, RecordView } from '../../kernel/perf-event/record-view.ts';

/** Gets each record, in time order; it is valid during the call only. */
export type ReadRecord = (record: RecordView) => void;

/** Gets each record that is no sample as it arrives, before its order is known. */
export type MeetRecord = (record: RecordView, info: ParseInfo) => void;

/** Whole records that some of the sorter's positions still point into. */
type Piece = { readonly view: DataView; readonly start: number };

/**
 * Records that come in pieces, in time order: what `visitInTimeOrder` does with a file, without one.
 * A piece may end within a record; what is left over goes before the next piece. Pieces stay in
 * memory until the round after theirs has ended.
 */
export class LiveRecords {
  readonly #data: PerfData;
  readonly #sorter: RoundSorter;
  readonly #meet: MeetRecord | null;
  readonly #pieces: Piece[] = [];
  /** The record of the newest piece that is being sorted in. */
  readonly #fed = new RecordView();
  /** The piece that was asked for last. */
  #current: Piece | null = null;
  #rest: Uint8Array = new Uint8Array();
  /** Bytes of all pieces so far. */
  #end = 0;
  #roundStart = 0;

  constructor(data: PerfData, read: ReadRecord, meet: MeetRecord | null = null) {
    this.#data = data;
    this.#meet = meet;
    const sorted = new RecordView();
    this.#sorter = new RoundSorter((position) => {
      const { view, start } = this.#pieceAt(position);
      read(sorted.moveTo(view, position - start, data.littleEndian));
    });
  }

  /** The next bytes. They belong to this object from now on. */
  feed(bytes: Uint8Array): void {
    const whole = this.#rest.length === 0 ? bytes : joinBytes(this.#rest, bytes);
    const view = new DataView(whole.buffer, whole.byteOffset, whole.byteLength);
    const start = this.#end;
    this.#pieces.push({ view, start });
    const { littleEndian, lookup, attrs, startTime } = this.#data;
    const { length } = whole;
    const record = this.#fed;
    let offset = 0;
    while (offset + RECORD_HEADER_SIZE <= length) {
      const { size, type } = record.moveTo(view, offset, littleEndian);
      if (size < RECORD_HEADER_SIZE) {
        // Nothing says where the next record begins.
        offset = length;
        break;
      }
      if (offset + size > length) break;
      this.#end = start + offset + size;
      if (type === PERF_RECORD.FINISHED_ROUND) {
        this.#finishRound(start + offset);
      } else {
        const attrIndex = lookup.attrIndexOf(record);
        let time = Number.NaN;
        if (attrIndex !== UNKNOWN_EVENT) {
          const { info } = attrs[attrIndex];
          time = readRecordTime(record, info, startTime);
          if (type !== PERF_RECORD.SAMPLE) this.#meet?.(record, info);
        }
        this.#sorter.push(time, start + offset);
      }
      offset += size;
    }
    this.#end = start + offset;
    this.#rest = whole.subarray(offset);
    if (offset === 0) this.#pieces.pop();
  }

  /** No more comes: everything goes out. */
  finish(): void {
    this.#sorter.finish();
    this.#pieces.length = 0;
  }

  /** Drops pieces of earlier rounds: what still waits is of the round that ends here. */
  #finishRound(position: number): void {
    this.#sorter.finishRound();
    let gone = 0;
    while (gone + 1 < this.#pieces.length && this.#pieces[gone + 1].start <= this.#roundStart) {
      gone++;
    }
    if (gone > 0) this.#pieces.splice(0, gone);
    this.#roundStart = position;
  }

  #pieceAt(position: number): Piece {
    const last = this.#current;
    if (last !== null && position >= last.start) {
      if (position < last.start + last.view.byteLength && this.#isOfLast(last, position)) {
        return last;
      }
    }
    const pieces = this.#pieces;
    const begun = countBefore(pieces.length, (row) => pieces[row].start <= position);
    this.#current = pieces[Math.max(0, begun - 1)];
    return this.#current;
  }

  /** Bytes that a piece could not use are repeated in the next one, whose they are. */
  #isOfLast(last: Piece, position: number): boolean {
    const view = last.view;
    const offset = position - last.start;
    if (offset + RECORD_HEADER_SIZE > view.byteLength) return false;
    return offset + view.getUint16(offset + 6, this.#data.littleEndian) <= view.byteLength;
  }
}
