// File systems of a test's own, which nobody else on the machine sees.

import { spawnSync } from 'node:child_process';

/** Whether this process may mount file systems in a namespace of its own. */
export function canMount(): boolean {
  const words = ['-m', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'];
  return process.geteuid?.() === 0 && spawnSync('unshare', words, { stdio: 'ignore' }).status === 0;
}

/** Words to put before a command: `script` is run first, in a mount namespace that ends with the command. */
export function inMountNamespace(script: string): string[] {
  return ['unshare', '-m', 'sh', '-ec', `${script}\nexec "$@"`, 'sh'];
}
