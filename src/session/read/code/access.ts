import { spawnSync } from 'node:child_process';
import { constants } from 'node:fs';
import type { SymbolSource } from '../../../symbols/symbol-request.ts';
import { chooseUser } from '../../launch/run-as.ts';

/**
 * Whether the person who runs perf-ts could read this file without it. The recording names its files,
 * so a stranger may: for root every file is open, and the bytes of this one will be shown. Plain root
 * gets its own files and those that everybody may read.
 */
export function mayInvokerRead({ file }: SymbolSource): boolean {
  if (file === undefined || process.geteuid?.() !== 0) return true;
  const { change } = chooseUser({});
  const isForAll = (file.mode & constants.S_IROTH) !== 0;
  if (change === null) return file.uid === 0 || isForAll;
  // Whether the way to it is open only the kernel knows.
  const test = spawnSync('/usr/bin/test', ['-r', file.path], {
    uid: change.uid,
    gid: change.gid,
    cwd: '/',
    env: {},
    timeout: 2000,
    stdio: 'ignore',
  });
  return test.status === 0;
}
