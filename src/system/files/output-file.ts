import {
  closeSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  lstatSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import { FailedError, failedBy, UsageError } from '../../base/errors.ts';
import { systemErrorReason } from '../../base/system-error.ts';
import { words } from '../../base/words.ts';
import { OUTPUT } from '../../options/output.ts';
import { actAs, type FileIdentity } from '../accounts/file-identity.ts';
import { Folder } from './folder.ts';

/** Readable for its owner alone. */
const FILE_MODE = 0o600;

/** The owner of the finished file. */
export type FileOwner = FileIdentity;

/** A file that was just made in `folder`, and what it took the place of. */
type MadeFile = {
  readonly folder: Folder;
  readonly fd: number;
  readonly moved: Moved | null;
  readonly ownerProblem: string | null;
};

/**
 * The recording's output, opened so that nothing planted at its path is followed or reused.
 *
 * Whatever stands at the path (a file, a symbolic link, a FIFO) is moved to `<path>.old` as a
 * directory entry, unopened; the new file is made with O_EXCL and O_NOFOLLOW, mode 0600. So a
 * link's target, a foreign file's readers and a FIFO's other end never see the recording.
 *
 * Until `keep` nothing is lost: what stood at `<path>.old` waits under a third name.
 *
 *     perf.data                      the new file
 *     perf.data.old                  what stood at perf.data
 *     perf.data.old.before-4711      what stood at perf.data.old, until `keep` or `discard`
 *
 * All of it happens in the open folder, and with the rights of `owner` where these suffice: root,
 * who writes for a user, then does nothing in the user's folder that the user could not do.
 */
export class OutputFile {
  readonly fd: number;
  /** Why the file does not belong to the owner that was asked for, an errno; null if it does. */
  readonly ownerProblem: string | null;
  readonly #folder: Folder;
  /** The path that was asked for, up to the name. */
  readonly #prefix: string;
  /** The file's own name; another recording may have added `.old` to it. */
  #name: string;
  /** The user whose rights serve to change names; null: our own. */
  readonly #as: FileIdentity | null;
  #moved: Moved | null;
  readonly #identity: { readonly dev: number; readonly ino: number };
  #isOpen = true;

  private constructor(
    path: string,
    { folder, fd, moved, ownerProblem }: MadeFile,
    as: FileIdentity | null,
  ) {
    const name = basename(path);
    this.fd = fd;
    this.ownerProblem = ownerProblem;
    this.#folder = folder;
    this.#prefix = path.slice(0, path.length - name.length);
    this.#name = name;
    this.#as = as;
    this.#moved = moved;
    this.#identity = fstatSync(fd);
  }

  static create(path: string, owner: FileOwner | null): OutputFile {
    try {
      const asOwner = owner === null ? null : OutputFile.#createAs(path, owner);
      return asOwner ?? OutputFile.#make(Folder.around(path), path, null, owner);
    } catch (error) {
      throw error instanceof FailedError ? error : cannotWrite(path, error);
    }
  }

  /** `create` with the rights of `owner`; null: they don't suffice. */
  static #createAs(path: string, owner: FileOwner): OutputFile | null {
    try {
      return actAs(owner, () => OutputFile.#make(Folder.around(path), path, owner, null));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (error instanceof FailedError || code === 'EACCES' || code === 'EPERM') return null;
      throw error;
    }
  }

  /** Takes `folder` over. `as`: who makes the file, and so owns it; else it is given to `owner`. */
  static #make(
    folder: Folder,
    path: string,
    as: FileIdentity | null,
    owner: FileOwner | null,
  ): OutputFile {
    const name = basename(path);
    let moved: Moved | null = null;
    try {
      moved = moveAside(folder, path);
      const fd = folder.create(name);
      // A umask of 777 would keep its owner out as well; not every file system has modes.
      tryTo(() => fchmodSync(fd, FILE_MODE));
      const ownerProblem = as !== null || owner === null ? null : giveTo(fd, owner);
      return new OutputFile(path, { folder, fd, moved, ownerProblem }, as);
    } catch (error) {
      if (moved !== null) moveBack(folder, name, moved);
      folder.close();
      throw error;
    }
  }

  /** A new file in the same folder and of the same owner, for what will take this one's place. */
  createBeside(ending: string): OutputFile {
    const path = this.#prefix + this.#folder.freeName(`${this.#name}${ending}`);
    const { uid, gid, mode } = fstatSync(this.fd);
    const file = this.#act(() =>
      OutputFile.#make(this.#folder.again(), path, this.#as, { uid, gid }),
    );
    fchmodSync(file.fd, mode & 0o777);
    return file;
  }

  /** Its path, as it was asked for. */
  get path(): string {
    return this.#prefix + this.#name;
  }

  write(bytes: Uint8Array, position: number): void {
    writeFully(this.fd, bytes, position);
  }

  size(): number {
    return fstatSync(this.fd).size;
  }

  /** A path to the bytes of this very file, whatever happens to its name; until `close`. */
  readablePath(): string {
    return `/proc/self/fd/${this.fd}`;
  }

  /** The recording has begun: what was at `<path>.old` goes. `say`: where it stays, and why. */
  keep(notify: (notice: string) => void = () => {}): void {
    const before = this.#moved?.before ?? null;
    this.#moved = null;
    if (before === null) return;
    try {
      this.#act(() => this.#folder.remove(before));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      const reason = systemErrorReason(error);
      notify(`the file that was ${this.path}.old is left as ${this.#prefix}${before}: ${reason}`);
    }
  }

  close(): void {
    if (!this.#isOpen) return;
    this.keep();
    this.#isOpen = false;
    try {
      closeSync(this.fd);
    } catch (error) {
      // A file server may refuse data as late as that.
      throw cannotWrite(this.path, error);
    } finally {
      this.#folder.close();
    }
  }

  /**
   * The file's place by now: at its path, or at `<path>.old` if another recording to the same path
   * has begun since. Null: a third one has replaced it, or it was removed.
   */
  place(): string | null {
    const name = this.#nameNow();
    return name === null ? null : this.#prefix + name;
  }

  /** Gives the file another name in its folder, whatever has it; false: it has none any more. */
  rename(name: string): boolean {
    const from = this.#nameNow();
    if (from === null) return false;
    this.#act(() => this.#folder.rename(from, name));
    this.#name = name;
    return true;
  }

  /** Whether anything has this name in the folder of the file. */
  isTaken(name: string): boolean {
    return this.#folder.entry(name) !== undefined;
  }

  /** Removes a file of the same folder that was closed, if it still is where it was left. */
  removeBeside(other: OutputFile): void {
    const entry = this.#folder.entry(other.#name);
    if (entry?.dev !== other.#identity.dev || entry.ino !== other.#identity.ino) return;
    this.#act(() => tryTo(() => this.#folder.remove(other.#name)));
  }

  /** Puts this file, which was made by `createBeside`, in the place of `other`. */
  replace(other: OutputFile): void {
    const to = other.#nameNow();
    if (to === null) throw new Error('another recording has replaced it');
    if (!this.rename(to)) throw new Error('somebody has removed what was to take its place');
  }

  /** Puts the previous files back, as if it had never been opened. For a command that can't start. */
  discard(): void {
    if (!this.#isOpen) return;
    const name = this.#nameNow();
    const moved = this.#moved;
    this.#moved = null;
    this.#act(() => {
      if (name !== null) this.#folder.remove(name);
      if (moved !== null) moveBack(this.#folder, this.#name, moved, name === this.#name);
    });
    this.close();
  }

  #nameNow(): string | null {
    return [this.#name, `${this.#name}.old`].find((name) => this.#isAt(name)) ?? null;
  }

  #isAt(name: string): boolean {
    const entry = this.#isOpen
      ? this.#folder.entry(name)
      : lstatSync(this.#prefix + name, { throwIfNoEntry: false });
    return entry?.dev === this.#identity.dev && entry.ino === this.#identity.ino;
  }

  #act<T>(act: () => T): T {
    return this.#as === null ? act() : actAs(this.#as, act);
  }
}

