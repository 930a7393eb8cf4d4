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
