import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { failedBy } from '../../base/errors.ts';
import { systemErrorReason } from '../../base/system-error.ts';
import { words } from '../../base/words.ts';
import { RECORD } from '../../options/record.ts';
import type { ChosenUser } from '../../system/accounts/run-as.ts';
import type { CommandExit } from '../recording.ts';

/**
 * Runs a line of shell with our streams and resolves when it has ended. It runs as the recorded
 * command does: under sudo as whoever called sudo. Aborting ends it by SIGTERM.
 */
export function runLoad(
  line: string,
  { change, env }: Pick<ChosenUser, 'change' | 'env'>,
  signal: AbortSignal,
): Promise<CommandExit> {
  return new Promise((resolve, reject) => {
    const load: ChildProcess = spawn('/bin/sh', ['-c', line], {
      stdio: 'inherit',
      env: { ...process.env, ...env },
      ...(change !== null && { uid: change.uid, gid: change.gid }),
    });
    const end = (): void => {
      load.kill('SIGTERM');
    };
    signal.addEventListener('abort', end, { once: true });
    load.once('error', (error) => {
      signal.removeEventListener('abort', end);
      reject(
        failedBy(
          error,
          words`${RECORD.load}: /bin/sh cannot be started: ${systemErrorReason(error)}`,
        ),
      );
    });
    load.once('exit', (status, name) => {
      signal.removeEventListener('abort', end);
      resolve({ status: status ?? -1, signal: name === null ? 0 : constants.signals[name] });
    });
  });
}
