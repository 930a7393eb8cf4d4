import { FailedError, failedBy } from '../../base/errors.ts';
import { errnoReason } from '../../base/system-error.ts';
import type { NativeError } from '../../native/types.ts';

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
