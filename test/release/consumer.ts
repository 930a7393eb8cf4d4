// A project that uses the installed package, in a folder of its own.

import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLI, projectRoot, scratchDirectory } from '../helpers/cli.ts';

const TSC = join(projectRoot, 'node_modules/.bin/tsc');
const STRICT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  target: 'es2022',
  lib: ['es2022'],
};

/** `withNode`: whether @types/node is there. */
export function makeConsumer(withNode: boolean): string {
  const folder = scratchDirectory();
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(join(CLI, '../../..'), join(folder, 'node_modules/perf-ts'));
  if (withNode)
    symlinkSync(join(projectRoot, 'node_modules/@types'), join(folder, 'node_modules/@types'));
  return folder;
}

/** The compiler's errors, '' for none; JavaScript is written beside the programs. */
export function compile(folder: string, files: readonly string[], options: object): string {
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...STRICT, ...options }, files }),
  );
  const { stdout, stderr } = spawnSync(TSC, ['-p', folder], { encoding: 'utf8' });
  return stdout + stderr;
}
