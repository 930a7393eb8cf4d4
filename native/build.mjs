// Builds the addons (build/Release/*.node); with --test, builds and runs the core's tests.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, realpathSync, renameSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const native = dirname(fileURLToPath(import.meta.url));
const root = dirname(native);

/** Headers beside the running node, if its installation has them: nothing is downloaded then. */
function headerOption() {
  const prefix = dirname(dirname(process.execPath));
  return existsSync(join(prefix, 'include/node/node_api.h')) ? [`--nodedir=${prefix}`] : [];
}

/**
 * node-gyp is a dependency of this checkout. An installed perf-ts does not bring it along; npm has
 * one of its own, beside the running node or behind the `npm` of the PATH.
 */
function findNodeGyp() {
  try {
    return createRequire(import.meta.url).resolve('node-gyp/bin/node-gyp.js');
  } catch {
    return npmFolders()
      .map((npm) => join(npm, 'node_modules/node-gyp/bin/node-gyp.js'))
      .find((path) => existsSync(path));
  }
}

function npmFolders() {
  const folders = [join(dirname(dirname(process.execPath)), 'lib/node_modules/npm')];
  for (const folder of (process.env.PATH ?? '').split(':')) {
    const npm = join(folder, 'npm');
    if (existsSync(npm)) folders.push(dirname(dirname(realpathSync(npm))));
  }
  return folders;
}

function buildAddon() {
  const nodeGyp = findNodeGyp();
  if (nodeGyp === undefined) {
    console.error('perf-ts: the addon is not built: neither node-gyp nor npm is here');
    console.error('  npm install node-gyp, then run this again');
    return 1;
  }
  const options = process.argv.includes('--debug') ? ['--debug'] : [];
  const result = spawnSync(
    process.execPath,
    [nodeGyp, ...headerOption(), ...options, 'configure', 'build'],
    // One compiler per CPU, unless the user has set how many.
    { cwd: native, stdio: ['ignore', 'inherit', 'inherit'], env: { JOBS: 'max', ...process.env } },
  );
  if (result.status !== 0) {
    for (const line of remedy()) console.error(line);
    return result.status ?? 1;
  }
  // node-gyp-build looks there first.
  const place = join('build', options.length === 0 ? 'Release' : 'Debug');
  mkdirSync(join(root, place), { recursive: true });
  for (const name of ['perf_ts.node', 'perf_ts_code_events.node']) {
    const addon = join(root, place, name);
    copyFileSync(join(native, place, name), `${addon}.new`);
    // By name: a process that has the earlier one mapped keeps it.
    renameSync(`${addon}.new`, addon);
  }
  return 0;
}

/** What to do after a failed build: what it needs and does not find comes first. */
function remedy() {
  const missing = ['g++', 'make', 'python3'].filter((program) => !isOnPath(program));
  if (missing.length > 0) {
    return [
      `perf-ts: the addon is not built: it needs ${missing.join(', ')}`,
      `  sudo apt-get install -y ${missing.join(' ')}`,
    ];
  }
  if (!hasHeaders()) {
    return [
      `perf-ts: the addon is not built: the C headers of Node ${process.version} are not beside it, and`,
      'node-gyp could not fetch them from nodejs.org; install them (Debian: libnode-dev), or name the',
      'folder whose include/node has them:',
      '  npm_config_nodedir=/path/to/node npm run build',
    ];
  }
  return ['perf-ts: the addon is not built, for the reason above'];
}

function isOnPath(program) {
  return (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, program)));
}

/** Whether node-gyp finds headers: beside node, where npm's configuration says, or fetched before. */
function hasHeaders() {
  const folders = [
    dirname(dirname(process.execPath)),
    process.env.npm_config_nodedir,
    join(homedir(), '.cache/node-gyp', process.version.slice(1)),
  ];
  return folders.some(
    (folder) => folder !== undefined && existsSync(join(folder, 'include/node/node_api.h')),
  );
}

if (process.platform !== 'linux') {
  console.error('perf-ts records on Linux only; reading and viewing work without the addon');
} else if (process.argv.includes('--test')) {
  // Not in the package.
  const { buildAndRunTests } = await import('./test/run-tests.mjs');
  process.exitCode = await buildAndRunTests(root);
} else {
  process.exitCode = buildAddon();
}
