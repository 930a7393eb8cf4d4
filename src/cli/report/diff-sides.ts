import { UsageError } from '../../base/errors.ts';

/** The recordings that are looked at, and those that they are compared with. */
export type DiffSides = { readonly here: readonly string[]; readonly there: readonly string[] };

/**
 * The sides of `perf-ts diff [OLD [NEW]]`, and of `perf-ts diff --baseline OLD … NEW …`. Throws
 * `UsageError` for more than two files without `--baseline`.
 */
export function diffSides(
  first: string | undefined,
  rest: readonly string[],
  baseline: readonly string[] | undefined,
): DiffSides {
  if (baseline !== undefined) {
    return { here: first === undefined ? ['perf.data'] : [first, ...rest], there: baseline };
  }
  if (rest.length > 1) {
    throw new UsageError(`${rest.length + 1} files: which of them are older is not clear`, [
      'name each older one: perf-ts diff --baseline OLD1 --baseline OLD2 NEW1 NEW2',
    ]);
  }
  const [now = 'perf.data'] = rest;
  return { here: [now], there: [first ?? 'perf.data.old'] };
}
