// Compiles the addons with any compiler, against Node-API's headers alone.

import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const native = dirname(fileURLToPath(import.meta.url));

/**
 * Compiles what has changed since the last time. Throws with the compiler's messages.
 *
 * @param {object} options
 * @param {string} options.name the target in addon.gypi
 * @param {readonly string[]} options.compiler the words that start a C++ compiler: `['g++']`,
 *   `['zig', 'c++', '-target', 'x86_64-linux-musl']`
 * @param {string} options.objects the folder for its object files
 * @param {string} options.output the addon to write, stripped
 */
export async function compileAddon({ name, compiler: [program, ...words], objects, output }) {
  const target = readTarget(name);
  const flags = [...words, ...flagsOf(target)];
  const newestHeader = Math.max(...headers().map((file) => statSync(file).mtimeMs));
  mkdirSync(objects, { recursive: true });
  mkdirSync(dirname(output), { recursive: true });
  const files = target.sources.map((source) => ({
    source,
    object: join(objects, `${source.replaceAll('/', '.')}.o`),
  }));
  const stale = files.filter(({ source, object }) => {
    const builtAt = statSync(object, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    return builtAt < Math.max(newestHeader, statSync(join(native, source)).mtimeMs);
  });
  const compileNext = async () => {
    for (let file = stale.pop(); file !== undefined; file = stale.pop()) {
      await run(program, [...flags, '-c', file.source, '-o', file.object], { cwd: native });
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, compileNext));
  const linked = files.map(({ object }) => object);
  const { ldflags = [], libraries } = target;
  await run(program, [
    ...words,
    '-shared',
    ...ldflags,
    // A runtime library that is linked in, as zig does, would export all of itself, and drop nothing unused.
    '-Wl,--gc-sections',
    `-Wl,--version-script=${join(native, 'exports.map')}`,
    '-s',
    '-o',
    output,
    ...linked,
    ...libraries,
  ]);
}

/** A target of addon.gypi, which node-gyp builds; it is kept to what is JSON, too. */
function readTarget(name) {
  const { targets } = JSON.parse(readFileSync(join(native, 'addon.gypi'), 'utf8'));
  return targets.find(({ target_name }) => target_name === name);
}

function flagsOf({ target_name, cflags, cflags_cc, defines }) {
  const require = createRequire(import.meta.url);
  const includes = [
    native,
    dirname(require.resolve('node-addon-api/napi.h')),
    require('node-api-headers').include_dir,
  ];
  return [
    // A flag with its value is one word to make's shell.
    ...[...cflags, ...cflags_cc].flatMap((flag) => flag.split(' ')),
    '-fPIC',
    ...[...defines, 'BUILDING_NODE_EXTENSION', `NODE_GYP_MODULE_NAME=${target_name}`].map(
      (define) => `-D${define}`,
    ),
    ...includes.map((folder) => `-I${relative(native, folder) || '.'}`),
  ];
}

function headers() {
  return readdirSync(native, { recursive: true })
    .filter((file) => file.endsWith('.h') || file === 'addon.gypi')
    .map((file) => join(native, file));
}
