import { lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { FailedError } from '../../base/errors.ts';
import { isTrusted } from './folder.ts';

/**
 * Makes a folder and those on the way to it. Node's `recursive` never returns where a file system knows no
 * new folders, as `/proc`. Throws the system's error.
 */
export function makeFolders(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    const parent = dirname(path);
    if (code !== 'ENOENT' || parent === path) throw error;
    makeFolders(parent, mode);
    mkdirSync(path, { mode });
  }
}

const WRITABLE_BY_GROUP = 0o020;
const WRITABLE_BY_ALL = 0o002;
const STICKY = 0o1000;

/**
 * Throws `FailedError` where somebody else may put links into a folder or exchange it: it and all above it have to be
 * root's or ours, and it is writable for nobody else, a folder above for a group at most, or as `/tmp`, in which only the
 * owner of an entry moves it.
 */
export function checkOwnFolder(path: string): void {
  const real = realpathSync(path);
  for (let at = real; ; at = dirname(at)) {
    const stat = lstatSync(at);
    const { mode } = stat;
    const isShared = (mode & WRITABLE_BY_ALL) !== 0 && (at === real || (mode & STICKY) === 0);
    const isOpen = isShared || (at === real && (mode & WRITABLE_BY_GROUP) !== 0);
    if (isOpen || !isTrusted(stat)) {
      throw new FailedError(`${at}: others may write into it`, [
        `chmod 700 ${at}, or name another directory`,
      ]);
    }
    if (at === dirname(at)) return;
  }
}
