import { readLinkOrNull, readTextOrNull } from '../small-file.ts';
import { hasEnded } from './living-thread.ts';
import { readStat, STAT_FIELD } from './thread-stat.ts';

/**
 * A mark that a process writes to a file or into its name, so that others can prove later that it has ended:
 * `PID-STARTTICKS-PIDNAMESPACE-BOOT`, the last one being the first digits of the kernel's boot ID. A pid
 * alone proves nothing: another process gets it later, and a container that shares /tmp, or a machine that
 * shares the file system, counts its own. `src/register/thread-note.cts` writes the same.
 */
export type LifeMark = {
  readonly pid: number;
  readonly startTicks: number;
  /** Inode of its PID namespace. */
  readonly namespace: number;
  readonly boot: string;
};

/** The text of a mark, for use inside of other expressions. */
export const LIFE_MARK = '\\d+-\\d+-\\d+-[0-9a-f]{8}';
const PARTS = /^(\d+)-(\d+)-(\d+)-([0-9a-f]{8})$/;

/** The place of this process: its PID namespace, its boot, and its pid there. */
export type LifePlace = Pick<LifeMark, 'namespace' | 'boot'> & { readonly pid: number };

/** The mark of this process; null where /proc does not have it. */
export function ownLifeMark(): string | null {
  const place = readLifePlace();
  const ticks = readStat('self')?.[STAT_FIELD.startTicks];
  if (place === null || ticks === undefined) return null;
  return `${place.pid}-${ticks}-${place.namespace}-${place.boot}`;
}

export function parseLifeMark(text: string): LifeMark | null {
  const [, pid, startTicks, namespace, boot] = PARTS.exec(text) ?? [];
  if (boot === undefined) return null;
  return { pid: Number(pid), startTicks: Number(startTicks), namespace: Number(namespace), boot };
}

/** Null where /proc can't report it, or is of another PID namespace. */
export function readLifePlace(): LifePlace | null {
  const namespace = namespaceOf('self', 'pid');
  const boot = readTextOrNull('/proc/sys/kernel/random/boot_id')?.slice(0, 8);
  const pid = Number.parseInt(readTextOrNull('/proc/self/stat') ?? '', 10);
  if (namespace === null || boot === undefined || pid !== process.pid) return null;
  return { namespace, boot, pid };
}

/** Whether the process of a mark has ended, as far as it can be known from where we stand. */
export function lifeOf(
  mark: LifeMark,
  here: LifePlace | null,
): 'ended' | 'running' | { readonly unknown: string } {
  if (here === null) return { unknown: '/proc does not show the processes here' };
  if (mark.boot !== here.boot) return { unknown: 'it ran before this boot, or on another machine' };
  if (mark.namespace !== here.namespace) return { unknown: 'it runs, or ran, in a container' };
  if (isGone(mark.pid)) return 'ended';
  const ticks = readStat(mark.pid)?.[STAT_FIELD.startTicks];
  if (ticks === undefined) return { unknown: '/proc does not show it' };
  if (hasEnded(mark.pid)) return 'ended';
  if (Number(ticks) === mark.startTicks) return 'running';
  // /proc shows start times by the clock of whoever reads them.
  const isSameClock = namespaceOf(mark.pid, 'time') === namespaceOf('self', 'time');
  return isSameClock ? 'ended' : { unknown: `process ${mark.pid} is in another time namespace` };
}

/** True only where the kernel knows no such process: /proc may hide some (`hidepid`). */
function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** Null where it can't be read, or the kernel has no such namespaces. */
function namespaceOf(pid: number | 'self', kind: 'pid' | 'time'): number | null {
  const link = readLinkOrNull(`/proc/${pid}/ns/${kind}`);
  return link === null ? null : Number(/\d+/.exec(link)?.[0]);
}
