// The scripts of docs/how-to/gate-a-pull-request.md, with the folders that a runner has, and two runs a side.

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CLI, scratchDirectory } from '../helpers/cli.ts';
import { describeLive } from '../helpers/live.ts';

const PAGE = join(import.meta.dirname, '../../docs/how-to/gate-a-pull-request.md');
const [GITHUB, GITLAB] = [...readFileSync(PAGE, 'utf8').matchAll(/```yaml\n([^`]*)```/g)].map(
  ([, text]) => text,
);

/** Parses for some 0.3 s, from another line than the other side does. */
function bench(moved: string): string {
  return `${moved}function parse(end) {
  let sum = 0;
  while (Date.now() < end) sum += JSON.parse('[1, 2, 3]').length;
  return sum;
}
console.log(parse(Date.now() + 300));
`;
}

/** A folder with both sides and the installed program, as the steps before have left it. */
function runner(base: string, head: string): string {
  const folder = scratchDirectory();
  for (const [side, moved] of [
    [base, ''],
    [head, '// A line more.\n'],
  ]) {
    mkdirSync(join(folder, side, 'dist'), { recursive: true });
    writeFileSync(join(folder, side, 'dist/bench.js'), bench(moved));
  }
  const bin = join(folder, 'tools/node_modules/.bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'perf-ts'), `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`);
  chmodSync(join(bin, 'perf-ts'), 0o755);
  return folder;
}

/** The functions that the summary judges; what the script said goes with a failure. */
function judged(script: string, cwd: string, env: NodeJS.ProcessEnv): string[] {
  const fewer = script.replace('1 2 3 4 5', '1 2');
  expect(fewer).not.toBe(script);
  const { stderr } = spawnSync('bash', ['-e', '-c', fewer], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  const summary = readFileSync(join(cwd, 'summary.md'), 'utf8');
  const rows = summary.split('\n').filter((line) => line.includes('`share(parse)'));
  expect(rows, stderr).not.toEqual([]);
  return rows.map((row) => row.split(' | ')[2]);
}

describeLive('a function is one on both sides, by the script', () => {
  test('the recipe for GitHub Actions matches the function on both sides', () => {
    const folder = runner('base', 'head');
    const steps = [...GITHUB.matchAll(/run: \|\n((?: {10}.*\n)+)/g)].map(([, text]) => text);
    expect(steps).toHaveLength(2);
    const env = { RUNNER_TEMP: folder, GITHUB_STEP_SUMMARY: join(folder, 'step.md') };
    expect(judged(steps.join(''), folder, env)).toEqual(['`parse dist/bench.js:2`']);
  });

  test('the recipe for GitLab matches the function on both sides', () => {
    const folder = runner('base', 'head');
    const project = join(folder, 'head');
    const script = /- (for run in.*> summary\.md)\n/s.exec(GITLAB)?.[1] ?? '';
    const env = {
      CI_PROJECT_DIR: project,
      PATH: `${join(folder, 'tools/node_modules/.bin')}:${process.env.PATH}`,
    };
    expect(judged(script.replace('\n    - ', '\n'), project, env)).toEqual([
      '`parse dist/bench.js:2`',
    ]);
  });
});
