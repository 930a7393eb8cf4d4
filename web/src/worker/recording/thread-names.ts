import type { ProfileThread, SampleTable } from '../../../../src/profile/types.ts';

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

/** A name without the numbers by which threads and processes of one program differ: `pool-*` of `pool-17`; that of V8 stays. */
export function foldDigits(name: string): string {
  return name.replace(/(?<!\bV)\d+/g, '*');
}

/** So many comms that differ by their numbers alone are those of one program: the jobs of a build, the kernel's workers. */
const MANY_COMMS = 9;

/** The programs that samples are of. */
export type CommPrograms = {
  /** The comm that stands for the program of each, by row of strings. */
  readonly firstComm: Int32Array;
  /** Names of programs with many comms, by that row: `job-*`. */
  readonly names: ReadonlyMap<number, string>;
};

// Hot: once per sample.
export function programsOf({
  samples,
  strings,
}: {
  readonly samples: Pick<SampleTable, 'length' | 'comm'>;
  readonly strings: readonly string[];
}): CommPrograms {
  const isComm = new Uint8Array(strings.length);
  for (let i = 0; i < samples.length; i++) isComm[samples.comm[i]] = 1;
  const firstComm = Int32Array.from(isComm, (_, row) => row);
  const alike = new Map<string, number[]>();
  for (let row = 0; row < isComm.length; row++) {
    if (isComm[row] === 0) continue;
    const name = foldDigits(strings[row]);
    const rows = alike.get(name);
    if (rows === undefined) alike.set(name, [row]);
    else rows.push(row);
  }
  const names = new Map<number, string>();
  for (const [name, rows] of alike) {
    if (rows.length < MANY_COMMS) continue;
    names.set(rows[0], name);
    for (const row of rows) firstComm[row] = rows[0];
  }
  return { firstComm, names };
}

/** Programs with a smaller part of the samples cannot be told apart in a graph. */
const LEAST_PROGRAM = 0.05;

/** The root that a graph begins with: programs, or nothing where none of them is wide enough to be seen. */
export function firstRoots(
  threads: readonly { readonly comm: string; readonly samples: number }[],
): 'comm' | 'none' {
  const samplesOf = new Map<string, number>();
  let sum = 0;
  for (const { comm, samples } of threads) {
    const name = foldDigits(comm);
    samplesOf.set(name, (samplesOf.get(name) ?? 0) + samples);
    sum += samples;
  }
  const most = Math.max(0, ...samplesOf.values());
  return sum > 0 && most < LEAST_PROGRAM * sum ? 'none' : 'comm';
}
