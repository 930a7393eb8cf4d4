import { getOrMake } from '../../base/group-by.ts';
import { readTextOrEmpty } from '../small-file.ts';
import { HelperProcess } from './helper-process.ts';

/** Kinds of file systems that the kernel answers for by itself; another one may have a server that does not. */
const LOCAL =
  /^(?:ext[234]|xfs|btrfs|zfs|f2fs|bcachefs|jfs|ntfs3|exfat|vfat|iso9660|udf|tmpfs|ramfs|devtmpfs|hugetlbfs|overlay|aufs|squashfs|erofs|rootfs|proc|sysfs|cgroup2?|debugfs|tracefs|securityfs|bpf|mqueue|devpts|nsfs|binfmt_misc|configfs|pstore|efivarfs|fusectl)$/;
/** The time that one answer may take, and the time that it counts. */
const DEADLINE_MS = 500;
const FRESH_MS = 2000;
/** The list of mounts, which may have thousands, is read again after so many times the time that it took. */
const READ_PAUSE_FACTOR = 100;
/** Processes whose mounts are kept. */
const MOST_KEPT = 64;

/** A mount: where, and of what. */
export type Mount = { readonly at: string; readonly device: string; readonly type: string };
/** The text of `/proc/PID/mountinfo`, which the kernel writes without asking any file system; `pid`: a number or `self`. */
type ReadMounts = (pid: string) => string;
/** Resolves to something else than undefined when the path has answered. */
type Ask = (device: number, path: string) => Promise<unknown>;

/**
 * Knows which folders may keep a call in the kernel: those on a file system that has a server (FUSE, NFS and their like)
 * which does not answer now. Such a call takes no signal, so the question is left to a helper process.
 */
export class SilentPlaces {
  readonly #readMounts: ReadMounts;
  readonly #ask: Ask;
  readonly #mounts = new Map<string, { readonly mounts: readonly Mount[]; untilMs: number }>();
  /** The time of the last answer, by device. */
  readonly #answered = new Map<string, number>();
  readonly #asking = new Map<string, Promise<void>>();

  constructor(
    readMounts: ReadMounts = (pid) => readTextOrEmpty(`/proc/${pid}/mountinfo`),
    ask: Ask = askHelper(),
  ) {
    this.#readMounts = readMounts;
    this.#ask = ask;
  }

  /**
   * Whether a call on `path`, which is absolute and may be below `/proc/PID/root`, may not come back now. Asks meanwhile
   * where that is not known, so that a later call has the answer.
   */
  mayWait(path: string): boolean {
    const mount = this.#mountOf(path);
    if (mount === null || LOCAL.test(mount.type)) return false;
    const answeredMs = this.#answered.get(mount.device) ?? Number.NEGATIVE_INFINITY;
    if (performance.now() - answeredMs < FRESH_MS) return false;
    void this.#askOnce(mount, path);
    return true;
  }

  /** Waits for the answers of such folders, but not longer than one may take, or `mostMs`. */
  async settle(paths: readonly string[], mostMs = DEADLINE_MS): Promise<void> {
    const waits = paths.flatMap((path) => {
      const mount = this.mayWait(path) ? this.#mountOf(path) : null;
      return mount === null ? [] : [this.#asking.get(mount.device)];
    });
    if (waits.length === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, mostMs);
    });
    await Promise.race([Promise.all(waits), over]);
    clearTimeout(timer);
  }

  #askOnce({ device }: Mount, path: string): Promise<void> {
    return getOrMake(this.#asking, device, () =>
      this.#ask(Number(device.split(':')[1]), path).then((answer) => {
        this.#asking.delete(device);
        if (answer !== undefined) this.#answered.set(device, performance.now());
      }),
    );
  }

  #mountOf(path: string): Mount | null {
    const [, pid, below] = /^\/proc\/(\d+)\/root(\/.*)$/.exec(path) ?? [null, 'self', path];
    return findMount(this.#mountsOf(pid as string), below as string);
  }

  #mountsOf(pid: string): readonly Mount[] {
    const known = this.#mounts.get(pid);
    const startMs = performance.now();
    if (known !== undefined && startMs < known.untilMs) return known.mounts;
    const mounts = parseMounts(this.#readMounts(pid));
    const endMs = performance.now();
    if (this.#mounts.size >= MOST_KEPT) this.#mounts.clear();
    this.#mounts.set(pid, { mounts, untilMs: endMs + READ_PAUSE_FACTOR * (endMs - startMs) });
    return mounts;
  }
}

/** The places of this process: a mount is the same for everybody in it. */
export const silentPlaces = new SilentPlaces();

/**
 * The mounts of a process, those that cover others behind them:
 *
 *     36 35 98:0 /sub /mnt/a\040b rw,noatime master:1 - ext4 /dev/root rw
 */
export function parseMounts(text: string): readonly Mount[] {
  return text.split('\n').flatMap((line) => {
    const [front, behind] = line.split(' - ');
    const [, , device, , at] = front.split(' ');
    if (behind === undefined || at === undefined) return [];
    const unescaped = at.replace(/\\([0-7]{3})/g, (_, octal) =>
      String.fromCharCode(Number.parseInt(octal, 8)),
    );
    return [{ at: unescaped, device, type: behind.split(' ')[0] }];
  });
}

/** The mount that a path lies in, as it is spelled: the innermost one, the last of those at one place. */
function findMount(mounts: readonly Mount[], path: string): Mount | null {
  let found: Mount | null = null;
  for (const mount of mounts) {
    const folder = mount.at === '/' ? '/' : `${mount.at}/`;
    const isAround = path === mount.at || path.startsWith(folder);
    if (isAround && mount.at.length >= (found?.at.length ?? 0)) found = mount;
  }
  return found;
}

function askHelper(): Ask {
  const helper = new HelperProcess({
    program: 'dist/system/strangers/read-program.js',
    deadlineMs: DEADLINE_MS,
  });
  // No process has a number below zero.
  return (device, path) => helper.ask(-1 - device, { read: 'folder', pid: -1, path });
}
