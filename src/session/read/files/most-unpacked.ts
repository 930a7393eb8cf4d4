/** What `--max-unpacked` sets, for the threads of `view` and for the library as well. */
export const MAX_UNPACKED_VARIABLE = 'PERF_TS_MAX_UNPACKED';

/**
 * Bytes that the user lets the compressed parts of a recording unpack to; null where nothing is set, so
 * that what is too large for its own size is refused.
 */
export function mostUnpacked(environment: NodeJS.ProcessEnv = process.env): number | null {
  const value = Number(environment[MAX_UNPACKED_VARIABLE] || Number.NaN);
  return value > 0 ? value : null;
}

/** What the mappings of forked processes may take that differ from those of their parents. */
const MOST_COPIED_BYTES = 512 * 2 ** 20;
/** Beyond that so many times the recording's size: a fork and a mapping are 150 bytes of it at least. */
const COPIED_FOR_EACH = 5;

/**
 * Bytes of mappings that forked processes may have copied of their parents: a process that has mapped half
 * a million files and forks for each of its next records would take terabytes.
 */
export function mostCopiedMappings(recordingBytes: number): number {
  return mostUnpacked() ?? Math.max(MOST_COPIED_BYTES, recordingBytes * COPIED_FOR_EACH);
}
