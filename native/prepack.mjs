// Makes what is packed and not in the repository: dist/, and prebuilds/ for all machines that the package
// promises to run on. PERF_TS_PACK=here packs for this processor alone, with the compilers that are here.
// npm runs it before `npm pack`, also in a checkout in which nothing was installed yet.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Its output goes to stderr: stdout is the packed file's name, or JSON. */
function run(command, ...args) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) {
    console.error(`perf-ts is not packed: ${[command, ...args].join(' ')} failed`);
    process.exit(1);
  }
}

if (!existsSync(join(root, 'node_modules/.package-lock.json'))) {
  run('npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund');
}
const targets = process.env.PERF_TS_PACK === 'here' ? ['--here'] : [];
run(process.execPath, 'native/prebuild.mjs', ...targets);
run('npm', 'run', '--silent', 'build:package');
