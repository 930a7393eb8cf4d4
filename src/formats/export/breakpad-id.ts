/** Bytes of a build ID that a breakpad ID has room for. */
const GUID_BYTES = 16;

/**
 * The breakpad ID of a build ID (lower-case hex): its first 16 bytes, missing ones as zero, taken
 * for a GUID of a little-endian machine, as upper-case hex; and an age, which ELF does not have.
 *
 *   build ID     e4f18d9d c1d0 e6fc 2b17e93e885a647b 3c0a6fc1
 *   breakpad ID  9D8DF1E4 D0C1 FCE6 2B17E93E885A647B 0
 */
export function breakpadId(buildId: string): string {
  const hex = buildId.padEnd(GUID_BYTES * 2, '0').slice(0, GUID_BYTES * 2);
  const reversed = (from: number, to: number) => hex.slice(from, to).match(/../g)!.toReversed();
  const swapped = [...reversed(0, 8), ...reversed(8, 12), ...reversed(12, 16)].join('');
  return `${swapped}${hex.slice(16)}0`.toUpperCase();
}
