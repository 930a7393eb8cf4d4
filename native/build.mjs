// Builds the addon (build/Release/perf_ts.node); with --test, builds and runs the core's tests.
import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

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
    {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  if (result.status !== 0) {
    console.error(
      'perf-ts: the addon is not built, for the reason above; it needs g++, make and python3:',
    );
    console.error('  sudo apt-get install -y g++ make python3');
  }
  return result.status ?? 1;
}

if (process.platform !== 'linux') {
  console.error('perf-ts records on Linux only; reading and viewing work without the addon');
} else if (process.argv.includes('--test')) {
  // Not in the package.
  const { buildAndRunTests } = await import('./test/run-tests.mjs');
  process.exitCode = buildAndRunTests(root);
} else {
  process.exitCode = buildAddon();
}
