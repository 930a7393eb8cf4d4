import { existsSync, readFileSync } from 'node:fs';
import { PROT } from '../../base/mmap-bits.ts';
import { listOrEmpty, readTextOrEmpty, readTextOrNull } from '../small-file.ts';
import { livingThread } from './living-thread.ts';
import { listThreads } from './thread-stat.ts';

/** One area of `/proc/PID/maps`. */
export type ProcMapping = {
  readonly executable: boolean;
  readonly start: bigint;
  readonly end: bigint;
  readonly protection: number;
  readonly shared: boolean;
  readonly fileOffset: bigint;
  readonly major: number;
  readonly minor: number;
  readonly inode: bigint;
  readonly path: string;
};

/** The facts in perf's records about a process that was already running. */
export type ProcProcess = {
  readonly pid: number;
  readonly parentPid: number;
  readonly comm: string;
  readonly threads: readonly { readonly tid: number; readonly comm: string }[];
  readonly mappings: readonly ProcMapping[];
  /** The errno's name where the mappings of a living process could not be read; else null. */
  readonly mappingsRefusal: string | null;
};

/** All processes of this machine (of this pid namespace), by pid. */
export function listProcesses(): number[] {
  return listOrEmpty('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** The pid that was given away last, to a process or a thread; null where it can't be known. */
export function newestPid(): number | null {
  // 0.20 0.18 0.12 1/80 11206
  const pid = Number(readTextOrNull('/proc/loadavg')?.trim().split(' ').at(-1));
  return Number.isInteger(pid) && pid > 0 ? pid : null;
}

/**
 * Describes one process; null if it is gone. What may not be read is left out. With `withData` its
 * mappings without code are described too.
 */
export function describeProcess(pid: number, withData = false): ProcProcess | null {
  const status = readTextOrNull(`/proc/${pid}/status`);
  // That file alone tells a living process's parent; all else is read elsewhere.
  if (status === null && !existsSync(`/proc/${pid}`)) return null;
  const maps = readMaps(pid);
  const threads = listThreads(pid).map((tid) => ({
    tid,
    comm: readTextOrEmpty(`/proc/${pid}/task/${tid}/comm`).replace(/\n$/, ''),
  }));
  return {
    pid,
    parentPid: Number(/^PPid:\s*(\d+)/m.exec(status ?? '')?.[1] ?? 0),
    comm: readTextOrEmpty(`/proc/${pid}/comm`).replace(/\n$/, ''),
    threads,
    mappings: parseMaps(maps.text, withData),
    mappingsRefusal: maps.refusal,
  };
}

function readMaps(pid: number): { readonly text: string; readonly refusal: string | null } {
  try {
    return { text: readFileSync(`/proc/${livingThread(pid)}/maps`, 'utf8'), refusal: null };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isGone = code === 'ENOENT' || code === 'ESRCH';
    return { text: '', refusal: isGone ? null : (code ?? String(error)) };
  }
}

/** The thread-group id of a thread; null if it is gone. */
export function processOfThread(tid: number): number | null {
  const match = /^Tgid:\s*(\d+)/m.exec(readTextOrEmpty(`/proc/${tid}/status`));
  return match ? Number(match[1]) : null;
}

/**
 * Reads `/proc/PID/maps` and keeps the executable areas, the only ones that code runs in, with
 * `withData` all that can be read:
 *
 *   7f1c2a400000-7f1c2a5d0000 r-xp 00026000 fe:01 1835039      /usr/lib/libc.so.6
 *
 * The path is the rest of the line (it may hold spaces; the kernel writes a newline as `\012`).
 * Areas without a name get `//anon`, as in the kernel's own MMAP2 records.
 */
export function parseMaps(text: string, withData = false): ProcMapping[] {
  const mappings: ProcMapping[] = [];
  const line =
    /^([0-9a-f]+)-([0-9a-f]+) (\S{4}) ([0-9a-f]+) ([0-9a-f]+):([0-9a-f]+) (\d+) *(.*)$/gm;
  for (const match of text.matchAll(line)) {
    const [, start, end, flags, offset, major, minor, inode, path] = match as unknown as string[];
    const executable = flags?.[2] === 'x';
    const isWanted = executable || (withData && flags?.[0] === 'r');
    if (flags === undefined || !isWanted) continue;
    mappings.push({
      executable,
      start: BigInt(`0x${start}`),
      end: BigInt(`0x${end}`),
      protection:
        (flags[0] === 'r' ? PROT.READ : 0) |
        (flags[1] === 'w' ? PROT.WRITE : 0) |
        (executable ? PROT.EXEC : 0),
      shared: flags[3] === 's',
      fileOffset: BigInt(`0x${offset}`),
      major: Number.parseInt(major, 16),
      minor: Number.parseInt(minor, 16),
      inode: BigInt(inode),
      path: path === '' ? '//anon' : path.replaceAll('\\012', '\n'),
    });
  }
  return mappings;
}
