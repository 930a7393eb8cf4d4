import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { MS_PER_TICK } from './thread-stat.ts';

/** One open descriptor of this process, as far as its origin can be seen. */
export type OpenFd = {
  readonly fd: number;
  readonly isCloseOnExec: boolean;
  /** Flags of open(2) without O_CLOEXEC. */
  readonly flags: number;
  /** The target of /proc/self/fd/N: a path, `pipe:[123]`, `anon_inode:[eventfd]` … */
  readonly link: string;
  /** When a pipe was made or last used, whichever is earlier, milliseconds of wall time; else 0. */
  readonly pipeTimeMs: number;
};

/** The bits of the status flags that tell reading from writing. */
export const O_ACCMODE = 0o3;
const O_CLOEXEC = 0o2000000;
const FIRST_ABOVE_STDIO = 3;
/** libuv's uv_disable_stdio_inheritance marks all descriptors up to here … */
const LAST_ALWAYS_MARKED = 15;

/**
 * The descriptors above stdio that this process was started with, for a command that is to find
 * them too: `cat <(…)`, `3>log`, make's jobserver, LISTEN_FDS.
 *
 * When Node starts, it marks descriptors 0 to 15 close-on-exec, then goes on until the first one
 * that is closed; afterwards it opens its own, marked as well. What lacks the mark was inherited.
 * Nothing tells the marked ones apart with certainty; these rules hold for Node 20 to 24:
 *
 * - Node's first own descriptor is an epoll instance, at the lowest free number: what has a lower
 *   number than every epoll instance was inherited.
 * - Node opens nothing else at its start than epoll and event descriptors, io_uring, inotify,
 *   `/dev/null` for reading, and pipes of which it holds both ends. Everything of another kind was
 *   inherited, and a pipe that is older than Node's start.
 *
 * Lost are therefore, above the first closed number only, event descriptors, `/dev/null` for
 * reading, and pipes with both ends that were made just before Node began.
 */
export function findInheritedFds(open: readonly OpenFd[], startMs: number): number[] {
  const numbers = new Set(open.map(({ fd }) => fd));
  const firstEpoll = Math.min(
    ...open.filter(({ link }) => link === 'anon_inode:[eventpoll]').map(({ fd }) => fd),
  );
  let firstUnmarked = LAST_ALWAYS_MARKED + 1;
  while (numbers.has(firstUnmarked)) firstUnmarked++;
  const isInherited = ({ fd, isCloseOnExec, flags, link, pipeTimeMs }: OpenFd): boolean => {
    if (!isCloseOnExec || fd < firstEpoll) return true;
    if (fd >= firstUnmarked || link.startsWith('anon_inode:')) return false;
    if (link === '/dev/null') return (flags & O_ACCMODE) !== 0;
    const hasBothEnds = open.filter((other) => other.link === link).length > 1;
    if (!link.startsWith('pipe:') || !hasBothEnds) return true;
    return pipeTimeMs < startMs;
  };
  return open
    .filter((one) => one.fd >= FIRST_ABOVE_STDIO && isInherited(one))
    .map(({ fd }) => fd)
    .sort((a, b) => a - b);
}

/** All descriptors of this process that can be looked at. */
export function readOpenFds(): OpenFd[] {
  return readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      const fd = Number(name);
      const link = readlinkSync(`/proc/self/fd/${name}`);
      // The folder that is being listed.
      if (/^\/proc\/\d+\/fd$/.test(link)) return [];
      const flags = readStatusFlags(fd);
      const pipe = link.startsWith('pipe:') ? statSync(`/proc/self/fd/${name}`) : null;
      const pipeTimeMs = pipe === null ? 0 : Math.min(pipe.atimeMs, pipe.mtimeMs, pipe.ctimeMs);
      const isCloseOnExec = (flags & O_CLOEXEC) !== 0;
      return [{ fd, isCloseOnExec, flags: flags & ~O_CLOEXEC, link, pipeTimeMs }];
    } catch {
      // It was closed meanwhile.
      return [];
    }
  });
}

/** Flags of the open file description and O_CLOEXEC of the descriptor; throws if it is closed. */
export function readStatusFlags(fd: number): number {
  const text = readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1');
  return Number.parseInt(/^flags:\s*([0-7]+)/m.exec(text)?.[1] ?? '0', 8);
}

/**
 * When Node began in this process, milliseconds of wall time, a tick too early, as the times of pipes may be: they have those
 * of the kernel's last tick. What Node opens is younger. The time of the fork in /proc is less certain than Node's start takes.
 */
export function nodeStartMs(): number {
  return Date.now() - process.uptime() * 1000 - MS_PER_TICK;
}
