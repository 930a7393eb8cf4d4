/**
 * Random access to bytes that may be larger than one buffer. Parsers take this instead of a file,
 * so that they run in the browser and over plain memory in tests.
 */
export type ByteSource = {
  /** Bytes in the whole source. */
  readonly size: number;
  /**
   * The bytes [offset, offset + length), fewer only at the end of the source. The result may be a
   * view of a larger buffer; it stays valid and unchanged after further calls.
   */
  read(offset: number, length: number): Uint8Array;
  /**
   * Hands a result of `read` back: nobody will look at it any more, and a later read may use its
   * memory. Fresh memory costs more than the reading does.
   */
  recycle?(bytes: Uint8Array): void;
  /**
   * Keeps these bytes readable after whoever opened the source is done with it, so that large parts of it need not
   * be read before they are asked for. Absent where that can't be.
   */
  hold?(offset: number, length: number): void;
};

/** A source over bytes that are already in memory. */
export function memorySource(bytes: Uint8Array): ByteSource {
  return {
    size: bytes.length,
    read: (offset, length) => bytes.subarray(offset, Math.min(offset + length, bytes.length)),
  };
}