/** Places of files that all programs find by their names. */
const OF_THE_SYSTEM = /^\/(?:proc|sys|dev(?!\/(?:shm|mqueue|hugepages)(?:\/|$)))(?:\/|$)/;

/** Names that a new file has moved: the earlier one to `.old`, and what was there to `before`. */
type Moved = { readonly before: string | null };

function moveAside(folder: Folder, path: string): Moved | null {
  const name = basename(path);
  const entry = folder.entry(name);
  if (entry === undefined) return null;
  checkEntry(path, entry);
  if (OF_THE_SYSTEM.test(folder.realPath())) {
    throw new FailedError(`cannot write ${path}: nothing of the system is replaced`, [
      words`name a file elsewhere with ${OUTPUT.output}, or - for standard output`,
    ]);
  }
  const old = `${name}.old`;
  const oldEntry = folder.entry(old);
  checkOld(path, oldEntry);
  const before = oldEntry === undefined ? null : folder.freeName(`${old}.before-${process.pid}`);
  if (before !== null) folder.rename(old, before);
  try {
    folder.rename(name, old);
  } catch (error) {
    if (before !== null) folder.rename(before, old);
    // Another recorder was faster.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  return { before };
}

/** `isOurs`: what is at `.old` is what we moved there. Nothing that others have put there is replaced. */
function moveBack(folder: Folder, name: string, { before }: Moved, isOurs = true): void {
  const old = `${name}.old`;
  const isFree = (wanted: string): boolean => folder.entry(wanted) === undefined;
  if (isOurs && isFree(name)) tryTo(() => folder.rename(old, name));
  if (before === null) return;
  if (isFree(old)) tryTo(() => folder.rename(before, old));
  else tryTo(() => folder.remove(before));
}

/** Null, or why the file stays ours: not every file system knows owners. */
function giveTo(fd: number, { uid, gid }: FileOwner): string | null {
  try {
    fchownSync(fd, uid, gid);
    return null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}

/** Calls `act`, and ignores a failure: the name then stays as it is. */
function tryTo(act: () => void): void {
  try {
    act();
  } catch {
    // Gone, or not ours to change.
  }
}

/** How long to wait before writing again to a descriptor that takes nothing at the moment. */
const FULL_PIPE_PAUSE_MS = 1;

/**
 * Writes all of `bytes`, at `position` or (null) where the descriptor stands. Standard output may be
 * a pipe that another of its owners has made non-blocking: EAGAIN is waited out.
 */
export function writeFully(fd: number, bytes: Uint8Array, position: number | null): void {
  let done = 0;
  while (done < bytes.length) {
    const at = position === null ? null : position + done;
    try {
      done += writeSync(fd, bytes, done, bytes.length - done, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FULL_PIPE_PAUSE_MS);
    }
  }
}

/** Throws, before anything is started, when a file could not be made at `path`. */
export function checkWritable(path: string): void {
  if (path === '') throw new UsageError(words`${OUTPUT.output}: the name of the file is empty`);
  try {
    const entry = lstatSync(path, { throwIfNoEntry: false });
    if (entry === undefined) {
      checkFolder(path);
      return;
    }
    checkEntry(path, entry);
    checkOld(path, lstatSync(`${path}.old`, { throwIfNoEntry: false }));
  } catch (error) {
    throw error instanceof FailedError ? error : cannotWrite(path, error);
  }
}

/** Throws for a folder that is not there. One that root may not look into can be open to the user for whom it writes. */
function checkFolder(path: string): void {
  try {
    statSync(`${dirname(path)}/.`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
  }
}

function checkEntry(path: string, entry: Stats): void {
  if (entry.isDirectory()) {
    const hints = [words`name a file with ${OUTPUT.output}`];
    throw failedBy('EISDIR', `cannot write ${path}: it is a directory`, hints);
  }
  if (entry.isCharacterDevice() || entry.isBlockDevice()) {
    throw new FailedError(`cannot write ${path}: it is a device`, [
      words`name a file with ${OUTPUT.output}, or - for standard output`,
    ]);
  }
}

/** Refuses a directory at a path where another file has to go. */
function checkOld(path: string, entry: Stats | undefined): void {
  if (!entry?.isDirectory()) return;
  const old = `${path}.old`;
  throw new FailedError(
    `cannot write ${path}: what is there would become ${old}, and that is a directory`,
    [words`move ${old} away, or name another file with ${OUTPUT.output}`],
  );
}

/** An error of the system while `path` was written, with a sentence that states so; others as they are. */
export function asWriteFailure(path: string, error: unknown): unknown {
  const isOfSystem = error instanceof Error && 'syscall' in error && 'code' in error;
  return isOfSystem ? cannotWrite(path, error) : error;
}

function cannotWrite(path: string, error: unknown): FailedError {
  const { code } = error as NodeJS.ErrnoException;
  const hints = [
    code === 'EMFILE'
      ? 'raise the limit of open files: ulimit -n 65536 (RLIMIT_NOFILE)'
      : words`name a place you may write to with ${OUTPUT.output}`,
  ];
  return failedBy(error, `cannot write ${path}: ${writeErrorReason(error)}`, hints);
}

const WRITE_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'the directory does not exist',
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space left on the device',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'it would be larger than files may be here',
  EPIPE: 'the reader closed the pipe',
  EBADF: 'the descriptor is closed',
  EEXIST: 'another process created this path in the meantime',
  ENOTDIR: 'a part of the path is not a directory',
  EISDIR: 'it is a directory',
  ENXIO: 'nobody has it open for reading',
};

/** Why a file could not be opened or written, in words. */
export function writeErrorReason(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  const known = error instanceof FailedError ? undefined : WRITE_ERRORS[code ?? ''];
  return known ?? systemErrorReason(error);
}
