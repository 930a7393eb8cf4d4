import { constants, statSync } from 'node:fs';
import { lateModules } from '../../base/late-modules.ts';
import type { SymbolSource } from '../../code/symbols/symbol-request.ts';
import { findLoginUser } from '../../system/accounts/login-user.ts';
import { chooseUser } from '../../system/accounts/run-as.ts';
import { systemAccounts } from '../../system/accounts/system-accounts.ts';

/** A user by whose rights a file is read, without the groups that are not the user's first one. */
export type Reader = { readonly uid: number; readonly gid: number };

/** `nogroup`: for a user whom this machine does not know. */
const NO_GROUP = 65534;

/**
 * For root every file is open, and a recording names the files that are shown of it, so a stranger
 * may. These are the users whose rights count as well as root's: who called sudo, or else who logged
 * in, as the page is for both; and who owns the recording, who may have written anything into it. None
 * of them: root alone sees it, in a recording of its own.
 */
export function readersBesidesRoot(recording: string): Reader[] {
  if (process.geteuid?.() !== 0) return [];
  const { change } = chooseUser({});
  const readers: Reader[] = change === null ? [] : [{ uid: change.uid, gid: change.gid }];
  const login = change === null ? findLoginUser() : null;
  if (login !== null) {
    readers.push({ uid: login, gid: systemAccounts().byUid(login)?.gid ?? NO_GROUP });
  }
  const owner = recording === '-' ? undefined : statSync(recording, { throwIfNoEntry: false });
  if (owner !== undefined) readers.push({ uid: owner.uid, gid: owner.gid });
  const byUid = new Map(readers.map((reader) => [reader.uid, reader]));
  return [...byUid.values()].filter(({ uid }) => uid !== 0);
}

/** What plain root sees where nobody else does: its own files and those that everybody may read. */
export function isForRoot({ uid, mode }: { uid: number; mode: number }): boolean {
  return uid === 0 || (mode & constants.S_IROTH) !== 0;
}

/**
 * Whether all who will see the bytes of this file could read them without perf-ts. `recording` names
 * it.
 */
export function mayBeShown({ file }: SymbolSource, recording: string): boolean {
  if (file === undefined || process.geteuid?.() !== 0) return true;
  const readers = readersBesidesRoot(recording);
  if (readers.length === 0) return isForRoot(file);
  // Whether the way to it is open only the kernel knows.
  return readers.every(({ uid, gid }) => {
    const test = lateModules.childProcess.spawnSync('/usr/bin/test', ['-r', file.path], {
      uid,
      gid,
      cwd: '/',
      env: {},
      timeout: 2000,
      stdio: 'ignore',
    });
    return test.status === 0;
  });
}
