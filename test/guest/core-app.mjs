// The directory from which the core cases run: the built package with an addon, the cases, and the
// programs that they record.

import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyPackage } from './build-app.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

const CORE_FILES = ['core-cases.mjs', 'view-case.mjs', 'core-run.mjs', 'perf-ts-runs.mjs'];

/** C programs of test/helpers. */
const PROGRAMS = ['workload', 'waits'];

/**
 * @param {string} app where to put it all
 * @param {object} options
 * @param {string} options.addon path of a built addon in the repository, and in `app`
 * @param {string} options.compiler C compiler for the machine on which the cases run
 */
export function makeCoreApp(app, { addon, compiler }) {
  copyPackage(app);
  mkdirSync(join(app, dirname(addon)), { recursive: true });
  copyFileSync(join(root, addon), join(app, addon));
  for (const name of CORE_FILES) copyFileSync(join(root, 'test/guest', name), join(app, name));
  buildPrograms(join(app, 'programs'), compiler);
}

/** The recorded programs, with symbols and frame pointers, and without libraries. */
export function buildPrograms(folder, compiler) {
  mkdirSync(folder, { recursive: true });
  const flags = ['-O2', '-g', '-fno-omit-frame-pointer', '-pthread', '-static'];
  for (const name of PROGRAMS) {
    const source = join(root, 'test/helpers', `${name}.c`);
    execFileSync(compiler, [...flags, '-o', join(folder, name), source]);
  }
}
