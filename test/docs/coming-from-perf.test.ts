// The tables of docs/how-to/coming-from-perf.md: each invocation of perf is typed with perf-ts in its place.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileHotPaths } from '../examples/hot-paths.ts';
import { CLI, keepingNames, projectRoot, scratchDirectory } from '../helpers/cli.ts';
import { describeLive } from '../helpers/live.ts';

const page = readFileSync(join(projectRoot, 'docs/how-to/coming-from-perf.md'), 'utf8');

/** The invocations in the first column of the table below a heading. */
function invocationsBelow(heading: string): string[] {
  const text = page.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...text.matchAll(/^\| `perf ([^`]+)`/gm)].map(([, words]) => words);
}

const worksAsIs = invocationsBelow('Works as it is');
const answered = invocationsBelow('Is answered with what there is instead');

it('the page has 40 invocations and more, most of which work', () => {
  expect(worksAsIs.length + answered.length).toBeGreaterThanOrEqual(40);
  expect(worksAsIs.length).toBeGreaterThanOrEqual(36);
});

describeLive('an invocation of perf', () => {
  const folder = scratchDirectory();
  let attached: ChildProcess;

  function type(words: string) {
    // By itself the program computes for two seconds.
    const line = words.replace(/\bPID\b/, String(attached.pid)).replace(/\.\/app$/, './app 0.3');
    const perfTs = `perf-ts() { '${process.execPath}' '${CLI}' "$@"; }`;
    return spawnSync('bash', ['-c', `${perfTs}; perf-ts ${line}`], {
      cwd: folder,
      env: keepingNames(),
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    });
  }

  beforeAll(() => {
    copyFileSync(compileHotPaths(), join(folder, 'app'));
    attached = spawn(join(folder, 'app'), ['600'], { stdio: 'ignore' });
    for (const file of ['old.data', 'out.data', 'perf.data'])
      type(`record -q -g -e cpu-clock -o ${file} ./app 0.3`);
  });
  afterAll(() => {
    attached.kill('SIGKILL');
  });

  describe('that the page says works', () => {
    it.each(worksAsIs)('perf %s', (words) => {
      const { status, stderr } = type(words);
      expect(status, stderr).toBe(0);
    });
  });

  describe('that the page says is answered', () => {
    it.each(answered)('perf %s', (words) => {
      const { status, stdout, stderr } = type(words);
      expect(status).toBe(2);
      expect(stdout).toBe('');
      expect(stderr.split('\n')[1]).toMatch(/perf/);
    });
  });
});
