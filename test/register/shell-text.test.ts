import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { optionsOf } from '../../src/system/runtimes/node-session.ts';
import { shellTextModule } from '../../src/system/runtimes/register-modules.ts';
import { projectRoot } from '../helpers/cli.ts';

const { withOptionsInShell } = shellTextModule();
const BOOT = join(projectRoot, 'dist/register/boot.cjs');
const OPTIONS = optionsOf({ boot: BOOT });

const changed = (text: string, option = '-c'): string | undefined =>
  withOptionsInShell(['/bin/sh', option, text, 'zero', 'one'], OPTIONS)?.[2];

/** Output of a shell that runs this text, and of a Node within it. */
function outputOf(text: string, env: NodeJS.ProcessEnv): string {
  const given = {
    ...process.env,
    NODE_OPTIONS: undefined,
    NODE: process.execPath,
    SHOW: 'console.log(JSON.stringify([process.env.NODE_OPTIONS, process.execArgv]))',
    ...env,
  };
  const { stdout, stderr, status } = spawnSync('sh', ['-c', text, 'zero', 'one'], {
    encoding: 'utf8',
    env: given,
  });
  return JSON.stringify([stdout, stderr, status]);
}

const RUN = '"$NODE" -e "$SHOW"';

test.each([
  `NODE_OPTIONS=--no-warnings ${RUN}`,
  `NODE_OPTIONS="--no-warnings --stack-trace-limit=3" ${RUN}`,
  `NODE_OPTIONS='--no-warnings' FOO="a b" ${RUN}`,
  `NODE_OPTIONS= ${RUN}`,
  `NODE_OPTIONS="$NODE_OPTIONS --no-warnings" ${RUN}`,
  `NODE_OPTIONS=--stack-trace-limit=\${FOO:-3} ${RUN}`,
  `export FOO=1 NODE_OPTIONS=--no-warnings; ${RUN}; ${RUN}`,
  `env FOO=1 NODE_OPTIONS=--no-warnings ${RUN}`,
  `echo 'NODE_OPTIONS=a' "NODE_OPTIONS=b" \\; && if true; then NODE_OPTIONS=--no-warnings ${RUN}; fi`,
  `# NODE_OPTIONS=a "\nNODE_OPTIONS=--no-warnings ${RUN}; exit 3`,
  `(NODE_OPTIONS=--no-warnings ${RUN}) | cat; ${RUN} $0 $1`,
])(
  'a Node that a shell gives options of its own loads the preload too, and sees its own alone: %s',
  (text) => {
    const recorded = changed(text) ?? '';
    expect(recorded.replaceAll(`' ${OPTIONS} '`, '')).toBe(text);
    // A preload whose recorder is gone takes itself out, and does nothing else.
    const session = {
      boot: BOOT,
      words: OPTIONS,
      program: '/nonexistent',
      owner: 0,
      recorder: '1-1-1',
    };
    const env = { NODE_OPTIONS: OPTIONS, PERF_TS_SESSION: JSON.stringify(session) };
    expect(outputOf(recorded, env)).toBe(outputOf(text, {}));
  },
);

test.each([
  'node app.js',
  'echo NODE_OPTIONS=--no-warnings',
  'docker run -e NODE_OPTIONS=--no-warnings image',
  'env -i NODE_OPTIONS=--no-warnings node app.js',
  'cross-env NODE_OPTIONS=--no-warnings node app.js',
  'cat <<END\nNODE_OPTIONS=--no-warnings\nEND',
  'NODE_OPTIONS=$(options) node app.js',
  'NODE_OPTIONS=`options` node app.js',
  'NODE_OPTIONS="--no-warnings node app.js',
])(
  'a text is not changed where nothing is assigned, or it takes more to understand it: %s',
  (text) => {
    expect(changed(text)).toBeUndefined();
  },
);

test('only texts of shells are changed, and none that a shell prints', () => {
  const text = 'NODE_OPTIONS=--no-warnings node app.js';
  expect(changed(text)).toContain(BOOT);
  expect(changed(text, '-lc')).toContain(BOOT);
  expect(changed(text, '-xc')).toBeUndefined();
  expect(withOptionsInShell(['python3', '-c', text], OPTIONS)).toBeNull();
  expect(withOptionsInShell(['sh', '-c', text], "--require /it's/boot.cjs")).toBeNull();
});
