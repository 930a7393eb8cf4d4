import { readStat, STAT_FIELD } from '../processes/thread-stat.ts';

/** include/linux/sched.h: set by fork, cleared by exec. */
const PF_FORKNOEXEC = 0x40;

/** Whether a child that we forked has begun to run its program; false too if it is gone. */
export function hasExeced(pid: number): boolean {
  const flags = readStat(pid)?.[STAT_FIELD.flags];
  return flags !== undefined && (Number(flags) & PF_FORKNOEXEC) === 0;
}
