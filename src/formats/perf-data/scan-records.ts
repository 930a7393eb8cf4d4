// Hot: once per record of the recording.

/** Records of a file that is written or was, from byte `from` to byte `to` of it. */
export type RecordRange = {
  readonly from: number;
  readonly to: number;
  /** Fills `bytes` with the first `length` bytes from `offset` on; how many there were. */
  readonly read: (bytes: Uint8Array, length: number, offset: number) => number;
};

const WINDOW_BYTES = 1 << 20;
const HEADER_BYTES = 8;
const SIZE_OFFSET = 6;

/**
 * Calls `visit` with each record: where it begins in `view`, and its size. The view is valid until
 * `visit` returns. What makes no sense as a record ends the walk. Of our own recordings, which are
 * little-endian.
 */
export function scanRecords(
  { read, from, to }: RecordRange,
  visit: (view: DataView, offset: number, size: number) => void,
): void {
  const bytes = new Uint8Array(WINDOW_BYTES);
  const view = new DataView(bytes.buffer);
  let at = from;
  while (at + HEADER_BYTES <= to) {
    const length = read(bytes, Math.min(WINDOW_BYTES, to - at), at);
    let offset = 0;
    while (offset + HEADER_BYTES <= length) {
      const size = view.getUint16(offset + SIZE_OFFSET, true);
      if (size < HEADER_BYTES || offset + size > length) break;
      visit(view, offset, size);
      offset += size;
    }
    if (offset === 0) break;
    at += offset;
  }
}
