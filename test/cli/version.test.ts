import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cleanEnvironment, perfTs, projectRoot, scratchDirectory } from '../helpers/cli.ts';

const scratch = scratchDirectory();
const preload = join(scratch, 'note-modules.cjs');
writeFileSync(
  preload,
  `process.on('exit', () =>
  require('node:fs').writeFileSync(process.env.NOTED, process.moduleLoadList.join('\\n')));\n`,
);

/** The modules of Node that a run of perf-ts has loaded, and what it printed. */
function modulesOf(word: string) {
  const noted = join(scratch, `modules${word}`);
  const env = { ...cleanEnvironment(), NODE_OPTIONS: `--require ${preload}`, NOTED: noted };
  const { status, stdout } = perfTs([word], { env });
  expect(status).toBe(0);
  return { stdout, modules: readFileSync(noted, 'utf8').split('\n') };
}

test('--version prints the version of the package and does not load the program', () => {
  const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'));
  // The program's parser of options loads it.
  const ofProgram = 'NativeModule child_process';
  expect(modulesOf('--help').modules).toContain(ofProgram);
  for (const word of ['--version', '-V']) {
    const { stdout, modules } = modulesOf(word);
    expect(stdout).toBe(`${version}\n`);
    expect(modules).not.toContain(ofProgram);
  }
});
