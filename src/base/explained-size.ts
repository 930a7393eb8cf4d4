/**
 * Bytes that the user lets a recording take whose own size does not explain them; null where nothing is set, so
 * that what is too large for its own size is refused.
 */
export type MostUnpacked = number | null;

/**
 * The bound against inputs that are small and become large, as zip bombs do. `least` may come out of any input, and
 * more where its own size explains it: `explained`. `most`: what the user allows instead.
 */
export function explainedSize(most: MostUnpacked, least: number, explained: number): number {
  return most ?? Math.max(least, explained);
}

/** The bound of `explainedSize` as a number of things that take `bytes` each. */
export function explainedCount(
  most: MostUnpacked,
  bytes: number,
  least: number,
  explained = 0,
): number {
  return explainedSize(most === null ? null : most / bytes, least, explained);
}
