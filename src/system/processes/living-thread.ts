import { isAlive, listThreads } from './thread-stat.ts';

/**
 * A thread by which `/proc` can describe a process: `/proc/TID/maps`, `…/map_files`, `…/root`,
 * `…/ns`. That is the first one, whose number is the pid, as long as it lives. A process may go on
 * without it (`pthread_exit` in `main`), and these are empty or missing in `/proc/PID` then. The pid
 * where all threads have ended or may not be looked at.
 */
export function livingThread(pid: number): number {
  if (isAlive(pid) !== false) return pid;
  return otherThreads(pid).find(isAlive) ?? pid;
}

/** Whether no thread of a process lives any more; true also where there is none of this pid. */
export function hasEnded(pid: number): boolean {
  return !isAlive(pid) && !otherThreads(pid).some(isAlive);
}

function otherThreads(pid: number): number[] {
  return listThreads(pid).filter((tid) => tid !== pid);
}
