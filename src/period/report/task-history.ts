import type { PeriodInput } from '../types.ts';

/** A run of a stream's samples on one thread and one CPU. */
export type TaskStay = {
  /** Time of the first of them, nanoseconds since the recording's first timestamp. */
  readonly startNs: number;
  /** −1 if not recorded, as `cpu`. */
  readonly tid: number;
  readonly cpu: number;
  readonly samples: number;
};

/**
 * Whom a stream sampled, in time order. An instance moves: the kernel swaps instances between
 * equivalent tasks at context switches, and one that follows its task goes from CPU to CPU.
 */
export type TaskHistory = {
  /** How many there are in all. */
  readonly count: number;
  /** The first 32. */
  readonly stays: readonly TaskStay[];
};

const MAX_STAYS = 32;

/** Cuts `rows`, a stream's samples in time order, where thread or CPU changes. */
export function historyOf(input: PeriodInput, rows: Int32Array): TaskHistory {
  const { thread, cpu, timeNs } = input.samples;
  const stays: TaskStay[] = [];
  let count = 0;
  let first = 0;
  for (let k = 1; k <= rows.length; k++) {
    const start = rows[first];
    const row = rows[k];
    if (k < rows.length && thread[row] === thread[start] && cpu[row] === cpu[start]) continue;
    count++;
    if (stays.length < MAX_STAYS) {
      stays.push({
        startNs: timeNs[start],
        tid: input.threads[thread[start]]?.tid ?? -1,
        cpu: cpu[start],
        samples: k - first,
      });
    }
    first = k;
  }
  return { count, stays };
}
