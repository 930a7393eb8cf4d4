import { uptime } from 'node:os';
import { noteAsked } from '../asked-files.ts';
import { listOrEmpty, readTextOrNull } from '../small-file.ts';

/** Fields of `/proc/TID/stat` that follow the comm: their numbers in proc(5) less 3. */
export const STAT_FIELD = {
  state: 0,
  parent: 1,
  group: 2,
  /** The foreground process group of the controlling terminal; −1 without one. */
  terminalGroup: 5,
  flags: 6,
  userTicks: 11,
  startTicks: 19,
  cpu: 36,
} as const;

/** /proc counts in hundredths of a second on every architecture. */
export const MS_PER_TICK = 10;

/** States of threads that have ended: they have no memory, no files and no root any more. */
const ENDED = new Set(['Z', 'X', 'x']);

/** The fields of a thread, or of this process, behind its comm; null if it is gone. */
export function readStat(tid: number | 'self'): string[] | null {
  noteAsked(`/proc/${tid}`);
  const text = readTextOrNull(`/proc/${tid}/stat`);
  return text === null ? null : splitStat(text);
}

/** `12 (name) S 1 …`: the name is the program's choice and may hold anything, also `)`. */
export function splitStat(text: string): string[] {
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

/**
 * Whether a thread lives; null where there is none of this tid. One that waits for its parent to take
 * its status does not.
 */
export function isAlive(tid: number): boolean | null {
  const stat = readStat(tid);
  return stat === null ? null : !ENDED.has(stat[STAT_FIELD.state] ?? '');
}

/**
 * When a process was forked: milliseconds of the wall clock, up to two ticks too early, since both times in /proc are
 * rounded down. Null if it is gone.
 */
export function startTimeMs(pid: number): number | null {
  const ticks = Number(readStat(pid)?.[STAT_FIELD.startTicks]);
  return Number.isFinite(ticks) ? wallTimeMs(ticks) : null;
}

/** Ticks since boot as milliseconds of the wall clock, up to two ticks too early. */
export function wallTimeMs(ticks: number): number {
  return Date.now() - uptime() * 1000 + (ticks - 1) * MS_PER_TICK;
}

/** The threads of a process; empty if it is gone. */
export function listThreads(pid: number): number[] {
  noteAsked(`/proc/${pid}`);
  return listOrEmpty(`/proc/${pid}/task`).map(Number);
}
