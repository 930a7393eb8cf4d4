import { UsageError } from '../../base/errors.ts';

/** The recordings that are looked at, and those that they are compared with. */
export type DiffSides = { readonly here: readonly string[]; readonly there: readonly string[] };

/** The options that name each side. */
export type DiffSideOptions = {
  readonly baseline?: readonly string[];
  readonly old?: readonly string[];
  readonly new?: readonly string[];
};

/**
 * The sides of `perf-ts diff [OLD [NEW]]`, of `perf-ts diff --baseline OLD … NEW …`, and of `perf-ts diff
 * --old OLD … --new NEW …`. Throws `UsageError` for files of which it is not clear which side they are of.
 */
export function diffSides(files: readonly string[], options: DiffSideOptions): DiffSides {
  const there = [...(options.baseline ?? []), ...(options.old ?? [])];
  const here = options.new ?? [];
  if (here.length > 0 && files.length > 0) {
    const side = there.length > 0 ? 'a file of neither side' : 'name the older one by --old';
    throw new UsageError(`${files[0]}: ${side}`, ['perf-ts diff --old OLD1 OLD2 --new NEW1 NEW2']);
  }
  if (there.length > 0) return { here: orDefault([...here, ...files], 'perf.data'), there };
  if (here.length > 0) return { here, there: ['perf.data.old'] };
  if (files.length > 2) {
    throw new UsageError(`${files.length} files: which of them are older is not clear`, [
      'name the sides: perf-ts diff --old OLD1 OLD2 --new NEW1 NEW2',
    ]);
  }
  const [old = 'perf.data.old', now = 'perf.data'] = files;
  if (files.length === 1 && old === now) {
    throw new UsageError(`${old} would be compared with itself`, [
      'with the recording before it: perf-ts diff',
      'with another: perf-ts diff OLD NEW',
    ]);
  }
  return { here: [now], there: [old] };
}

function orDefault(files: readonly string[], file: string): readonly string[] {
  return files.length > 0 ? files : [file];
}
