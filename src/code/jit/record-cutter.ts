// Hot: once per record, of which a program that warms up makes tens of thousands.

import { copyBytes } from '../../base/join-bytes.ts';
import {
  CodeRecord,
  isStreamAt,
  MOST_NAME_BYTES,
  RECORD_BYTES,
  STREAM_HEADER_BYTES,
} from './code-record.ts';

/** A record is a name and a few numbers; notes are larger. */
const MOST_RECORD_BYTES = 32 << 20;
/** ADDED with the longest name that a sender sends, filled up to 8 bytes. */
const MOST_CODE_RECORD_BYTES = RECORD_BYTES + 24 + MOST_NAME_BYTES + 8;
/** Room for nearly all records of code. */
const FIRST_BYTES = 512;

/**
 * Cuts the stream of one isolate (`code-record.ts` has its layout) into the records that are wanted, as its
 * bytes come. What is held of a record that is not whole is never more than one of code may have:
 * others, which may be long, are passed over.
 */
export class RecordCutter {
  readonly #onRecord: (record: CodeRecord, bytes: Uint8Array) => boolean;
  readonly #isWanted: (record: CodeRecord) => boolean;
  readonly #record = new CodeRecord();
  #held = new Uint8Array(FIRST_BYTES);
  #view = new DataView(this.#held.buffer);
  #length = 0;
  /** Bytes that are held before the next look: the stream's header, a record's head, a record. */
  #wanted = STREAM_HEADER_BYTES;
  #isHeader = true;
  /** Bytes of a record that nobody wants. */
  #skip = 0;

  /**
   * `onRecord`: false where the record makes no sense. It and the bytes it is in are valid until the next one. `isWanted`:
   * by the type and the kind of code, which alone are read.
   */
  constructor(
    onRecord: (record: CodeRecord, bytes: Uint8Array) => boolean,
    isWanted: (record: CodeRecord) => boolean,
  ) {
    this.#onRecord = onRecord;
    this.#isWanted = isWanted;
  }

  /** Bytes of memory that one stream takes here, whether a record is held or not. */
  get heldBytes(): number {
    return this.#held.length;
  }

  /** Takes what came next; false when it makes no sense: the stream is to be left. */
  take(bytes: Uint8Array): boolean {
    for (let at = 0; at < bytes.length; ) {
      if (this.#skip > 0) {
        const passed = Math.min(this.#skip, bytes.length - at);
        this.#skip -= passed;
        at += passed;
        continue;
      }
      const count = Math.min(this.#wanted - this.#length, bytes.length - at);
      copyBytes(bytes, at, count, this.#held, this.#length);
      this.#length += count;
      at += count;
      if (this.#length === this.#wanted && !this.#look()) return false;
    }
    return true;
  }

  /** The bytes that were wanted are there. */
  #look(): boolean {
    const record = this.#record;
    if (this.#isHeader) {
      if (!isStreamAt(this.#held, 0)) return false;
      this.#isHeader = false;
    } else {
      if (!record.readHead(this.#view, 0) || record.size > MOST_RECORD_BYTES) return false;
      if (this.#length < record.size) {
        if (!this.#isWanted(record)) this.#skip = record.size - this.#length;
        else if (record.size > MOST_CODE_RECORD_BYTES) return false;
        else {
          this.#wanted = record.size;
          this.#makeRoom(record.size);
          return true;
        }
      } else if (this.#isWanted(record)) {
        if (!record.readBody(this.#view) || !this.#onRecord(record, this.#held)) return false;
      }
    }
    this.#length = 0;
    this.#wanted = RECORD_BYTES;
    return true;
  }

  /** A record of usual length gives the room of a long one back: thousands of idle streams take little. */
  #makeRoom(size: number): void {
    const length = size > FIRST_BYTES ? Math.max(size, this.#held.length) : FIRST_BYTES;
    if (length === this.#held.length) return;
    const held = new Uint8Array(length);
    held.set(this.#held.subarray(0, this.#length));
    this.#held = held;
    this.#view = new DataView(held.buffer);
  }
}
