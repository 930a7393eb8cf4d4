import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { cleanEnvironment, projectRoot } from '../../helpers/cli.ts';

/** Runs `body` as a program that has endWith. */
function runWith(body: string) {
  const module = pathToFileURL(join(projectRoot, 'dist/cli/shared/exit.js')).href;
  const words = ['--input-type=module', '-e', `import { endWith } from '${module}';\n${body}`];
  return spawnSync(process.execPath, words, { encoding: 'utf8', env: cleanEnvironment() });
}

test('a command that waits for nothing that can come ends with a status of failure and says so', () => {
  const { status, stderr } = runWith('endWith(new Promise(() => {}));');
  expect(status).toBe(125);
  expect(stderr).toContain('stopped before the work was done');
});

test('a command that ends keeps the status it has set', () => {
  const { status, stderr } = runWith(
    'endWith((async () => { await null; process.exitCode = 3; })());',
  );
  expect(status).toBe(3);
  expect(stderr).toBe('');
});

test('a command that exits by itself keeps that status', () => {
  expect(runWith('endWith(new Promise(() => process.exit(0)));').status).toBe(0);
});
