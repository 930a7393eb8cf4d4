import { finish, type Slices } from '../base/slices.ts';
import type { Figures } from '../profile/analysis/flat-report.ts';
import type { ThreadIndex } from '../profile/types.ts';
import { type Asked, type Share, sharesByKey } from './shares-by-key.ts';

export type ThreadShare = Share & { readonly thread: ThreadIndex };

/** Threads, heaviest first. */
export function* findThreads(asked: Asked): Slices<ThreadShare[]> {
  const { samples, threads } = asked.profile;
  const shares = yield* sharesByKey(asked, samples.thread, threads.length);
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
