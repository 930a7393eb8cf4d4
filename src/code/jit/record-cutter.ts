// Hot: once per record, of which a program that warms up makes tens of thousands.

import {
  BYTE_CODE,
  CODE_EVENT,
  MAGIC,
  MOST_NAME_BYTES,
  RECORD_BYTES,
  STREAM_HEADER_BYTES,
} from './code-events.ts';

/** A record is a name and a few numbers; notes are larger. */
const MOST_RECORD_BYTES = 32 << 20;
/** ADDED with the longest name that a sender sends, filled up to 8 bytes. */
const MOST_CODE_RECORD_BYTES = RECORD_BYTES + 24 + MOST_NAME_BYTES + 8;

/**
 * Cuts the stream of one isolate (`code-events.ts` has its layout) into records of machine code as its
 * bytes come. What is held of a record that is not whole is never more than one of code may have:
 * records of other kinds, which may be long, are passed over.
 */
export class RecordCutter {
  readonly #onRecord: (record: Uint8Array) => boolean;
  readonly #held = new Uint8Array(MOST_CODE_RECORD_BYTES);
  readonly #view = new DataView(this.#held.buffer);
  #length = 0;
  /** Bytes that are held before the next look: the stream's header, a record's head, a record. */
  #wanted = STREAM_HEADER_BYTES;
  #isHeader = true;
  /** Bytes of a record that nobody wants. */
  #skip = 0;

  /** `onRecord`: false where the record makes no sense. It is valid until the next one. */
  constructor(onRecord: (record: Uint8Array) => boolean) {
    this.#onRecord = onRecord;
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
      this.#held.set(bytes.subarray(at, at + count), this.#length);
      this.#length += count;
      at += count;
      if (this.#length === this.#wanted && !this.#look()) return false;
    }
    return true;
  }

  /** The bytes that were wanted are there. */
  #look(): boolean {
    if (this.#isHeader) {
      for (let i = 0; i < MAGIC.length; i++) {
        if (this.#held[i] !== MAGIC.charCodeAt(i)) return false;
      }
      this.#isHeader = false;
    } else {
      const size = this.#view.getUint32(0, true);
      if (size < RECORD_BYTES || size > MOST_RECORD_BYTES) return false;
      if (this.#length < size) {
        if (!this.#isOfCode()) this.#skip = size - this.#length;
        else if (size > MOST_CODE_RECORD_BYTES) return false;
        else {
          this.#wanted = size;
          return true;
        }
      } else if (this.#isOfCode() && !this.#onRecord(this.#held.subarray(0, size))) return false;
    }
    this.#length = 0;
    this.#wanted = RECORD_BYTES;
    return true;
  }

  #isOfCode(): boolean {
    const type = this.#view.getUint16(4, true);
    const isCode = this.#view.getUint16(6, true) !== BYTE_CODE;
    return (
      isCode &&
      (type === CODE_EVENT.ADDED || type === CODE_EVENT.MOVED || type === CODE_EVENT.REMOVED)
    );
  }
}
