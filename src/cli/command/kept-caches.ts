const CACHES = ['names', 'code'] as const;

/**
 * Whether this may be kept between runs: names that were found in files, or code that V8 has compiled.
 * `PERF_TS_NO_CACHE` names the one that may not be; any other value means both.
 */
export function mayKeep(what: (typeof CACHES)[number]): boolean {
  const { PERF_TS_NO_CACHE: unwanted } = process.env;
  if (unwanted === undefined || unwanted === '') return true;
  return unwanted !== what && CACHES.some((name) => name === unwanted);
}
