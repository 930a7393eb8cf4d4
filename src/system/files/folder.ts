import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  type Stats,
  statfsSync,
  unlinkSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import { FailedError, failedBy } from '../../base/errors.ts';
import { words } from '../../base/words.ts';
import { OUTPUT } from '../../options/output.ts';
import { actingUid } from '../accounts/file-identity.ts';
import { MOST_LINKS, O_PATH } from './open-flags.ts';

const DIRECTORY = O_PATH | constants.O_DIRECTORY;
const OPEN_FILES = '/proc/self/fd';
const PROC_SUPER_MAGIC = 0x9fa0;

/**
 * An open directory. Names are looked up in it and nowhere else, wherever it is moved and whatever is
 * put at its path: `/proc/self/fd/N/NAME` starts from the descriptor, as openat(2) does, and no
 * operation here follows a symbolic link at NAME.
 *
 * The way to it is walked part by part. A link on it is followed only if root or we ourselves have
 * made it: anybody else could aim it at a place that is ours to write and not theirs.
 */
export class Folder {
  /** The path that was asked for. */
  readonly path: string;
  readonly #fd: number;
  #isOpen = true;

  private constructor(path: string, fd: number) {
    this.path = path;
    this.#fd = fd;
  }

  /** Throws the system's error, or `FailedError` for a stranger's link and where /proc is not mounted. */
  static open(path: string): Folder {
    return new Folder(path, walk(path));
  }

  /** The folder that the file at `path` is in. */
  static around(path: string): Folder {
    const name = basename(path);
    if (name === '' || name === '.' || name === '..' || path.endsWith('/')) {
      const hints = [words`name a file with ${OUTPUT.output}`];
      throw failedBy('EISDIR', `cannot write ${path}: it is a directory`, hints);
    }
    return Folder.open(dirname(path));
  }

  /** A second handle of this folder, to be closed by itself. */
  again(): Folder {
    return new Folder(this.path, openSync(this.at('.'), DIRECTORY));
  }

  /** A path to `name` in this folder, for as long as it is open; links at `name` itself are followed. */
  at(name: string): string {
    if (name.includes('/') || name === '..') throw new RangeError(`not a name: ${name}`);
    return `${OPEN_FILES}/${this.#fd}/${name}`;
  }

  /** The folder's path without links. */
  realPath(): string {
    return readlinkSync(`${OPEN_FILES}/${this.#fd}`);
  }

  stat(): Stats {
    return fstatSync(this.#fd);
  }

  /** The entry at `name`, not followed; undefined: nothing. */
  entry(name: string): Stats | undefined {
    return lstatSync(this.at(name), { throwIfNoEntry: false });
  }

  /** Names of all that is in the folder. */
  names(): string[] {
    return readdirSync(this.at('.'));
  }

  /** `wanted`, or where that is taken `wanted-2`, `wanted-3`, …: the first that is free. */
  freeName(wanted: string): string {
    let name = wanted;
    for (let n = 2; this.entry(name) !== undefined; n++) name = `${wanted}-${n}`;
    return name;
  }

  /** Makes a file for reading and writing; EEXIST if anything is there. */
  create(name: string, mode = 0o600): number {
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    return openSync(this.at(name), flags, mode);
  }

  /** Replaces what is at `to`, which must be no directory. */
  rename(from: string, to: string): void {
    renameSync(this.at(from), this.at(to));
  }

  /** Moves `name` into another folder. */
  moveTo(name: string, other: Folder, otherName: string): void {
    renameSync(this.at(name), other.at(otherName));
  }

  remove(name: string): void {
    unlinkSync(this.at(name));
  }

  removeFolder(name: string): void {
    rmdirSync(this.at(name));
  }

  /** Makes a folder that only we may enter, and opens it. Throws where somebody has exchanged it. */
  makeFolder(name: string): Folder {
    mkdirSync(this.at(name), { mode: 0o700 });
    const folder = this.folder(name);
    const { uid, mode } = folder.stat();
    if (uid === actingUid() && (mode & 0o077) === 0) return folder;
    folder.close();
    throw new FailedError(`${this.path}/${name} was replaced by somebody else as it was made`);
  }

  folder(name: string): Folder {
    return new Folder(
      `${this.path}/${name}`,
      openSync(this.at(name), DIRECTORY | constants.O_NOFOLLOW),
    );
  }

  close(): void {
    if (this.#isOpen) closeSync(this.#fd);
    this.#isOpen = false;
  }
}

/** Whether a file of this owner may be followed or written to as if it were ours. */
export function isTrusted({ uid }: Pick<Stats, 'uid'>): boolean {
  return uid === 0 || uid === actingUid();
}

function walk(path: string): number {
  if (!existsSync(OPEN_FILES)) throw withoutProc(path);
  let fd = openSync(path.startsWith('/') ? '/' : '.', DIRECTORY);
  const parts = partsOf(path);
  let links = 0;
  try {
    for (;;) {
      const part = parts.shift();
      if (part === undefined) return fd;
      const below = `${OPEN_FILES}/${fd}/${part}`;
      const entry = lstatSync(below);
      let next: number;
      if (!entry.isSymbolicLink()) {
        next = openSync(below, DIRECTORY | constants.O_NOFOLLOW);
      } else if (!isTrusted(entry)) {
        throw strangersLink(path, part, entry);
      } else if (isOnProc(fd)) {
        // `/proc/PID/root`, `/proc/PID/cwd`: the kernel's own, and what they lead to has no other name.
        next = openSync(below, DIRECTORY);
      } else {
        if (++links > MOST_LINKS) throw Object.assign(new Error(path), { code: 'ELOOP' });
        const target = readlinkSync(below);
        parts.unshift(...partsOf(target));
        if (!target.startsWith('/')) continue;
        next = openSync('/', DIRECTORY);
      }
      closeSync(fd);
      fd = next;
    }
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** The steps of a path, without those that lead nowhere. */
export function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}

function isOnProc(fd: number): boolean {
  return statfsSync(`${OPEN_FILES}/${fd}`).type === PROC_SUPER_MAGIC;
}

function withoutProc(path: string): FailedError {
  const what = path === '.' ? 'the working directory' : path;
  return new FailedError(`cannot write to ${what}: /proc is not mounted, which files are made by`, [
    'mount it: mount -t proc proc /proc',
  ]);
}

function strangersLink(path: string, part: string, { uid }: Stats): FailedError {
  return new FailedError(`${path}: ${part} is a symbolic link of another user (uid ${uid})`, [
    'name the directory that it leads to, if you trust it',
  ]);
}
