const CACHES = ['names', 'profiles', 'code', 'kernel'] as const;

/**
 * Whether this may be kept between runs: names that were found in files, profiles of recordings (with those names), code that V8 has
 * compiled, or the kernel's symbols. `PERF_TS_NO_CACHE` names the one that may not be; any other value means all.
 */
export function mayKeep(what: (typeof CACHES)[number]): boolean {
  const { PERF_TS_NO_CACHE: unwanted } = process.env;
  if (unwanted === undefined || unwanted === '') return true;
  return unwanted !== what && CACHES.some((name) => name === unwanted);
}
