// Tries the package before it is released: builds all four addons, packs, and installs and runs what was
// packed. Needs the npm registry, g++ and g++-aarch64-linux-gnu; as root also the machines of debootstrap.
//   npm run release:check -- [PART...]       parts: package managers runtimes machines
// Exit status 1 where something is not as promised.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ZIG } from '../../native/prebuild.mjs';
import { tryMachines } from './machines.mjs';
import { checkPackage } from './package-facts.mjs';
import { tryPackageManagers } from './package-managers.mjs';
import { tryRuntimes } from './runtimes.mjs';

const PARTS = {
  package: checkPackage,
  managers: tryPackageManagers,
  runtimes: tryRuntimes,
  machines: tryMachines,
};

const root = fileURLToPath(new URL('../../', import.meta.url));
const wanted = process.argv.slice(2);
const scratch = mkdtempSync(join(tmpdir(), 'perf-ts-release-'));
const failed = [];

/** Runs one check by name. `check` returns what there is to report, or throws. */
async function attempt(name, check) {
  try {
    const note = await check();
    console.log(`ok      ${name}${note ? `: ${note}` : ''}`);
  } catch (error) {
    failed.push(name);
    console.log(`not ok  ${name}: ${error.stderr || error.stdout || error.message}`);
  }
}

try {
  // It waits for the compiler of musl, which is needed here alone.
  const zig = join(root, 'build/zig');
  mkdirSync(zig, { recursive: true });
  run('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--prefix', zig, ZIG]);
  const packed = run('npm', ['pack', '--silent', '--pack-destination', scratch]).trim();
  const context = { root, scratch, tarball: join(scratch, packed), zig };
  for (const [part, check] of Object.entries(PARTS)) {
    if (wanted.length === 0 || wanted.includes(part)) await check(context, attempt);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
console.log(failed.length === 0 ? 'the package is as promised' : `failed: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;

function run(program, args) {
  const stdio = ['ignore', 'pipe', 'inherit'];
  return execFileSync(program, args, { cwd: root, encoding: 'utf8', stdio });
}
