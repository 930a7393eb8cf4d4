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

/** How many of a kind may be read: as many as what the user allows has room for where each takes `bytes`, else `usual`. */
export function explainedCount(most: MostUnpacked, bytes: number, usual: number): number {
  return most === null ? usual : most / bytes;
}
