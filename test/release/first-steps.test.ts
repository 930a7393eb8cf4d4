// The first steps of an ordinary user with an empty home, who has installed perf-ts, and the examples that it brings.

import { spawnSync } from 'node:child_process';
import { chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { CLI, scratchDirectory } from '../helpers/cli.ts';
import { describeLiveAsUser } from '../helpers/live.ts';
import { AS_NOBODY, NOBODY } from '../helpers/nobody.ts';

/** A program of JavaScript that computes for about a second. */
const PROGRAM = `function hash(text) {
  let sum = 0;
  for (let i = 0; i < text.length; i++) sum = (sum * 31 + text.charCodeAt(i)) | 0;
  return sum;
}
const end = Date.now() + 1000;
let sum = 0;
while (Date.now() < end) sum ^= hash('perf'.repeat(1000));
`;
/** Names of perf-ts's own files, and doubts about them: no report has such. */
const OWN_FILES = /no names for .*perf-ts|code-events\.so|dist\/register\//;
/** In bytes: the example that dumps a recording prints a line for each record. */
const LONGEST_OUTPUT = 2 ** 28;

describeLiveAsUser('the first steps of an ordinary user', () => {
  const home = scratchDirectory();
  const isRoot = process.getuid?.() === 0;
  const env = { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8' };
  /** Standard output and errors of a script that has to succeed. */
  const run = (script: string, ...args: readonly string[]): string => {
    const words = [...(isRoot ? AS_NOBODY : []), process.execPath, script, ...args];
    const options = { cwd: home, env, encoding: 'utf8', maxBuffer: LONGEST_OUTPUT } as const;
    const { status, stdout, stderr } = spawnSync(words[0], words.slice(1), options);
    expect(status, stderr).toBe(0);
    return stdout + stderr;
  };

  beforeAll(() => {
    writeFileSync(join(home, 'app.js'), PROGRAM);
    if (isRoot) chownSync(home, NOBODY, NOBODY);
    run(CLI, 'record', '-g', '-F', '999', '--', 'node', 'app.js');
  });

  it('a report names the functions of a Node program', () => {
    expect(run(CLI, 'report')).toMatch(/\bhash\b/);
  });

  it.each(['report', 'report --frames javascript', 'report -n 1 --frames all'])(
    "%s has no files of perf-ts's own",
    (line) => {
      expect(run(CLI, ...line.split(' '))).not.toMatch(OWN_FILES);
    },
  );

  it('a page is exported, and a program counted', () => {
    run(CLI, 'export', '--format', 'html', '-o', 'app.html');
    run(CLI, 'stat', '--', 'node', '-e', '0');
  });

  it.each([
    ['dump-perf-data', 'perf.data'],
    ['export-all', 'perf.data'],
    ['top-functions', 'node', 'app.js'],
  ])('the example %s runs from where it is installed', (name, ...args) => {
    run(join(CLI, '../../../examples', `${name}.mjs`), ...args);
  });
});
