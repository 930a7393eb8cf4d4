import { FailedError, UsageError } from '../../base/errors.ts';
import { EXIT } from '../../base/exit-status.ts';
import { chooseUser } from '../../system/accounts/run-as.ts';
import { resolveCommand } from '../../system/launch/resolve-command.ts';
import { explainUnprofilable } from '../../system/launch/unprofilable.ts';
import { processesOf } from '../../system/processes/attached.ts';
import { listThreads } from '../../system/processes/thread-stat.ts';
import type { StatOptions, StatTarget } from './stat-options.ts';

/** Whom to count, from options that may contradict each other. Throws UsageError. */
export function chooseTarget(options: StatOptions): {
  readonly target: StatTarget;
  readonly notices: readonly string[];
} {
  const { pids, tids, cgroups, env, aggregation = 'total' } = options;
  const words = options.command ?? [];
  const systemWide =
    options.systemWide === true || options.cpus !== undefined || cgroups !== undefined;
  const isAttached = pids !== undefined || tids !== undefined;
  if (isAttached && (systemWide || words.length > 0)) {
    throw new UsageError(
      '-p and -t count what runs already: leave -a, -C, --for-each-cgroup and the command out',
      ['to stop by itself use --duration SECONDS'],
    );
  }
  if (!isAttached && !systemWide && words.length === 0) {
    throw new UsageError('nothing to count', [
      'a command:        perf-ts stat -- ./app',
      'a process:        perf-ts stat -p PID',
      'the whole system: perf-ts stat -a --duration 10',
    ]);
  }
  if (
    !systemWide &&
    (aggregation === 'cpu' || aggregation === 'core' || aggregation === 'socket')
  ) {
    throw new UsageError(`counts by ${aggregation} are of whole CPUs: add -a`);
  }
  if (!isAttached && aggregation === 'thread') {
    throw new UsageError('--per-thread counts threads that run already: add -p PID or -t TID');
  }
  if ((options.repeat ?? 1) > 1 && words.length === 0) {
    throw new UsageError('-r runs a command several times: name one');
  }
  if ((options.repeat ?? 1) > 1 && options.intervalMs !== undefined) {
    throw new UsageError(
      '-r and -I exclude each other: the intervals of several runs have no mean',
    );
  }
  if (isAttached) return { target: attachedTarget(pids ?? [], tids ?? []), notices: [] };
  if (words.length === 0) return { target: { kind: 'system', command: null }, notices: [] };
  const user = chooseUser(options);
  const command = resolveCommand(words, env === undefined ? {} : { env }, user);
  const target: StatTarget = systemWide
    ? { kind: 'system', command }
    : { kind: 'command', command };
  const unprofilable = systemWide ? null : explainUnprofilable(command);
  return { target, notices: [...user.notes, ...(unprofilable === null ? [] : [unprofilable])] };
}

function attachedTarget(ids: readonly number[], tids: readonly number[]): StatTarget {
  const pids = processesOf(ids);
  const all = [...tids];
  for (const pid of pids) {
    const threads = listThreads(pid);
    if (threads.length === 0) {
      throw new FailedError(`no such process: ${pid}`, [], EXIT.FAILED, 'ESRCH');
    }
    all.push(...threads);
  }
  return { kind: 'threads', tids: [...new Set(all)], pids };
}
