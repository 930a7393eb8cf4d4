import { NONE } from '../base/brand.ts';
import { mapInts } from '../base/int-column.ts';
import { finish, type Slices } from '../base/slices.ts';
import type { Figures } from '../profile/analysis/flat-report.ts';
import type { ProfileThread, ThreadIndex } from '../profile/types.ts';
import { type Asked, type Share, sharesByKey } from './shares-by-key.ts';

/** `thread`: the first that is called so. */
export type ThreadShare = Share & { readonly thread: ThreadIndex };

/**
 * The first thread that is called as each is, by comm, pid and tid. A process is a row of `threads` after each exec, and
 * so is a number that was used again: who reads names cannot tell such rows apart.
 */
export function namesakesOfThreads(
  threads: readonly Pick<ProfileThread, 'comm' | 'pid' | 'tid'>[],
): Int32Array {
  const first = new Map<string, number>();
  return Int32Array.from(threads, ({ comm, pid, tid }, thread) => {
    const name = `${pid} ${tid} ${comm}`;
    if (!first.has(name)) first.set(name, thread);
    return first.get(name) as number;
  });
}

/** Threads by their names, heaviest first. */
export function* findThreads(asked: Asked): Slices<ThreadShare[]> {
  const { samples, threads } = asked.profile;
  const namesakes = namesakesOfThreads(threads);
  const keys = mapInts(samples.thread, (thread) => (thread === NONE ? NONE : namesakes[thread]));
  const shares = yield* sharesByKey(asked, keys, threads.length);
  return shares.map(({ key, ...share }) => ({ thread: key as ThreadIndex, ...share }));
}

/** Weights of one thread. A sample belongs to one thread, so self and total are the same. */
export type ThreadRow = Figures & { readonly thread: ThreadIndex };
/** Weights of one comm, an index into `profile.strings`. Self and total are the same. */
export type CommRow = Figures & { readonly comm: number };

/** Threads, and the names that they had, as tables of a report. */
export type ThreadTables = {
  readonly byThread: readonly ThreadRow[];
  readonly byComm: readonly CommRow[];
};

export function reportThreads(asked: Asked): ThreadTables {
  const { samples, strings } = asked.profile;
  const comms = finish(sharesByKey(asked, samples.comm, strings.length));
  return {
    byThread: finish(findThreads(asked)).map((row) => ({ thread: row.thread, ...figuresOf(row) })),
    byComm: comms.map((row) => ({ comm: row.key, ...figuresOf(row) })),
  };
}

function figuresOf({ weight, samples, share, interval }: Share): Figures {
  return {
    ...{ self: weight, total: weight, selfShare: share, totalShare: share, selfSamples: samples },
    ...(interval && { selfInterval: interval, totalInterval: interval }),
  };
}
