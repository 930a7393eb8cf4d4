// Which calls there are, and which of them are failed how.

import { constants } from 'node:os';

/** The errors that every call is failed with. */
export const ERRORS = ['EINTR', 'EAGAIN', 'ENOMEM', 'EMFILE', 'ENOSPC', 'EPERM'] as const;
export type FaultError = (typeof ERRORS)[number];

/** One call that is failed: the `turn`-th (from 1) with that key, and with `andLater` all after it. */
export type Fault = {
  readonly key: string;
  readonly turn: number;
  readonly error: FaultError;
  readonly andLater: boolean;
};

export function errorNumber(error: FaultError): number {
  return constants.errno[error];
}

/**
 * Whose call it is.
 *
 * - `own`: made for what perf-ts does.
 * - `loading`: Node reads our code.
 * - `node`: memory, locks, signals, threads and the event loop of Node and V8; uname, which can't fail,
 *   and `node:os` asserts that. They end the process
 *   themselves where such a call fails, and nothing that is written in JavaScript gets to know.
 */
export type CallGroup = 'own' | 'loading' | 'node';

const OF_NODE = new Set([
  'brk',
  'clock_gettime',
  'clone3',
  'epoll_pwait',
  'futex',
  'getpid',
  'gettid',
  'madvise',
  'mprotect',
  'mremap',
  'munmap',
  'nanosleep',
  'restart_syscall',
  'rseq',
  'rt_sigaction',
  'rt_sigprocmask',
  'sched_yield',
  'set_robust_list',
  'uname',
]);
const LOADED = /\/(dist|node_modules|build|build\/Release)(\/|$)|\/package\.json$/;

/** Whether it is a folder on the way to our code, which Node looks up part by part. */
function isAbove(path: string): boolean {
  return path.startsWith('/') && `${process.cwd()}/`.startsWith(`${path}/`);
}

export function groupOf(key: string): CallGroup {
  const [who, name, ...rest] = key.split(' ');
  const detail = rest.join(' ');
  // Node's way of waking its event loop from another thread ends the process if this fails.
  if (who === 'drain' && name === 'write' && detail === 'anon_inode:[eventfd]') return 'node';
  // glibc ends the process where the kernel refuses to let a thread wait for another one.
  if (who === 'drain' && name === 'futex') return 'node';
  // All else that the drain thread and the forked child call is ours.
  if (who === 'drain' || who === 'child') return 'own';
  if (LOADED.test(detail) || isAbove(detail)) return 'loading';
  if (OF_NODE.has(name) || detail === 'anonymous') return 'node';
  // The event loop's own wake-ups, and the pipe that its signal handlers write to.
  const isWakeUp = /^(read|write|epoll_ctl)$/.test(name);
  if (isWakeUp && /^(anon_inode:\[eventfd\]|pipe)$/.test(detail)) return 'node';
  // Only what was written can be refused at the end, and Node asserts that the rest is not.
  if (name === 'close' && !detail.startsWith('perf.data')) return 'node';
  if (who === 'other' && !detail.startsWith('/')) return 'node';
  return 'own';
}

/** Keys of a log of `inject`, in the order of their first calls, with the number of calls of each. */
export function countCalls(log: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of log.split('\n')) {
    if (line === '' || line.startsWith('=')) continue;
    const key = line.replace(/^!/, '');
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

/** What lasts when it has once begun: the next try fails as well. */
const LASTING = new Set<FaultError>(['ENOMEM', 'EMFILE', 'ENOSPC', 'EPERM']);

/** close(2) returns what went wrong with earlier writes, and nothing else. */
function errorsOf(key: string): readonly FaultError[] {
  return key.split(' ')[1] === 'close' ? ['EINTR', 'ENOSPC'] : ERRORS;
}

/** Every call of that key that is worth a run: the first, the last, and from the first on. */
export function faultsOf(key: string, calls: number): Fault[] {
  return errorsOf(key).flatMap((error) => [
    { key, turn: 1, error, andLater: false },
    ...(calls > 1 ? [{ key, turn: calls, error, andLater: false }] : []),
    ...(calls > 1 && LASTING.has(error) ? [{ key, turn: 1, error, andLater: true }] : []),
  ]);
}
