import { accessSync, constants, statSync } from 'node:fs';
import { printable } from '../../base/printable.ts';
import { type Text, words } from '../../base/words.ts';
import type { CommandSpec } from '../../native/types.ts';
import { USER } from '../../options/user.ts';
import { fsPath } from '../files/byte-path.ts';

/** Node's constants lack these two. */
const S_ISUID = 0o4000;
const S_ISGID = 0o2000;

/**
 * Why nothing of this program will be recorded, null where nothing is known against it. When a
 * program changes its user as it starts, or may be executed and not read, the kernel closes the
 * events of who started it, and reports no error.
 */
export function explainUnprofilable({
  path,
  user,
}: Pick<CommandSpec, 'path' | 'user'>): Text | null {
  const uid = user?.uid ?? process.geteuid?.() ?? 0;
  if (uid === 0) return null;
  const groups = user?.groups ?? [process.getegid?.() ?? 0, ...(process.getgroups?.() ?? [])];
  const stops = 'the kernel stops its events at its exec, so nothing of it will be recorded';
  const cure = words`record it as root with ${USER.asRoot}`;
  try {
    const { mode, uid: owner, gid } = statSync(fsPath(path));
    const changesUser = (mode & S_ISUID) !== 0 && owner !== uid;
    const changesGroup = (mode & S_ISGID) !== 0 && !groups.includes(gid);
    if (changesUser || changesGroup) {
      return words`${printable(path)} is set${changesUser ? 'u' : 'g'}id: ${stops}; ${cure}`;
    }
    // Of another user only the kernel knows.
    if (user !== undefined) return null;
    accessSync(fsPath(path), constants.R_OK);
    return null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') return null;
    return `${printable(path)} may be executed and not read: ${stops}; ${cure}`;
  }
}
