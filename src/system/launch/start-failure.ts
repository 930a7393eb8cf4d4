import { closeSync, openSync, readSync } from 'node:fs';
import { FailedError, failedBy } from '../../base/errors.ts';
import { EXIT } from '../../base/exit-status.ts';
import { printable } from '../../base/printable.ts';
import { errnoReason } from '../../base/system-error.ts';
import { words } from '../../base/words.ts';
import type { CommandSpec, NativeError } from '../../native/types.ts';
import { USER } from '../../options/user.ts';
import { fsPath } from '../files/byte-path.ts';

/** System calls by which the addon makes the held child. */
const STEPS = new Set(['socketpair', 'fcntl', 'fork', 'pidfd_open']);

/**
 * The message for the user when the child that is to become the command could not be made; null for an
 * error of anything else. No event has been opened then.
 */
export function explainStartFailure({ operation, code }: NativeError): FailedError | null {
  if (!STEPS.has(operation)) return null;
  return failedBy(
    code,
    `the command was not started: ${operation} failed: ${errnoReason(code)}`,
    hintsFor(operation, code),
  );
}

/** The held child is gone: no event opens on it. */
export function explainGoneBeforeStart(): FailedError {
  return new FailedError('the command was not started: its process has ended before', [
    'something killed it: the kernel for lack of memory (dmesg), or another process',
  ]);
}

function hintsFor(operation: string, code: string): string[] {
  if (code === 'EMFILE') {
    return ['raise the limit of open files: ulimit -n 65536 (RLIMIT_NOFILE)'];
  }
  if (operation === 'fork' && code === 'EAGAIN') {
    return [
      'there are as many processes as allowed: ulimit -u (RLIMIT_NPROC), or pids.max of the ' +
        'control group (docker run --pids-limit)',
    ];
  }
  if (code === 'EPERM' || code === 'EACCES' || code === 'ENOSYS') {
    const filter = `a seccomp filter may refuse ${operation === 'fork' ? 'clone' : operation}`;
    return operation === 'pidfd_open' ? [`${filter}, or this kernel is older than 5.3`] : [filter];
  }
  return [];
}

/**
 * The message for the user when the held child could not become the command, by the step that failed
 * and the name of its errno. The status is that of docs/contract.md: `NOT_EXECUTABLE` or `NOT_FOUND`
 * when it was the command's fault, `FAILED` when the change of user failed.
 */
export function explainExecFailure(
  command: Pick<CommandSpec, 'path' | 'user'> | null | undefined,
  step: string,
  code: string,
): FailedError {
  if (step === 'release') return explainGoneBeforeStart();
  const { path: file, user } = command ?? { path: '' };
  const path = printable(file);
  if (step !== 'execve') {
    const whom = user === undefined ? '' : ` as uid ${user.uid}`;
    return failedBy(
      code,
      `the command was not started${whom}: ${step} failed: ${errnoReason(code)}`,
      user === undefined
        ? ['nothing of it has run']
        : [words`nothing of it has run; ${USER.asRoot} runs it without changing the user`],
    );
  }
  if (code === 'ENOENT') {
    // The file was there when it was looked for.
    const interpreter = readInterpreter(file);
    if (interpreter !== null) {
      const message = `cannot execute ${path}: its interpreter ${printable(interpreter)} is missing`;
      return new FailedError(message, [], EXIT.NOT_EXECUTABLE, code);
    }
    return new FailedError(
      `cannot execute ${path}: it, or its program loader, is missing`,
      [],
      EXIT.NOT_FOUND,
    );
  }
  if (code === 'EACCES') {
    const whom = user === undefined ? '' : ` for uid ${user.uid}`;
    const hints = user === undefined ? [] : [words`${USER.asRoot} runs it as root`];
    return new FailedError(
      `cannot execute ${path}: permission denied${whom}`,
      hints,
      EXIT.NOT_EXECUTABLE,
    );
  }
  if (code === 'E2BIG') {
    return new FailedError(
      `cannot execute ${path}: its arguments and environment are too long`,
      [],
      EXIT.NOT_EXECUTABLE,
      code,
    );
  }
  if (code === 'ELIBBAD') {
    const message = `cannot execute ${path}: its program loader is not one of this machine`;
    return new FailedError(message, [], EXIT.NOT_EXECUTABLE, code);
  }
  return new FailedError(
    `cannot execute ${path}: ${errnoReason(code)}`,
    [],
    EXIT.NOT_EXECUTABLE,
    code,
  );
}

/** The kernel reads no more of a script's first line. */
const INTERPRETER_LINE_BYTES = 256;

/** The program named in a script's `#!` line; null for other files. */
function readInterpreter(path: string): string | null {
  try {
    const fd = openSync(fsPath(path), 'r');
    try {
      const head = Buffer.alloc(INTERPRETER_LINE_BYTES);
      const length = readSync(fd, head, 0, head.length, 0);
      return /^#![ \t]*([^ \t\n]+)/.exec(head.toString('utf8', 0, length))?.[1] ?? null;
    } finally {
      closeSync(fd);
    }
  } catch {
    return null;
  }
}
