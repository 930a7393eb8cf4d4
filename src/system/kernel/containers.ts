import { constants, openSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../../base/errors.ts';
import { printable } from '../../base/printable.ts';
import { type NamedOption, words } from '../../base/words.ts';
import { readTextOrEmpty } from '../small-file.ts';

/** `/proc/PID/ns`, in the order of the kernel's `*_NS_INDEX`. */
const NAMESPACES = ['net', 'uts', 'ipc', 'pid', 'user', 'mnt', 'cgroup'];

export type NamespaceId = { readonly device: bigint; readonly inode: bigint };

/**
 * The namespaces that a thread is in, in the order of NAMESPACES; 0 for one that this kernel does not
 * have. Null if the thread is gone or may not be looked at.
 */
export function readNamespaces(pid: number, tid: number): NamespaceId[] | null {
  let known = 0;
  const links = NAMESPACES.map((name) => {
    try {
      const { dev, ino } = statSync(`/proc/${pid}/task/${tid}/ns/${name}`, { bigint: true });
      known++;
      return { device: dev, inode: ino };
    } catch {
      return { device: 0n, inode: 0n };
    }
  });
  return known > 0 ? links : null;
}

export type ControlGroup = {
  /** Its number in `PERF_SAMPLE_CGROUP` and the records: the inode number of its directory. */
  readonly cgroupId: bigint;
  /** Path below the root of its hierarchy, which is `/`. */
  readonly path: string;
};

/** A machine has some hundreds; what is beyond this is left unnamed. */
const MOST_GROUPS = 20_000;

/** The control groups of the hierarchy that perf events know, each after its parent. */
export function listCgroups(root: string | null = cgroupRoot()): ControlGroup[] {
  if (root === null) return [];
  const groups: ControlGroup[] = [];
  const paths = [''];
  for (let i = 0; i < paths.length && groups.length < MOST_GROUPS; i++) {
    const path = paths[i];
    try {
      const directory = `${root}${path}`;
      const { ino } = statSync(directory, { bigint: true });
      groups.push({ cgroupId: ino, path: path === '' ? '/' : path });
      for (const entry of readdirSync(directory, { withFileTypes: true })) {
        if (entry.isDirectory()) paths.push(`${path}/${entry.name}`);
      }
    } catch {
      // A group that was removed meanwhile.
    }
  }
  return groups;
}

/** The directory of a control group that `option` names, open. Throws UsageError if there is none. */
export function openCgroup(
  path: string,
  option: NamedOption,
  root: string | null = cgroupRoot(),
): number {
  const asked = words`${option} ${printable(path)}`;
  if (root === null) {
    throw new UsageError(words`${asked}: no control groups are mounted here`);
  }
  const directory = path.startsWith(`${root}/`) ? path : join(root, path);
  try {
    return openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      words`${asked}: no such control group (${printable(directory)}: ${code ?? ''})`,
      ['name it by its path below the root of the hierarchy, as /proc/PID/cgroup does'],
    );
  }
}

/**
 * The mount point of the hierarchy of perf events: the one with the controller `perf_event`, else the
 * unified one. Null without either.
 *
 *     cgroup /sys/fs/cgroup/perf_event cgroup rw,relatime,perf_event 0 0
 *     cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid,nodev,noexec,relatime 0 0
 */
export function cgroupRoot(mounts: string = readTextOrEmpty('/proc/self/mounts')): string | null {
  let unified: string | null = null;
  for (const line of mounts.split('\n')) {
    const [, escaped = '', type, options = ''] = line.split(' ');
    const path = escaped.replace(/\\([0-7]{3})/g, (_, octal: string) =>
      String.fromCharCode(Number.parseInt(octal, 8)),
    );
    if (type === 'cgroup' && options.split(',').includes('perf_event')) return path;
    if (type === 'cgroup2') unified ??= path;
  }
  return unified;
}
