import { FailedError, messageOf } from './errors.ts';
/** An error that the operating system returned, as Node hands it on. */
export type SystemError = Error & {
  /** The name of the errno, `ENOSPC`. */
  readonly code: string;
  readonly syscall: string;
  readonly path?: string;
  readonly dest?: string;
};

export function isSystemError(error: unknown): error is SystemError {
  return error instanceof Error && 'syscall' in error && 'code' in error;
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EAGAIN: 'it is not available at the moment',
  EBADF: 'the descriptor is closed',
  EBUSY: 'it is in use',
  EDQUOT: 'the disk quota is used up',
  EEXIST: 'there is something of that name already',
  EFBIG: 'it would be larger than files may be here',
  EINTR: 'a signal interrupted it',
  EIO: 'the device reports an error',
  EISDIR: 'it is a directory',
  ELOOP: 'too many symbolic links',
  EMFILE: 'this process has too many open files',
  ENAMETOOLONG: 'the name is too long',
  ENFILE: 'the system has too many open files',
  ENODEV: 'there is no such device',
  ENOENT: 'it does not exist',
  ENOMEM: 'not enough memory',
  ENOSPC: 'no space left on the device',
  ENOTDIR: 'a part of the path is not a directory',
  EPERM: 'not permitted',
  EPIPE: 'the reader closed the pipe',
  EROFS: 'the file system is read-only',
  ESTALE: 'the file server has lost it',
};

/** Why a call failed, in words: `not enough memory (ENOMEM)`. Anything else keeps its message. */
export function systemErrorReason(error: unknown): string {
  // It is a sentence already, whatever its code.
  if (error instanceof FailedError) return error.message;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code in REASONS) return errnoReason(code);
  return messageOf(error);
}

/** The reason that an errno's name stands for; the name where there are no words for it. */
export function errnoReason(code: string): string {
  const reason = REASONS[code];
  return reason === undefined ? code : `${reason} (${code})`;
}

/** The message of any error: a sentence where the system refused, else the message. */
export function describeError(error: unknown): string {
  return isSystemError(error) ? describeSystemError(error) : systemErrorReason(error);
}

const ACTIONS: Readonly<Record<string, string>> = {
  chown: 'change the owner of',
  fchown: 'change the owner of',
  fstat: 'look at',
  ftruncate: 'shorten',
  lstat: 'look at',
  mkdir: 'make the directory',
  mkdtemp: 'make the directory',
  scandir: 'list',
  stat: 'look at',
  statfs: 'look at',
  unlink: 'remove',
};

/** One line: `cannot rename perf.data to perf.data.old: not permitted (EPERM)`. */
export function describeSystemError(error: SystemError): string {
  const { syscall, path, dest } = error;
  const action = ACTIONS[syscall] ?? syscall;
  // Calls on a descriptor have no path.
  const what = path === undefined ? 'an open file' : path;
  const where = dest === undefined ? '' : ` to ${dest}`;
  return `cannot ${action} ${what}${where}: ${systemErrorReason(error)}`;
}
