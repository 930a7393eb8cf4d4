// Tries what `npm pack` makes on this machine, installed outside of any checkout: stripped addons, other paths, no
// sources. An ordinary user with an empty home takes the first steps, then test files run with this perf-ts.
//   node test/release/installed.mjs          exit status 1 where something is not as promised

import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addByNpm, installByNpm } from './package-managers.mjs';

/** Test files that run perf-ts as a program, and the pages whose commands are run. */
const TEST_FILES = [
  'test/docs/run-commands.test.ts',
  'test/live/command-start.test.ts',
  'test/live/command-stdio.test.ts',
  'test/live/jit-maps.test.ts',
  'test/live/node-typescript.test.ts',
];
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
/** What a report must not have: names of perf-ts's own files, and doubts about them. */
const OWN_FILES = /no names for .*perf-ts|code-events\.so|dist\/register\//;
const NOBODY = 65534;
const QUERY_ENGINE = '@duckdb/node-api';
/** In bytes: the example that dumps a recording prints a line for each record. */
const LONGEST_OUTPUT = 2 ** 28;

const root = fileURLToPath(new URL('../../', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'perf-ts-installed-'));
try {
  chmodSync(scratch, 0o755);
  const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', scratch], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, PERF_TS_PACK: 'here' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const project = join(scratch, 'a project');
  installByNpm(project, join(scratch, packed.trim()));
  execFileSync('chmod', ['-R', 'a+rX', project]);
  const perfTs = join(project, 'node_modules/perf-ts');
  takeFirstSteps(perfTs);
  console.log('ok      the first steps of an ordinary user, and the examples');
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  // Without it perf-ts is complete but for SQL, whose pages begin with its installation.
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  addByNpm(project, `${QUERY_ENGINE}@${devDependencies[QUERY_ENGINE]}`);
  execFileSync('chmod', ['-R', 'a+rX', project]);
  const { status } = spawnSync(process.execPath, [vitest, 'run', ...TEST_FILES], {
    cwd: root,
    env: { ...process.env, PERF_TS_CLI: join(perfTs, 'dist/bin/main.js') },
    stdio: 'inherit',
  });
  process.exitCode = status === 0 ? 0 : 1;
} catch (error) {
  console.error(`not ok  ${error.stderr || error.message}`);
  process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** Records, reports, exports and counts as a user without any privilege, and runs examples of the package. */
function takeFirstSteps(perfTs) {
  const home = join(scratch, 'home');
  mkdirSync(home);
  writeFileSync(join(home, 'app.js'), PROGRAM);
  const isRoot = process.getuid() === 0;
  if (isRoot) chownSync(home, NOBODY, NOBODY);
  const env = { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8' };
  const run = (...words) => {
    const { status, error, stdout, stderr } = spawnSync(process.execPath, words, {
      cwd: home,
      env,
      encoding: 'utf8',
      maxBuffer: LONGEST_OUTPUT,
      ...(isRoot && { uid: NOBODY, gid: NOBODY }),
    });
    if (status !== 0) {
      throw new Error(`node ${words.join(' ')} ended with ${status}: ${error?.message ?? stderr}`);
    }
    return stdout + stderr;
  };
  const main = join(perfTs, 'dist/bin/main.js');
  run(main, 'record', '-g', '-F', '999', '--', 'node', 'app.js');
  const texts = {
    report: run(main, 'report'),
    'report --frames javascript': run(main, 'report', '--frames', 'javascript'),
    'report --frames all': run(main, 'report', '-n', '1', '--frames', 'all'),
  };
  for (const [name, text] of Object.entries(texts)) {
    const found = OWN_FILES.exec(text);
    if (found !== null) throw new Error(`${name} has ${found[0]}:\n${text}`);
  }
  if (!/\bhash\b/.test(texts.report))
    throw new Error(`report does not name hash:\n${texts.report}`);
  run(main, 'export', '--format', 'html', '-o', 'app.html');
  run(main, 'stat', '--', 'node', '-e', '0');
  run(join(perfTs, 'examples/dump-perf-data.mjs'), 'perf.data');
  run(join(perfTs, 'examples/export-all.mjs'), 'perf.data');
  run(join(perfTs, 'examples/top-functions.mjs'), 'node', 'app.js');
}
