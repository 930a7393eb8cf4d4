// Hot: once per record, of which a hostile program sends millions.

import { ByteBlocks } from '../../base/byte-blocks.ts';
import { copyBytes } from '../../base/join-bytes.ts';
import {
  CODE_EVENT,
  CodeRecord,
  isStreamAt,
  MOST_NAME_BYTES,
  RECORD_BYTES,
  STREAM_HEADER_BYTES,
} from './code-record.ts';

/** A longer note or source map stays in the stream, where nobody looks at it: what a loader makes is shorter. */
const MOST_RECORD_BYTES = (16 << 20) + 4096;
/** Room for nearly all records; more is given back. */
const FIRST_BYTES = 512;

/** Called as records of a stream come; the bytes are valid during the call. */
export type StreamEvents = {
  /** `name`: of code, as V8 spells it. */
  readonly onName: (name: Uint8Array) => void;
  /**
   * `url`: the source map, `data:…`, inside the script of the code added last, which is V8's number `script`; `name`: of that code, empty
   * where it is too long.
   */
  readonly onSourceMap: (script: number, name: Uint8Array, url: Uint8Array) => void;
};

/**
 * Takes the stream of one isolate (`code-record.ts` has its layout) apart as its bytes come: at the end of a recording
 * nothing is left to do. All that is damaged, and what comes behind it, stays in `code`; a record that is not whole yet is
 * in no part.
 */
export class StreamSplitter {
  /** The stream without what is kept in other forms. */
  readonly code = new ByteBlocks();
  /** Notes, a line of JSON each. */
  readonly notes = new ByteBlocks();
  /** A stream of the event loop's turns and of marks alone; empty where there are none. */
  readonly turns = new ByteBlocks();
  readonly #events: StreamEvents;
  readonly #record = new CodeRecord();
  readonly #header = new Uint8Array(STREAM_HEADER_BYTES);
  /** The front of a record that is not whole yet, or of the header. */
  #held = new Uint8Array(FIRST_BYTES);
  #heldView = new DataView(this.#held.buffer);
  #length = 0;
  /** Bytes that are held before the next look. */
  #wanted = STREAM_HEADER_BYTES;
  #isHeader = true;
  /** Bytes that go on into `code`. */
  #passed = 0;
  /** Name of the code added last. */
  #name = new Uint8Array(FIRST_BYTES);
  #nameSize = 0;

  constructor(events: StreamEvents) {
    this.#events = events;
  }

  /** Takes what came next. */
  take(bytes: Uint8Array): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let at = 0; at < bytes.length; ) {
      if (this.#passed > 0) {
        const count = Math.min(this.#passed, bytes.length - at);
        this.code.add(bytes, at, at + count);
        this.#passed -= count;
        at += count;
      } else if (this.#length === 0 && !this.#isHeader && at + RECORD_BYTES <= bytes.length) {
        const end = this.#takeWhole(bytes, view, at, bytes.length);
        at = end > at || this.#passed > 0 ? end : this.#hold(bytes, at);
      } else at = this.#hold(bytes, at);
    }
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
      this.#header.set(this.#held.subarray(0, this.#length));
      this.code.add(this.#header);
      if (!isStreamAt(this.#header, 0)) this.#passed = Number.POSITIVE_INFINITY;
    } else if (this.#takeWhole(this.#held, this.#heldView, 0, this.#length) === 0) {
      if (this.#passed > 0) this.code.add(this.#held, 0, this.#length);
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
    let copiedTo = at;
    let next = at;
    while (next + RECORD_BYTES <= length) {
      if (!record.readHead(view, next)) {
        this.#passed = Number.POSITIVE_INFINITY;
        break;
      }
      const { type, end } = record;
      if (!isReadWhole(record)) {
        if (type === CODE_EVENT.ADDED) this.#nameSize = 0;
        next = Math.min(end, length);
        this.#passed = end - next;
        continue;
      }
      if (end > length) break;
      if (!record.readBody(view)) {
        this.#passed = Number.POSITIVE_INFINITY;
        break;
      }
      if (type === CODE_EVENT.ADDED) this.#keepName(bytes);
      else {
        this.code.add(bytes, copiedTo, next);
        copiedTo = end;
        this.#takeOut(bytes, next);
      }
      next = end;
    }
    this.code.add(bytes, copiedTo, next);
    return next;
  }

  #keepName(bytes: Uint8Array): void {
    const { textAt, textSize } = this.#record;
    if (textSize > this.#name.length) this.#name = new Uint8Array(MOST_NAME_BYTES);
    this.#nameSize = textSize > MOST_NAME_BYTES ? 0 : textSize;
    copyBytes(bytes, textAt, this.#nameSize, this.#name, 0);
    this.#events.onName(bytes.subarray(textAt, textAt + textSize));
  }

  /** The record that was read, which begins at `at`. */
  #takeOut(bytes: Uint8Array, at: number): void {
    const { type, end, textAt, textSize } = this.#record;
    if (type === CODE_EVENT.NOTE) this.notes.add(bytes, textAt, end);
    else if (type === CODE_EVENT.SOURCE_MAP) {
      const name = this.#name.subarray(0, this.#nameSize);
      this.#events.onSourceMap(
        this.#record.script,
        name,
        bytes.subarray(textAt, textAt + textSize),
      );
    } else {
      if (this.turns.length === 0) this.turns.add(this.#header);
      this.turns.add(bytes, at, end);
    }
  }
}

/** Whether the record is named or taken out, and not too long for that. */
function isReadWhole({ type, size }: CodeRecord): boolean {
  if (type === CODE_EVENT.ADDED) return size <= RECORD_BYTES + 24 + MOST_NAME_BYTES + 8;
  const isOfLoop = type >= CODE_EVENT.TURN && type <= CODE_EVENT.MARK_END;
  const isTakenOut = type === CODE_EVENT.NOTE || type === CODE_EVENT.SOURCE_MAP || isOfLoop;
  return isTakenOut && size <= MOST_RECORD_BYTES;
}
