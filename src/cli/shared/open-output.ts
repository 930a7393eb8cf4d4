import {
  accessSync,
  closeSync,
  constants,
  fchownSync,
  fstatSync,
  lstatSync,
  openSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { FailedError, failedBy, UsageError } from '../../base/errors.ts';
import { printable } from '../../base/printable.ts';
import { chooseUser } from '../../system/accounts/run-as.ts';
import { writeErrorReason } from '../../system/files/output-file.ts';

/**
 * Opens `path` for writing, empty. Under sudo a file that is made belongs to who called it; one that
 * stood there keeps its owner: a link could lead to any file. Throws `FailedError`.
 */
export function openOutput(path: string, mode = 0o666): number {
  try {
    const made = openNew(path, mode);
    if (made === null) return openSync(path, 'w');
    const { owner } = chooseUser({});
    if (owner !== null) fchownSync(made, owner.uid, owner.gid);
    return made;
  } catch (error) {
    throw failedBy(error, `cannot write ${path}: ${writeErrorReason(error)}`, [
      'name a place you may write to with -o',
    ]);
  }
}

/**
 * Closes an output that is complete. Throws `FailedError` where its bytes are lost: others have removed the
 * file, or its folder, while it was written.
 */
export function closeOutput(fd: number, path: string): void {
  const opened = fstatSync(fd);
  closeSync(fd);
  if (!opened.isFile() || opened.nlink > 0) return;
  // A descriptor's own path, as /dev/fd/3, leads to a file without a name.
  const named = statSync(path, { throwIfNoEntry: false });
  if (named?.dev === opened.dev && named.ino === opened.ino) return;
  throw new FailedError(`${printable(path)} is lost: it was removed while it was written`, [
    'name a place that nobody clears with -o',
  ]);
}

/**
 * Closes an output that could not be finished, and removes it where it is a file of this name: half of it is of no
 * use to anybody. The error that led here must stay the one that is reported, so nothing is thrown.
 */
export function discardOutput(fd: number, path: string): void {
  try {
    const opened = fstatSync(fd);
    closeSync(fd);
    // The name may be that of a link, a device or another file by now.
    const named = lstatSync(path);
    if (named.isFile() && named.dev === opened.dev && named.ino === opened.ino) unlinkSync(path);
  } catch {
    // It stays, as a file of a closed folder does.
  }
}

/** Throws `FailedError` for a file that cannot be made, or that is a folder, before there is anything to write. */
export function checkOutput(path: string): void {
  if (path === '-') return;
  const there = statSync(path, { throwIfNoEntry: false });
  try {
    if (there?.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' });
    accessSync(there === undefined ? dirname(path) : path, constants.W_OK);
  } catch (error) {
    throw failedBy(error, `cannot write ${path}: ${writeErrorReason(error)}`, [
      'name a place you may write to with -o',
    ]);
  }
}

/**
 * Refuses to write over the recording that is read, by whatever name: it could not be made again.
 * Throws `UsageError`.
 */
export function checkOutputIsNot(input: string, output: string): void {
  if (input === '-' || output === '-') return;
  const from = statSync(input, { throwIfNoEntry: false });
  const to = statSync(output, { throwIfNoEntry: false });
  if (from === undefined || to === undefined) return;
  if (from.dev !== to.dev || from.ino !== to.ino) return;
  throw new UsageError(`-o ${output}: this is the recording that is read; it would be lost`, [
    'name another file with -o',
  ]);
}

/** O_EXCL follows no link. Null: something stands at `path`. */
function openNew(path: string, mode: number): number | null {
  try {
    return openSync(path, 'wx', mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return null;
    throw error;
  }
}
