// Builds the addon (build/Release/perf_ts.node); with --test, builds and runs the core's tests.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildAndRunTests } from './test/run-tests.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Headers beside the running node, if its installation has them: nothing is downloaded then. */
function headerOption() {
  const prefix = dirname(dirname(process.execPath));
  return existsSync(join(prefix, 'include/node/node_api.h')) ? [`--nodedir=${prefix}`] : [];
}

function buildAddon() {
  const nodeGyp = createRequire(import.meta.url).resolve('node-gyp/bin/node-gyp.js');
  const options = process.argv.includes('--debug') ? ['--debug'] : [];
  const result = spawnSync(
    process.execPath,
    [nodeGyp, ...headerOption(), ...options, 'configure', 'build'],
    {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  return result.status ?? 1;
}

if (process.platform !== 'linux') {
  console.error('perf-ts records on Linux only; reading and viewing work without the addon');
} else {
  process.exitCode = process.argv.includes('--test') ? buildAndRunTests(root) : buildAddon();
}
