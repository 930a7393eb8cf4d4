import { listProcesses } from '../../system/processes/system-processes.ts';
import { MS_PER_TICK, readStat, STAT_FIELD } from '../../system/processes/thread-stat.ts';

/** Some processes with all that descends from them, at one moment. */
export type ProcessTree = {
  readonly pids: readonly number[];
  /** CPU time so far, user and system, with that of children that have ended: milliseconds. */
  readonly cpuMs: number;
};

/** Reads /proc once; a process that ends meanwhile is left out. */
export function readProcessTree(roots: readonly number[]): ProcessTree {
  const parents = new Map<number, number>();
  const cpuMs = new Map<number, number>();
  for (const pid of listProcesses()) {
    const stat = readStat(pid);
    if (stat === null) continue;
    parents.set(pid, Number(stat[STAT_FIELD.parent]));
    // Own user and system time, then those of children that were waited for.
    const ticks = stat.slice(STAT_FIELD.userTicks, STAT_FIELD.userTicks + 4);
    cpuMs.set(pid, ticks.reduce((sum, tick) => sum + Number(tick), 0) * MS_PER_TICK);
  }
  const wanted = new Set(roots);
  const pids = [...parents.keys()].filter((pid) => descendsFrom(pid, wanted, parents));
  return { pids, cpuMs: pids.reduce((sum, pid) => sum + (cpuMs.get(pid) ?? 0), 0) };
}

function descendsFrom(
  pid: number,
  roots: ReadonlySet<number>,
  parents: ReadonlyMap<number, number>,
): boolean {
  const seen = new Set<number>();
  for (let at: number | undefined = pid; at !== undefined && at > 0; at = parents.get(at)) {
    if (roots.has(at)) return true;
    // Pids that were used again between two reads may close a circle.
    if (seen.has(at)) return false;
    seen.add(at);
  }
  return false;
}
