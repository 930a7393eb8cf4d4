// File systems of a test's own, which nobody else on the machine sees.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Whether this process may mount file systems in a namespace of its own. */
export function canMount(): boolean {
  const words = ['-m', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'];
  return process.geteuid?.() === 0 && spawnSync('unshare', words, { stdio: 'ignore' }).status === 0;
}

/** Words to put before a command: `script` is run first, in a mount namespace that ends with the command. */
export function inMountNamespace(script: string): string[] {
  return ['unshare', '-m', 'sh', '-ec', `${script}\nexec "$@"`, 'sh'];
}

/** Entries of /tmp in which this checkout and this Node lie: a /tmp of a test's own has them, too. */
export const RUN_FROM_TMP: readonly string[] = [
  ...new Set(
    [fileURLToPath(import.meta.url), process.execPath].flatMap(
      (path) => /^\/tmp\/([^/]+)/.exec(path)?.[1] ?? [],
    ),
  ),
];

/** Shell commands that put the folder in the variable `own` in the place of /tmp. */
export const MOUNT_OWN_TMP = [
  ...RUN_FROM_TMP.map(shellWord).flatMap((name) => [
    `mkdir "$own"/${name}`,
    `mount --bind /tmp/${name} "$own"/${name}`,
  ]),
  'mount --rbind "$own" /tmp',
].join(' && ');

function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
