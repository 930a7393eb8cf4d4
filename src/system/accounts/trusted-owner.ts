// Whose files are believed. JITs write perf maps, jitdumps and notes of their own into /tmp, where
// everybody may put a file of any name: what stands in one names the code of a process that may be
// trusted more than the folder. The owner decides, as only root can give a file away. Believed are
//
//   1. root, who may write whatever we read;
//   2. the user of this process;
//   3. the users whom the caller names: of the recorded process, of the command, of the recording;
//   4. for root only, who called sudo, because the recorded command has run as that user and may have
//      ended by now. SUDO_UID alone is no proof of that: the accounts have to confirm it, as where the
//      command's user is chosen. What another user than root has in SUDO_UID does not count at all.

import { type Accounts, parseId } from './accounts.ts';
import { type Caller, findSudoCaller, thisProcess } from './sudo-caller.ts';
import { systemAccounts } from './system-accounts.ts';

/** Whether a file of user `uid` is believed; `others` are the users of rule 3. */
export function isTrustedOwner(
  uid: number,
  others: readonly number[],
  { euid, env }: Caller = thisProcess(),
  readAccounts: () => Accounts = systemAccounts,
): boolean {
  if (uid === 0 || uid === euid || others.includes(uid)) return true;
  // The accounts may be on another machine: they are asked only where the answer can be yes.
  if (euid !== 0 || parseId(env.SUDO_UID) !== uid) return false;
  const sudoCaller = findSudoCaller(env, readAccounts());
  return sudoCaller?.kind === 'user' && sudoCaller.account.uid === uid;
}
