import {
  closeSync,
  constants,
  fchownSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { FailedError } from '../../base/errors.ts';

/** Who the finished file belongs to. */
export type FileOwner = { readonly uid: number; readonly gid: number };

/**
 * The recording's output, opened so that nothing planted at its path is followed or reused.
 *
 * Whatever stands at the path (a file, a symbolic link, a FIFO) is moved to `<path>.old` as a
 * directory entry, unopened; the new file is made with O_EXCL and O_NOFOLLOW, mode 0600. So a
 * link's target, a foreign file's readers and a FIFO's other end never see the recording.
 */
export class OutputFile {
  readonly path: string;
  readonly fd: number;
  readonly #rotated: boolean;
  readonly #identity: { readonly dev: number; readonly ino: number };

  private constructor(path: string, fd: number, rotated: boolean) {
    this.path = path;
    this.fd = fd;
    this.#rotated = rotated;
    this.#identity = fstatSync(fd);
  }

  static create(path: string, owner: FileOwner | null): OutputFile {
    const rotated = moveAside(path);
    let fd: number;
    try {
      const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
      fd = openSync(path, flags, 0o600);
    } catch (error) {
      if (rotated) moveBack(path);
      throw cannotWrite(path, error);
    }
    if (owner !== null) fchownSync(fd, owner.uid, owner.gid);
    return new OutputFile(path, fd, rotated);
  }

  write(bytes: Uint8Array, position: number): void {
    writeFully(this.fd, bytes, position);
  }

  truncate(length: number): void {
    ftruncateSync(this.fd, length);
  }

  size(): number {
    return fstatSync(this.fd).size;
  }

  close(): void {
    closeSync(this.fd);
  }

  /**
   * Where the file is by now: at its path, or at `<path>.old` if another recording to the same path
   * has begun since. Null: a third one has replaced it, or it was removed.
   */
  place(): string | null {
    return [this.path, `${this.path}.old`].find((path) => this.#isAt(path)) ?? null;
  }

  #isAt(path: string): boolean {
    const entry = lstatSync(path, { throwIfNoEntry: false });
    return entry?.dev === this.#identity.dev && entry.ino === this.#identity.ino;
  }

  /** As if it had never been opened: the previous file is back. For a command that can't start. */
  discard(): void {
    const place = this.place();
    closeSync(this.fd);
    if (place !== null) unlinkSync(place);
    if (this.#rotated && place === this.path) moveBack(this.path);
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
  let entry: ReturnType<typeof lstatSync> | undefined;
  try {
    entry = lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw cannotWrite(path, error);
  }
  if (entry?.isDirectory()) {
    throw new FailedError(`cannot write ${path}: it is a directory`, ['name a file with -o']);
  }
  if (entry?.isCharacterDevice() || entry?.isBlockDevice()) {
    throw new FailedError(`cannot write ${path}: it is a device`, [
      'name a file with -o, or - for standard output',
    ]);
  }
}

function moveAside(path: string): boolean {
  checkWritable(path);
  try {
    renameSync(path, `${path}.old`);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw cannotWrite(path, error);
  }
}

function moveBack(path: string): void {
  renameSync(`${path}.old`, path);
}

/** What the system refused while `path` was written, as an error that says so; others as they are. */
export function asWriteFailure(path: string, error: unknown): unknown {
  const isOfSystem = error instanceof Error && 'syscall' in error && 'code' in error;
  return isOfSystem ? cannotWrite(path, error) : error;
}

function cannotWrite(path: string, error: unknown): FailedError {
  return new FailedError(`cannot write ${path}: ${writeErrorReason(error)}`, [
    'name a place you may write to with -o',
  ]);
}

const WRITE_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'the directory does not exist',
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space left on the device',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'it would be larger than files may be here',
  EPIPE: 'its reader has gone',
  EBADF: 'it is closed',
  EEXIST: 'something appeared there in this moment',
  ENOTDIR: 'a part of the path is not a directory',
  EISDIR: 'it is a directory',
};

/** Why a file could not be opened or written, in words. */
export function writeErrorReason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return WRITE_ERRORS[code ?? ''] ?? message;
}
