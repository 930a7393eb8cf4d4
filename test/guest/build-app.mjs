// Puts into one directory what a machine of another architecture needs to record with this build:
// dist/, the addon and the program, both cross-built, and the packages that are loaded at run time.
// Nothing is written beside the sources: build/ keeps the addon of this machine.

import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const runAside = promisify(execFile);

/**
 * @param {object} options
 * @param {string} options.app where to put it all; what lies there is replaced
 * @param {string} options.arch as `process.arch` says it there: arm64
 * @param {string} options.toolPrefix of the cross compiler: aarch64-linux-gnu-
 * @param {string} options.headers a directory with include/node/node_api.h of the Node there
 */
export async function buildApp({ app, arch, toolPrefix, headers }) {
  rmSync(app, { recursive: true, force: true });
  mkdirSync(join(app, 'obj'), { recursive: true });
  cpSync(join(root, 'dist'), join(app, 'dist'), { recursive: true });
  cpSync(join(root, 'package.json'), join(app, 'package.json'));
  for (const name of runTimePackages()) {
    const from = join(root, 'node_modules', name);
    cpSync(from, join(app, 'node_modules', name), { recursive: true, dereference: true });
  }
  for (const name of ['cases.mjs', 'measure.mjs', 'stat-cases.mjs']) {
    cpSync(join(root, 'test/guest', name), join(app, name));
  }
  buildProgram(join(app, 'phases'), `${toolPrefix}gcc`);
  await buildAddon({ app, arch, compiler: `${toolPrefix}g++`, headers });
  rmSync(join(app, 'obj'), { recursive: true });
}

/** The package's dependencies and theirs. */
function runTimePackages() {
  const found = new Set();
  const add = (file) => {
    for (const name of Object.keys(JSON.parse(readFileSync(file, 'utf8')).dependencies ?? {})) {
      if (found.has(name)) continue;
      found.add(name);
      add(join(root, 'node_modules', name, 'package.json'));
    }
  };
  add(join(root, 'package.json'));
  return found;
}

/** Static, so that it runs where the compiler's libraries are not. */
export function buildProgram(output, compiler) {
  const source = join(root, 'test/guest/phases.c');
  run(compiler, ['-O2', '-Wall', '-Wextra', '-static', '-pthread', '-o', output, source]);
}

/** The target of binding.gyp; node-gyp itself would build into build/. */
async function buildAddon({ app, arch, compiler, headers }) {
  // A .gyp file is a Python literal; ours keeps to what is JSON too.
  const [target] = JSON.parse(readFileSync(join(root, 'binding.gyp'), 'utf8')).targets;
  const napi = createRequire(join(root, 'package.json'))('node-addon-api').include_dir;
  const includes = [`-I${join(headers, 'include/node')}`, `-I${join(root, napi)}`];
  const defines = [...target.defines, 'BUILDING_NODE_EXTENSION', 'NODE_GYP_MODULE_NAME=perf_ts'];
  const flags = [
    ...target.cflags,
    ...target.cflags_cc,
    '-fPIC',
    ...defines.map((define) => `-D${define}`),
    ...includes,
  ];
  const objects = target.sources.map((source) => join(app, 'obj', `${basename(source)}.o`));
  const jobs = target.sources.map(
    (source, i) => () => runAside(compiler, [...flags, '-c', join(root, source), '-o', objects[i]]),
  );
  await Promise.all(
    Array.from({ length: availableParallelism() }, async () => {
      for (let job = jobs.pop(); job !== undefined; job = jobs.pop()) await job();
    }),
  );
  const directory = join(app, 'prebuilds', `linux-${arch}`);
  mkdirSync(directory, { recursive: true });
  run(compiler, ['-shared', '-o', join(directory, 'perf-ts.node'), ...objects, '-lpthread']);
}

function run(command, args) {
  execFileSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
}
