import type { RecordView } from '../kernel/perf-event/record-view.ts';

/** Bytes gathered before they are written. */
const CAPACITY = 4 << 20;
/** A record's size is a u16. */
const LARGEST_RECORD = 65536;
/** Size below which a loop copies faster than a view of the source is made. */
const SMALL = 48;

/**
 * Records on their way out. One at a time: `begin`, then `copy` and `take`, then `end`, which
 * writes its size. `view` may be another one after `begin`, not during a record.
 */
export class RecordBuffer {
  readonly #write: (bytes: Uint8Array) => void;
  readonly #bytes = new Uint8Array(CAPACITY);
  readonly view = new DataView(this.#bytes.buffer);
  #start = 0;
  /** Offset of the record's next byte. */
  position = 0;
  #flushed = 0;

  constructor(write: (bytes: Uint8Array) => void) {
    this.#write = write;
  }

  /** Offset in `view` of the record begun last. */
  get start(): number {
    return this.#start;
  }

  /** Bytes of all records so far. */
  get length(): number {
    return this.#flushed + this.position;
  }

  begin(atMost = LARGEST_RECORD): void {
    if (this.position + atMost > CAPACITY) this.flush();
    this.#start = this.position;
  }

  copy(view: DataView, offset: number, size: number): void {
    const to = this.position;
    if (size < SMALL) {
      for (let i = 0; i < size; i++) this.#bytes[to + i] = view.getUint8(offset + i);
    } else {
      this.#bytes.set(new Uint8Array(view.buffer, view.byteOffset + offset, size), to);
    }
    this.position = to + size;
  }

  /** A record as it is. */
  copyRecord({ view, offset, size }: RecordView): void {
    this.begin(size);
    this.copy(view, offset, size);
  }

  /** Room for `size` bytes of the record; returns where. */
  take(size: number): number {
    const at = this.position;
    this.position = at + size;
    return at;
  }

  /** Ends the record: `struct perf_event_header`'s size becomes what was written. */
  end(littleEndian: boolean): void {
    this.view.setUint16(this.#start + 6, this.position - this.#start, littleEndian);
  }

  /** A whole record, or several of them, unchanged. */
  append(bytes: Uint8Array): void {
    if (bytes.length > CAPACITY) {
      this.flush();
      this.#write(bytes);
      this.#flushed += bytes.length;
      return;
    }
    if (this.position + bytes.length > CAPACITY) this.flush();
    this.#bytes.set(bytes, this.position);
    this.position += bytes.length;
  }

  flush(): void {
    if (this.position === 0) return;
    this.#write(this.#bytes.subarray(0, this.position));
    this.#flushed += this.position;
    this.position = 0;
    this.#start = 0;
  }
}
