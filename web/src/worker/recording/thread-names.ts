import type { ProfileThread } from '../../../../src/profile/types.ts';

/**
 * The names of threads, by ThreadIndex: `V8 worker`, `esbuild`; the first of a process with several
 * goes by the process, `node main thread`.
 */
export function threadNames(threads: readonly ProfileThread[]): string[] {
  const withOthers = new Set<number>();
  for (const { pid, tid } of threads) {
    if (tid !== pid) withOthers.add(pid);
  }
  return threads.map(({ pid, tid, comm }) => {
    const name = comm === '' ? '[unknown]' : comm;
    return tid === pid && withOthers.has(pid) ? `${name} main thread` : name;
  });
}

/** A name without the numbers by which threads and processes of one program differ: `pool-*` of `pool-17`. */
export function foldDigits(name: string): string {
  return name.replace(/\d+/g, '*');
}
