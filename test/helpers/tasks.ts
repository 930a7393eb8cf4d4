// What /proc says of a running process, and waiting for it to get somewhere: by its progress, never
// by the clock.

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { onlineCpus } from '../../src/system/kernel/online-cpus.ts';
import { readStat } from '../../src/system/processes/thread-stat.ts';
import { readTextOrEmpty } from '../../src/system/small-file.ts';

/** Resolves when `condition` holds. A test's own time limit ends what never comes true. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 2));
}

/** One letter: `R`unning, `S`leeping, s`T`opped, `Z`ombie; null if the process is gone. */
export function stateOf(pid: number): string | null {
  return readStat(pid)?.[0] ?? null;
}

/** Page faults of the process itself that needed no disk. */
export function minorFaultsOf(pid: number): number {
  return Number(readStat(pid)?.[7] ?? 0);
}

/** CPU time that a process has used with all its threads, in seconds; of the kernel's clock ticks of 10 ms. */
export function cpuSecondsOf(pid: number): number {
  const fields = readStat(pid) ?? [];
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / 100;
}

/** Seconds for which the first thread of a process has waited for a CPU: the machine's load. 0 if the process is gone. */
export function waitedSecondsOf(pid: number): number {
  const counted = readTextOrEmpty(`/proc/${pid}/task/${pid}/schedstat`).split(' ');
  return Number(counted[1] ?? 0) / 1e9;
}

function pidsOf(isMeant: (stat: readonly string[]) => boolean): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => isMeant(readStat(pid) ?? []));
}

/** Children of a process that run. */
export const childrenOf = (pid: number): number[] => pidsOf((stat) => Number(stat[1]) === pid);

/** Processes of a process group. */
export const membersOf = (group: number): number[] => pidsOf((stat) => Number(stat[2]) === group);

/** A descendant of `pid` whose comm is `name`, or that was started as that; null if there is none (any more). */
export function findDescendant(pid: number, name: string): number | null {
  for (const child of childrenOf(pid)) {
    if (commOf(child) === name || programOf(child) === name) return child;
    const below = findDescendant(child, name);
    if (below !== null) return below;
  }
  return null;
}

/** The name by which a process was started, whatever it calls itself: Node from 24 on `MainThread`. */
function programOf(pid: number): string | null {
  try {
    return basename(readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0]);
  } catch {
    return null;
  }
}

/** A task's comm; null if it is gone. */
export function commOf(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trimEnd();
  } catch {
    return null;
  }
}

/** Whether processes run here whose files are others: in containers, or around a chroot that this is in. */
export function hasForeignRoots(): boolean {
  const placeOf = (root: string): string | null => {
    try {
      const { dev, ino } = statSync(root);
      return `${dev}:${ino}`;
    } catch {
      return null;
    }
  };
  const here = placeOf('/');
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.some((pid) => ![null, here].includes(placeOf(`/proc/${pid}/root/.`)));
}

/** CPUs that programs can be bound to: a container may have fewer than the machine. */
export function usableCpus(): number[] {
  return onlineCpus().filter((cpu) => spawnSync('taskset', ['-c', `${cpu}`, 'true']).status === 0);
}

export function isAlive(pid: number): boolean {
  const state = stateOf(pid);
  return state !== null && state !== 'Z';
}
