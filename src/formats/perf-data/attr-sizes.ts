/**
 * Attrs of one file have one size: readers step from one to the next by it. Smaller ones are
 * extended by zeros, which mean the same, and say their new size.
 */
export function withEqualSizes(attrs: readonly Uint8Array[], littleEndian: boolean): Uint8Array[] {
  const size = attrs.reduce((most, attr) => Math.max(most, attr.length), 0);
  return attrs.map((attr) => {
    const bytes = new Uint8Array(size);
    bytes.set(attr);
    new DataView(bytes.buffer).setUint32(4, size, littleEndian);
    return bytes;
  });
}
