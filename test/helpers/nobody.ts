// Running as a user without any privilege.

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLI } from './cli.ts';

export const NOBODY = 65534;

/** Words to put before a command. */
export const AS_NOBODY = [
  'setpriv',
  `--reuid=${NOBODY}`,
  `--regid=${NOBODY}`,
  '--clear-groups',
] as const;

/** `kernel.perf_event_paranoid`. */
export function paranoidLevel(): number {
  return Number(readFileSync('/proc/sys/kernel/perf_event_paranoid', 'utf8'));
}

/** Whether such a user reaches perf-ts and `program` here: a checkout may lie in a closed folder. */
export function canRunAsNobody(program: string): boolean {
  const words = [...AS_NOBODY, process.execPath, CLI, '--version'];
  const perfTs = spawnSync(words[0], words.slice(1), { stdio: 'ignore' });
  const test = spawnSync('setpriv', [...AS_NOBODY.slice(1), 'test', '-x', program]);
  return perfTs.status === 0 && test.status === 0;
}

/** Whether the kernel lets such a user record user space code of its own programs. */
export function canRecordAsNobody(program: string): boolean {
  return canRunAsNobody(program) && paranoidLevel() <= 2;
}

/** A new directory that everybody may write to. */
export function openDirectory(parent: string, name: string): string {
  chmodSync(parent, 0o755);
  const path = mkdtempSync(join(parent, `${name}-`));
  chmodSync(path, 0o777);
  return path;
}
