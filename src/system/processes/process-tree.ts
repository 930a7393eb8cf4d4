import { basename } from 'node:path';
import { readTextOrEmpty } from '../small-file.ts';
import { listProcesses } from './system-processes.ts';
import { MS_PER_TICK, readStat, STAT_FIELD } from './thread-stat.ts';

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

/**
 * The processes that Ctrl-C in a terminal would reach besides a command: its descendants in its process group.
 * Programs that start others rely on that: npm's shell waits for its program and passes no signal on.
 */
export function groupBelow(pid: number): number[] {
  const groupOf = (one: number): string | undefined => readStat(one)?.[STAT_FIELD.group];
  const group = groupOf(pid);
  return readProcessTree([pid]).pids.filter((one) => one !== pid && groupOf(one) === group);
}

/**
 * Whether a process that has sent us a signal sends it to our process group as well: timeout(1), which makes itself
 * the leader of one, unless `--foreground` leaves that to a terminal.
 */
export function signalsOurGroup(sender: number): boolean {
  if (readStat('self')?.[STAT_FIELD.group] !== String(sender)) return false;
  const [program = '', ...words] = readTextOrEmpty(`/proc/${sender}/cmdline`).split('\0');
  return basename(program) === 'timeout' && !words.some((word) => /^(?:--fo|-[pv]*f)/.test(word));
}

/** Sends a signal to each that is there and may be sent one. */
export function signalAll(pids: readonly number[], signal: number): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended, or belongs to somebody else.
    }
  }
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
