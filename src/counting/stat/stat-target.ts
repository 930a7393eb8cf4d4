import { failedBy, UsageError } from '../../base/errors.ts';
import { commandOnly, type Text, words } from '../../base/words.ts';
import { checkOptions } from '../../options/check.ts';
import { FIND_PROCESS } from '../../options/kinds.ts';
import type { StatOptions } from '../../options/stat.ts';
import { STAT } from '../../options/stat.ts';
import { chooseUser } from '../../system/accounts/run-as.ts';
import { resolveCommand } from '../../system/launch/resolve-command.ts';
import { explainUnprofilable } from '../../system/launch/unprofilable.ts';
import { processesOf } from '../../system/processes/attached.ts';
import { listThreads } from '../../system/processes/thread-stat.ts';
import type { StatTarget } from './stat-options.ts';

/** Whom to count, from options that may contradict each other. Throws UsageError. */
export function chooseTarget(options: StatOptions): {
  readonly target: StatTarget;
  readonly notices: readonly Text[];
} {
  checkOptions(STAT, options, 'a count');
  const { pids, tids, cgroups, env, aggregation = 'total' } = options;
  const command = options.command ?? [];
  const systemWide =
    options.systemWide === true || options.cpus !== undefined || cgroups !== undefined;
  const isAttached = pids !== undefined || tids !== undefined;
  if (isAttached && (systemWide || command.length > 0)) {
    throw new UsageError(
      words`${STAT.pids} and ${STAT.tids} count what runs already: leave ${STAT.systemWide}, ${STAT.cpus}, ${STAT.cgroups} and the command out`,
      [words`to stop by itself use ${STAT.durationMs}`],
    );
  }
  if (!isAttached && !systemWide && command.length === 0) {
    throw new UsageError('nothing to count', [
      commandOnly('a command:        perf-ts stat -- ./app'),
      commandOnly('a process:        perf-ts stat -p PID'),
      commandOnly('the whole system: perf-ts stat -a --duration 10'),
    ]);
  }
  if (
    !systemWide &&
    (aggregation === 'cpu' || aggregation === 'core' || aggregation === 'socket')
  ) {
    throw new UsageError(words`counts by ${aggregation} are of whole CPUs: add ${STAT.systemWide}`);
  }
  if (!isAttached && aggregation === 'thread') {
    throw new UsageError(
      words`${STAT.aggregation.as('thread')} counts threads that run already: add ${STAT.pids} or ${STAT.tids}`,
    );
  }
  if ((options.repeat ?? 1) > 1 && command.length === 0) {
    throw new UsageError(words`${STAT.repeat} runs a command several times: name one`);
  }
  if ((options.repeat ?? 1) > 1 && options.intervalMs !== undefined) {
    throw new UsageError(
      words`${STAT.repeat} and ${STAT.intervalMs} exclude each other: the intervals of several runs have no mean`,
    );
  }
  if (isAttached) return { target: attachedTarget(pids ?? [], tids ?? []), notices: [] };
  if (command.length === 0) return { target: { kind: 'system', command: null }, notices: [] };
  const user = chooseUser(options);
  const resolved = resolveCommand(command, env === undefined ? {} : { env }, user);
  const target: StatTarget = systemWide
    ? { kind: 'system', command: resolved }
    : { kind: 'command', command: resolved };
  const unprofilable = systemWide ? null : explainUnprofilable(resolved);
  return { target, notices: [...user.notes, ...(unprofilable === null ? [] : [unprofilable])] };
}

function attachedTarget(ids: readonly number[], tids: readonly number[]): StatTarget {
  const pids = processesOf(ids);
  const all = [...tids];
  for (const pid of pids) {
    const threads = listThreads(pid);
    if (threads.length === 0) {
      throw failedBy('ESRCH', `no such process: ${pid}`, [commandOnly(FIND_PROCESS)]);
    }
    all.push(...threads);
  }
  return { kind: 'threads', tids: [...new Set(all)], pids };
}
