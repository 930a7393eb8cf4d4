// Hot: once per record, of which a hostile program sends millions.

import { copyBytes } from '../../base/join-bytes.ts';
import { CodeRecord, isStreamAt, RECORD_BYTES, STREAM_HEADER_BYTES } from './code-record.ts';

/** Room for nearly all records; more is given back: thousands of idle streams take little. */
const FIRST_BYTES = 512;

/** A reader of the records of a stream. Bytes are valid during a call. */
export type StreamReader = {
  /** Decides on a record by its head: it is read whole, passed on as it is, or makes no sense. */
  judge(record: CodeRecord): 'whole' | 'passed' | 'damaged';
  /** Takes a whole record, which is in `bytes`. Its bytes are passed on as well, or not; or it makes no sense. */
  take(record: CodeRecord, bytes: Uint8Array): 'stays' | 'taken' | 'damaged';
  /** Takes bytes that belong to no record which was taken, in the order of the stream; the header is the first. */
  pass(bytes: Uint8Array, from: number, to: number): void;
};

/**
 * Cuts the stream of one isolate (`code-record.ts` has its layout) into records as its bytes come. What makes no sense, and all
 * behind it, is passed on. Only the front of a record that is not whole yet is held.
 */
export class StreamCutter {
  readonly #reader: StreamReader;
  readonly #record = new CodeRecord();
  /** The front of a record that is not whole yet, or of the header. */
  #held = new Uint8Array(FIRST_BYTES);
  #heldView = new DataView(this.#held.buffer);
  #length = 0;
  /** Bytes that are held before the next look. */
  #wanted = STREAM_HEADER_BYTES;
  #isHeader = true;
  /** Bytes that are passed on without a look. */
  #passed = 0;

  constructor(reader: StreamReader) {
    this.#reader = reader;
  }

  /** Bytes of memory that one stream takes here, whether a record is held or not. */
  get heldBytes(): number {
    return this.#held.length;
  }

  /** Takes what came next; false once something makes no sense. */
  take(bytes: Uint8Array): boolean {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let at = 0; at < bytes.length; ) {
      if (this.#passed > 0) {
        const count = Math.min(this.#passed, bytes.length - at);
        this.#reader.pass(bytes, at, at + count);
        this.#passed -= count;
        at += count;
      } else if (this.#length === 0 && !this.#isHeader && at + RECORD_BYTES <= bytes.length) {
        const end = this.#takeWhole(bytes, view, at, bytes.length);
        at = end > at || this.#passed > 0 ? end : this.#hold(bytes, at);
      } else at = this.#hold(bytes, at);
    }
    return this.#passed !== Number.POSITIVE_INFINITY;
  }

  #hold(bytes: Uint8Array, at: number): number {
    const count = Math.min(this.#wanted - this.#length, bytes.length - at);
    this.#makeRoom(this.#length + count);
    copyBytes(bytes, at, count, this.#held, this.#length);
    this.#length += count;
    if (this.#length === this.#wanted) this.#look();
    return at + count;
  }

  /** The bytes that were wanted are there: the header, the head of a record, or a record. */
  #look(): void {
    if (this.#isHeader) {
      this.#isHeader = false;
      this.#reader.pass(this.#held, 0, this.#length);
      if (!isStreamAt(this.#held, 0)) this.#passed = Number.POSITIVE_INFINITY;
    } else if (this.#takeWhole(this.#held, this.#heldView, 0, this.#length) === 0) {
      if (this.#passed > 0) this.#reader.pass(this.#held, 0, this.#length);
      else {
        this.#wanted = this.#record.size;
        return;
      }
    }
    this.#length = 0;
    this.#wanted = RECORD_BYTES;
    if (this.#held.length > FIRST_BYTES) this.#room(FIRST_BYTES);
  }

  #makeRoom(size: number): void {
    if (size > this.#held.length) this.#room(Math.max(size, this.#held.length * 2));
  }

  #room(size: number): void {
    const held = new Uint8Array(size);
    held.set(this.#held.subarray(0, this.#length));
    this.#held = held;
    this.#heldView = new DataView(held.buffer);
  }

  /**
   * Takes the records at `at` that are whole, and the front of one that need not be. Returns where the next one begins, which is at
   * `at` for a single one that has to be whole and is not, and for one that is damaged.
   */
  #takeWhole(bytes: Uint8Array, view: DataView, at: number, length: number): number {
    const record = this.#record;
    const reader = this.#reader;
    let passedTo = at;
    let next = at;
    while (next + RECORD_BYTES <= length) {
      const judged = record.readHead(view, next) ? reader.judge(record) : 'damaged';
      const { end } = record;
      if (judged === 'passed') {
        next = Math.min(end, length);
        this.#passed = end - next;
        continue;
      }
      if (judged === 'whole' && end > length) break;
      const isSound = judged === 'whole' && record.readBody(view);
      const taken = isSound ? reader.take(record, bytes) : 'damaged';
      if (taken === 'damaged') {
        this.#passed = Number.POSITIVE_INFINITY;
        break;
      }
      if (taken === 'taken') {
        reader.pass(bytes, passedTo, next);
        passedTo = end;
      }
      next = end;
    }
    reader.pass(bytes, passedTo, next);
    return next;
  }
}
