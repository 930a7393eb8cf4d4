import type { Profile, ProfileThread } from '../../profile/types.ts';

/** The ids of a thread in a file where every pid means one process and every tid one thread. */
export type ThreadIds = {
  readonly pid: string;
  readonly tid: number | string;
  /** Comm of the process's main thread; of the thread itself where that was not sampled. */
  readonly processName: string;
};

/**
 * Ids by row of `profile.threads`. They are the kernel's, as long as each was used once. A pid that
 * had an exec, or was given out again, is followed by the generation, `77.1`; a tid that came
 * again, by how many times: `78 use 2`.
 */
export function threadIds({ threads }: Profile): ThreadIds[] {
  const generationsOf = new Map<number, Set<number>>();
  const usesOfTid = new Map<number, number>();
  const mainCommOf = new Map<string, string>();
  for (const { pid, tid, generation, comm } of threads) {
    const generations = generationsOf.get(pid);
    if (generations === undefined) generationsOf.set(pid, new Set([generation]));
    else generations.add(generation);
    if (pid === tid) mainCommOf.set(`${pid}.${generation}`, comm);
  }
  return threads.map(({ pid, tid, generation, comm }: ProfileThread) => {
    const process = `${pid}.${generation}`;
    const use = (usesOfTid.get(tid) ?? 0) + 1;
    usesOfTid.set(tid, use);
    return {
      pid: (generationsOf.get(pid)?.size ?? 1) > 1 ? process : `${pid}`,
      tid: use > 1 ? `${tid} use ${use}` : tid,
      processName: mainCommOf.get(process) ?? comm,
    };
  });
}
