/** Bytes of the header in front of every record. */
export const RECORD_HEADER_SIZE = 8;

const NO_BYTES = new DataView(new ArrayBuffer(0));

/**
 * One record, its header read:
 *
 *   struct perf_event_header { u32 type; u16 misc; u16 size; };
 *
 * One object serves all records of a walk, and what it says is valid until the next of them: who
 * keeps a record copies what it needs. Whoever moves it guarantees that the whole record lies in
 * the view, so its bytes [offset, end) are read without further checks.
 */
export class RecordView {
  view: DataView = NO_BYTES;
  /** The view as words, where the record begins and ends with one; null otherwise. See `wordsOf`. */
  words: Uint32Array | null = null;
  /** First byte of the header in `view`. */
  offset = 0;
  type = 0;
  /** `PERF_RECORD_MISC` bits. */
  misc = 0;
  /** Bytes, header included. */
  size = 0;
  /**
   * The record's offset in its file, that of the COMPRESSED record for one out of it; −1 for
   * bytes that come from no file.
   */
  fileOffset = -1;

  /** Offset behind the last byte. */
  get end(): number {
    return this.offset + this.size;
  }

  /** Reads the header at `offset` of `view`, which must have its 8 bytes. */
  moveTo(view: DataView, offset: number, littleEndian: boolean, fileOffset = -1): this {
    this.view = view;
    this.words = null;
    this.offset = offset;
    this.type = view.getUint32(offset, littleEndian);
    this.misc = view.getUint16(offset + 4, littleEndian);
    this.size = view.getUint16(offset + 6, littleEndian);
    this.fileOffset = fileOffset;
    return this;
  }

  /** `moveTo` where the words of `view` are known, null for those that have none. */
  moveInWords(
    view: DataView,
    words: Uint32Array | null,
    offset: number,
    littleEndian: boolean,
    fileOffset: number,
  ): void {
    if (words === null || (offset & 3) !== 0) {
      this.moveTo(view, offset, littleEndian, fileOffset);
      return;
    }
    const first = offset >> 2;
    const miscAndSize = words[first + 1];
    const size = miscAndSize >>> 16;
    this.view = view;
    this.words = (size & 3) === 0 ? words : null;
    this.offset = offset;
    this.type = words[first];
    this.misc = miscAndSize & 0xffff;
    this.size = size;
    this.fileOffset = fileOffset;
  }

  /** The bytes from `start` to `end`, both counted from the header's first, not copied. */
  bytes(start = 0, end = this.size): Uint8Array {
    return new Uint8Array(
      this.view.buffer,
      this.view.byteOffset + this.offset + start,
      end - start,
    );
  }
}
