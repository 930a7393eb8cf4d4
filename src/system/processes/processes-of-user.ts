import { FailedError, UsageError } from '../../base/errors.ts';
import { parseId } from '../accounts/accounts.ts';
import { systemAccounts } from '../accounts/system-accounts.ts';
import { noteAsked } from '../asked-files.ts';
import { statOrNull } from '../small-file.ts';
import { listProcesses } from './system-processes.ts';

/**
 * The processes that run as `user`, a name or uid, without this one. What they start is followed;
 * what others start for that user later is not.
 */
export function processesOfUser(user: string): number[] {
  const uid = systemAccounts().byName(user)?.uid ?? parseId(user);
  if (uid === null) throw new UsageError(`-u ${user}: no such user`);
  const pids = listProcesses().filter((pid) => pid !== process.pid && uidOfProcess(pid) === uid);
  if (pids.length === 0) throw new FailedError(`-u ${user}: no process runs as this user`);
  return pids;
}

/** The user a live process runs as; null if it is gone. */
export function uidOfProcess(pid: number): number | null {
  noteAsked(`/proc/${pid}`);
  return statOrNull(`/proc/${pid}`)?.uid ?? null;
}
