// Machines that nobody has used, without a compiler: a new user installs and records (first-use.sh).

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const SUITES = { bullseye: 'glibc 2.31', bookworm: 'glibc 2.36', trixie: 'glibc 2.41' };

export async function tryMachines({ root, tarball }, attempt) {
  if (process.getuid() !== 0) {
    console.log('skipped machines of debootstrap: they need root');
    return;
  }
  for (const [suite, libc] of Object.entries(SUITES)) {
    for (const user of ['root', 'user']) {
      await attempt(`${suite} (${libc}), ${user}`, () => {
        const words = [join(root, 'test/fresh-machine.sh'), suite, user, '--bare', tarball];
        const { status, stdout, stderr } = spawnSync('bash', words, { encoding: 'utf8' });
        if (status !== 0) throw new Error(`${stdout}${stderr}`);
        return /^first use: (.*)$/m.exec(stdout)?.[1];
      });
    }
  }
}
