// Puts into one directory what a machine of another architecture needs to record with this build:
// dist/, the addon and the program, both cross-built, and the packages that are loaded at run time.
// Nothing is written beside the sources: build/ keeps the addon of this machine.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileAddon } from '../../native/compile.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

/**
 * @param {object} options
 * @param {string} options.app where to put it all; what lies there is replaced
 * @param {string} options.arch as `process.arch` says it there: arm64
 * @param {string} options.toolPrefix of the cross compiler: aarch64-linux-gnu-
 */
export async function buildApp({ app, arch, toolPrefix }) {
  rmSync(app, { recursive: true, force: true });
  copyPackage(app);
  for (const name of ['cases.mjs', 'measure.mjs', 'stat-cases.mjs']) {
    cpSync(join(root, 'test/guest', name), join(app, name));
  }
  buildProgram(join(app, 'phases'), `${toolPrefix}gcc`);
  await compileAddon({
    name: 'perf_ts',
    compiler: [`${toolPrefix}g++`],
    objects: join(app, 'obj'),
    output: join(app, 'prebuilds', `linux-${arch}`, 'perf-ts.glibc.node'),
  });
  rmSync(join(app, 'obj'), { recursive: true });
}

/** Copies the built package and the packages that it loads, without an addon. */
export function copyPackage(app) {
  mkdirSync(app, { recursive: true });
  cpSync(join(root, 'dist'), join(app, 'dist'), { recursive: true });
  cpSync(join(root, 'package.json'), join(app, 'package.json'));
  for (const name of runTimePackages()) {
    const from = join(root, 'node_modules', name);
    cpSync(from, join(app, 'node_modules', name), { recursive: true, dereference: true });
  }
}

/** The package's dependencies and theirs. */
function runTimePackages() {
  const found = new Set();
  const add = (file) => {
    for (const name of Object.keys(JSON.parse(readFileSync(file, 'utf8')).dependencies ?? {})) {
      if (found.has(name)) continue;
      found.add(name);
      add(join(root, 'node_modules', name, 'package.json'));
    }
  };
  add(join(root, 'package.json'));
  return found;
}

/** Static, so that it runs where the compiler's libraries are not. */
export function buildProgram(output, compiler) {
  const source = join(root, 'test/guest/phases.c');
  const flags = ['-O2', '-Wall', '-Wextra', '-static', '-pthread'];
  execFileSync(compiler, [...flags, '-o', output, source], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}
