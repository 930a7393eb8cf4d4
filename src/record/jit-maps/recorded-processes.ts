import type { SamplerTarget } from '../../native/types.ts';
import { livingThread } from '../../system/processes/living-thread.ts';
import { pidInItsNamespace } from '../../system/processes/namespace-pid.ts';
import { listProcesses, processOfThread } from '../../system/processes/system-processes.ts';
import { readStat, STAT_FIELD } from '../../system/processes/thread-stat.ts';
import { readLinkOrNull } from '../../system/small-file.ts';

/** A chain of parents longer than this is none. */
const MOST_ANCESTORS = 64;

/** The processes of a recording: all, or some and their descendants. */
export class RecordedProcesses {
  /** Null: all. */
  readonly #roots: Set<number> | null;
  /** Found to be recorded: a process may lose its parents later. */
  readonly #known = new Set<number>();
  /** Processes with other ancestors, which they keep: looking for ancestors takes longest. */
  #others = new Set<number>();
  #newest = 0;

  constructor(target: SamplerTarget, childPid: number) {
    this.#roots = rootsOf(target, childPid);
  }

  /** True also of a process that is gone and was once seen to be one; null: gone, not known. */
  has(pid: number): boolean | null {
    if (this.#roots === null || this.#roots.has(pid) || this.#known.has(pid)) return true;
    if (this.#others.has(pid)) return false;
    let at = pid;
    for (let step = 0; step < MOST_ANCESTORS; step++) {
      const parent = parentOf(at);
      if (parent === null) return at === pid ? null : false;
      if (this.#roots.has(parent) || this.#known.has(parent)) {
        this.#known.add(pid);
        return true;
      }
      if (parent <= 1 || this.#others.has(parent)) {
        this.#others.add(pid);
        break;
      }
      at = parent;
    }
    return false;
  }

  /** Live processes of the recording that see other files than we do. `newestPid` null: not known. */
  elsewhere(newestPid: number | null): { pid: number; innerPid: number; root: string }[] {
    const pids = listProcesses();
    this.#forgetOthers(pids, newestPid);
    const ours = mountNamespaceOf('self');
    const found: { pid: number; innerPid: number; root: string }[] = [];
    for (const pid of pids) {
      if (this.has(pid) !== true) continue;
      const direct = mountNamespaceOf(pid);
      const tid = direct === null ? livingThread(pid) : pid;
      const theirs = tid === pid ? direct : mountNamespaceOf(tid);
      if (theirs === null || theirs === ours) continue;
      const innerPid = pidInItsNamespace(pid);
      if (innerPid !== null) found.push({ pid, innerPid, root: `/proc/${tid}/root` });
    }
    return found;
  }

  /** A pid means the same process until it is missing from a list, or the numbers begin again. */
  #forgetOthers(living: readonly number[], newestPid: number | null): void {
    const others = this.#others;
    const beginAgain = newestPid === null || newestPid < this.#newest;
    this.#others = new Set(beginAgain ? [] : living.filter((pid) => others.has(pid)));
    this.#newest = newestPid ?? 0;
  }
}

function rootsOf(target: SamplerTarget, childPid: number): Set<number> | null {
  switch (target.kind) {
    case 'system':
      return null;
    case 'command':
      return new Set([childPid]);
    case 'processes':
      return new Set(target.pids);
    case 'threads':
      return new Set(target.tids.map((tid) => processOfThread(tid) ?? tid));
  }
}

/** Null if it is gone. */
function parentOf(pid: number): number | null {
  const parent = Number(readStat(pid)?.[STAT_FIELD.parent]);
  return Number.isInteger(parent) ? parent : null;
}

function mountNamespaceOf(pid: number | 'self'): string | null {
  return readLinkOrNull(`/proc/${pid}/ns/mnt`);
}
