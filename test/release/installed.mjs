// The package that `npm pack` makes on this machine, installed outside of any checkout: stripped addons, other paths, no sources.
// Vitest calls it before the lane `installed`, whose files find the program by PERF_TS_CLI; with that set, nothing is
// packed.

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addByNpm, installByNpm } from './package-managers.mjs';

const QUERY_ENGINE = '@duckdb/node-api';
const root = fileURLToPath(new URL('../../', import.meta.url));

/** Installs what was packed for the files of a project of vitest, and returns what removes it. */
export default function installPacked(project) {
  if (process.env.PERF_TS_CLI !== undefined) return;
  const scratch = mkdtempSync(join(tmpdir(), 'perf-ts-installed-'));
  const remove = () => rmSync(scratch, { recursive: true, force: true });
  process.on('exit', remove);
  chmodSync(scratch, 0o755);
  const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', scratch], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, PERF_TS_PACK: 'here' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const folder = join(scratch, 'a project');
  installByNpm(folder, join(scratch, packed.trim()));
  // Without it perf-ts is complete but for SQL, whose pages begin with its installation.
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  addByNpm(folder, `${QUERY_ENGINE}@${devDependencies[QUERY_ENGINE]}`);
  execFileSync('chmod', ['-R', 'a+rX', folder]);
  project.config.env.PERF_TS_CLI = join(folder, 'node_modules/perf-ts/dist/bin/main.js');
  return remove;
}
