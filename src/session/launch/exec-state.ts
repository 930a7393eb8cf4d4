import { readFileSync } from 'node:fs';

/** `flags` of /proc/PID/stat, counted from the field behind the comm. */
const FLAGS_FIELD = 6;
/** include/linux/sched.h: set by fork, cleared by exec. */
const PF_FORKNOEXEC = 0x40;

/** Whether a child that we forked has begun to run its program; false too if it is gone. */
export function hasExeced(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const flags = stat.slice(stat.lastIndexOf(')') + 2).split(' ', FLAGS_FIELD + 1)[FLAGS_FIELD];
    return flags !== undefined && (Number(flags) & PF_FORKNOEXEC) === 0;
  } catch {
    return false;
  }
}
