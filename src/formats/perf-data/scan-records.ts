const HEADER_BYTES = 8;
const SIZE_OFFSET = 6;

/**
 * Calls `visit` with each of the records, which stand one behind the other: where it begins in `view`,
 * and its size. What makes no sense as a record ends the walk. Of our own recordings, which are
 * little-endian.
 */
export function scanRecords(
  records: Uint8Array,
  visit: (view: DataView, offset: number, size: number) => void,
): void {
  const view = new DataView(records.buffer, records.byteOffset, records.length);
  for (let offset = 0; offset + HEADER_BYTES <= records.length; ) {
    const size = view.getUint16(offset + SIZE_OFFSET, true);
    if (size < HEADER_BYTES || offset + size > records.length) break;
    visit(view, offset, size);
    offset += size;
  }
}
