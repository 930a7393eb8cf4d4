import { accessSync, constants, statSync } from 'node:fs';
import { systemErrorReason } from '../../base/system-error.ts';
import { fsPath } from '../files/byte-path.ts';

/** glibc's choice where PATH is not set at all. */
export const DEFAULT_PATH = '/bin:/usr/bin';

/** The files that execvp(3) tries for a name without a slash, in its order; an empty folder is the current one. */
export function candidatesOf(name: string, path: string): string[] {
  // execve("") fails, so an empty name is found nowhere.
  if (name === '') return [];
  return path.split(':').map((folder) => `${folder === '' ? '.' : folder}/${name}`);
}

/** The first file that PATH leads to and that this process may execute; null where there is none. */
export function findOnPath(name: string, path = process.env.PATH ?? DEFAULT_PATH): string | null {
  return candidatesOf(name, path).find((file) => whyNotExecutable(file) === null) ?? null;
}

/**
 * The reason that keeps this process from executing `file`: null for nothing, `absent` when there is no such
 * file. Root may execute what anyone may; where the user whom the command becomes is refused, exec
 * itself states so.
 */
export function whyNotExecutable(file: string): string | null {
  try {
    if (statSync(fsPath(file)).isDirectory()) return 'it is a directory';
    accessSync(fsPath(file), constants.X_OK);
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'absent';
    return code === 'EACCES' ? 'permission denied' : systemErrorReason(error);
  }
}
