import { messageOf, PerfDataError, TOO_LARGE } from '../../base/errors.ts';
import { readU64 } from '../../base/u64.ts';
import { PERF_RECORD } from '../../kernel/perf-event/constants.ts';
import { RECORD_HEADER_SIZE, RecordView } from '../../kernel/perf-event/record-view.ts';
import type { RecordVisitor } from './record-visitor.ts';
import type { UnpackLimit } from './unpack-limit.ts';
import { ZstdGuard } from './zstd-guard.ts';

/** Decodes a zstd stream that comes in pieces; as soon as a block is whole it goes to the output. */
export type ZstdDecoder = { push(piece: Uint8Array): void };

/** Makes a decoder for one stream. Only called when a recording is compressed. */
export type CreateZstdDecoder = (output: (block: Uint8Array) => void) => ZstdDecoder;

/** `DataView` takes a type argument only as of TypeScript 5.7, and users' compilers may be older. */
const View: new (buffer: ArrayBuffer, byteOffset?: number, byteLength?: number) => DataView =
  DataView;

/** Records that were inside one COMPRESSED record; not bytes of the file. */
export class InflatedView extends View {}

/**
 * Bytes of inflated records that one buffer takes: those of many COMPRESSED records, as rings are
 * drained in small portions.
 */
const BUFFER_BYTES = 1 << 20;

/** Bytes that one record may inflate to if the header doesn't report it: more than any ring has. */
const MOST_INFLATED = 1 << 30;

/**
 * Reads the records inside COMPRESSED records.
 *
 *   struct { header; char data[]; }                    COMPRESSED
 *   struct { header; u64 data_size; char data[]; }     COMPRESSED2, padded to 8 bytes
 *
 * The data of all of them together is one zstd stream, which perf flushes after each but never
 * ends; each file of a directory has its own. A record may begin in one and end in the next: what
 * is not whole is kept for it.
 *
 * The first error ends the stream, because all that follows refers back to what came before it.
 */
export class RecordInflater {
  readonly #createDecoder: CreateZstdDecoder;
  readonly #littleEndian: boolean;
  readonly #mostInflated: number;
  readonly #limit: UnpackLimit;
  readonly #guard = new ZstdGuard();
  #decoder: ZstdDecoder | null = null;

  // Inflated bytes: #start to #walked have been visited, #walked to #end have not.
  #buffer = new Uint8Array(0);
  #start = 0;
  #walked = 0;
  #end = 0;

  // The COMPRESSED record being read.
  #visitor: RecordVisitor | null = null;
  #fileOffset = 0;
  #view = new InflatedView(new ArrayBuffer(0));
  #inflated = 0;
  readonly #record = new RecordView();
  #isVisiting = false;

  /** Records visited. */
  records = 0;
  /** Why nothing more can be inflated; null as long as it can. */
  failure: string | null = null;
  /** Offset where it began; −1 if it did not. */
  failedAt = -1;

  /** `mostInflated`: bytes that one record may inflate to, 0 if not known. */
  constructor(
    createDecoder: CreateZstdDecoder,
    littleEndian: boolean,
    mostInflated: number,
    limit: UnpackLimit,
  ) {
    this.#limit = limit;
    this.#createDecoder = createDecoder;
    this.#littleEndian = littleEndian;
    this.#mostInflated = mostInflated > 0 ? Math.max(mostInflated, BUFFER_BYTES) : MOST_INFLATED;
  }

  /** Bytes of a record whose end has not come. */
  get pendingBytes(): number {
    return this.#end - this.#walked;
  }

  /**
   * Visits the records in a COMPRESSED or COMPRESSED2 record, all with its file offset. Afterwards
   * `failure` states whether it worked.
   */
  inflate(record: RecordView, visitor: RecordVisitor): void {
    if (this.failure !== null) return;
    this.#visitor = visitor;
    this.#fileOffset = record.fileOffset;
    this.#inflated = 0;
    this.#beginView();
    try {
      const piece = compressedBytes(record, this.#littleEndian);
      const windowBytes = this.#guard.windowBytes;
      this.#guard.check(piece);
      this.#limit.addPacked(piece.length);
      this.#limit.addWindows(this.#guard.windowBytes - windowBytes);
      this.#decoder ??= this.#createDecoder((block) => this.#take(block));
      // A copy: the decoder keeps what is not a whole block, and the view may be recycled.
      this.#decoder.push(piece.slice());
    } catch (error) {
      // What a visitor throws is its own affair, not a damaged stream.
      if (this.#isVisiting) throw error;
      // Nor is a whole one that is too large.
      if (error instanceof PerfDataError && error.code === TOO_LARGE) throw error;
      this.failure = messageOf(error);
      this.failedAt = record.fileOffset;
    }
    this.#visitor = null;
  }

  /** Appends a block, as often as the buffer takes all or a part of it. */
  #take(block: Uint8Array): void {
    this.#inflated += block.length;
    this.#limit.addUnpacked(block.length, this.records);
    if (this.#inflated > this.#mostInflated) {
      throw new PerfDataError(
        'bad-zstd',
        `a record inflates to more than the ${this.#mostInflated} bytes of a ring`,
      );
    }
    let done = 0;
    while (done < block.length && this.#visitor?.isDone !== true) {
      if (this.#end === this.#buffer.length) this.#renewBuffer();
      const count = Math.min(block.length - done, this.#buffer.length - this.#end);
      this.#buffer.set(block.subarray(done, done + count), this.#end);
      this.#end += count;
      done += count;
      this.#walk();
    }
  }

  /** Begins a new buffer with the record that is not whole. Views of the old one stay as they are. */
  #renewBuffer(): void {
    const rest = this.#buffer.subarray(this.#walked, this.#end);
    this.#buffer = new Uint8Array(BUFFER_BYTES);
    this.#buffer.set(rest);
    this.#walked = 0;
    this.#end = rest.length;
    this.#beginView();
  }

  /** All records of a view have one file offset, see `RecordVisitor`. */
  #beginView(): void {
    this.#start = this.#walked;
    const length = this.#buffer.length - this.#start;
    this.#view = new InflatedView(this.#buffer.buffer, this.#start, length);
  }

  #walk(): void {
    const visitor = this.#visitor as RecordVisitor;
    const view = this.#view;
    const start = this.#start;
    const record = this.#record;
    while (this.#walked + RECORD_HEADER_SIZE <= this.#end && visitor.isDone !== true) {
      record.moveTo(view, this.#walked - start, this.#littleEndian, this.#fileOffset);
      const { size } = record;
      if (size < RECORD_HEADER_SIZE) {
        throw new PerfDataError(
          'bad-record',
          `an inflated record has a stated size of ${size} bytes`,
        );
      }
      if (this.#walked + size > this.#end) return;
      this.#walked += size;
      this.records++;
      this.#isVisiting = true;
      visitor.record(record);
      this.#isVisiting = false;
    }
  }
}

function compressedBytes(record: RecordView, littleEndian: boolean): Uint8Array {
  const { view, offset, size } = record;
  let from = RECORD_HEADER_SIZE;
  let length = size - from;
  if (record.type === PERF_RECORD.COMPRESSED2) {
    from += 8;
    length = from <= size ? readU64(view, offset + RECORD_HEADER_SIZE, littleEndian) : size;
    if (from + length > size) {
      const message = `a COMPRESSED2 record of ${size} bytes can't hold ${length} bytes of data`;
      throw new PerfDataError('bad-record', message);
    }
  }
  return record.bytes(from, from + length);
}
