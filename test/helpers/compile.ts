import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const helpers = dirname(fileURLToPath(import.meta.url));
const buildDirectory = join(helpers, '../build');

/** Frame pointers and symbols, so that a profile of the result names its functions. */
const PROFILED = ['-O2', '-g', '-fno-omit-frame-pointer', '-pthread'];

/** The program that live tests record; `workload.c` lists its modes. */
export function compileWorkload(): string {
  return compileC(join(helpers, 'workload.c'), PROFILED);
}

/** The program that counts its own page faults by function; the first lines of `faults.c` say how. */
export function compileFaults(): string {
  return compileC(join(helpers, 'faults.c'), PROFILED);
}

/** The program that waits in known ways; the first lines of `waits.c` say which. */
export function compileWaits(): string {
  return compileC(join(helpers, 'waits.c'), PROFILED);
}

/** The program whose thread is woken and has no CPU; the first lines of `runnable.c` say how. */
export function compileRunnable(): string {
  return compileC(join(helpers, 'runnable.c'), PROFILED);
}

/** The program that makes code at one address under many names; `jit-reuse.c` says how. */
export function compileJitReuse(): string {
  return compileC(join(helpers, 'jit-reuse.c'), PROFILED);
}

/** The file system that answers nobody; the first lines of `silent-fuse.c` say how. */
export function compileSilentFuse(): string {
  return compileC(join(helpers, 'silent-fuse.c'), ['-O1']);
}

/** The library to preload that makes writes misbehave; `fault-shim.c` lists the ways. */
export function compileFaultShim(): string {
  return compileC(join(helpers, 'fault-shim.c'), ['-shared', '-fPIC', '-O1', '-ldl'], '.so');
}

/** The library to preload that sends perf-ts a signal when its command starts; `early-signal.c` says how. */
export function compileEarlySignal(): string {
  return compileC(join(helpers, 'early-signal.c'), ['-shared', '-fPIC', '-O1', '-ldl'], '.so');
}

/**
 * The environment that preloads a library. LD_PRELOAD splits paths at spaces, so it gets the name, and
 * LD_LIBRARY_PATH, which does not, the folder.
 */
export function preloading(library: string): Record<string, string> {
  return { LD_PRELOAD: basename(library), LD_LIBRARY_PATH: dirname(library) };
}

/** The program of the accuracy bench that counts its own events; its first lines say how. */
export function compileCountedWork(): string {
  const programs = join(helpers, '../../bench/accuracy/programs');
  return compileC(join(programs, 'threads.c'), PROFILED, '', [join(programs, 'work.c')]);
}

/**
 * Compiles one C file, with others linked to it, and returns the path of the result, in
 * `test/build/`. The name holds a hash of sources, their paths, compiler and flags: the same input is compiled
 * once, and a changed one never finds the old result. Test files that run at the same time may
 * compile the same source; the last rename wins, with equal bytes.
 */
export function compileC(
  source: string,
  flags: readonly string[],
  extension = '',
  others: readonly string[] = [],
): string {
  const compiler = process.env.CC ?? 'cc';
  const key = createHash('sha256')
    .update(JSON.stringify([compiler, flags, source, others]))
    .update(readFileSync(source));
  for (const other of others) key.update(readFileSync(other));
  const name = basename(source, extname(source));
  const result = join(buildDirectory, `${name}-${key.digest('hex').slice(0, 12)}${extension}`);
  if (existsSync(result)) return result;

  mkdirSync(buildDirectory, { recursive: true });
  const unfinished = `${result}.${process.pid}`;
  // Libraries come after the source, or a linker with --as-needed leaves them out.
  const words = ['-Wall', '-Wextra', '-o', unfinished, source, ...others, ...flags];
  const run = spawnSync(compiler, words, { encoding: 'utf8' });
  if (run.error) {
    const missing = (run.error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new Error(
      missing
        ? `no C compiler: '${compiler}' is not on PATH (install gcc or clang, or set CC)`
        : `cannot run the C compiler '${compiler}': ${run.error.message}`,
    );
  }
  if (run.status !== 0) {
    throw new Error(`${compiler} can't compile ${source}:\n${run.stderr}`);
  }
  renameSync(unfinished, result);
  return result;
}

/** Whether Go programs can be compiled here. */
export const hasGo = spawnSync('go', ['version']).status === 0;

/**
 * Compiles one Go file and returns the path of the result, like `compileC`; the flags are those of
 * `go build`.
 */
export function compileGo(source: string, flags: readonly string[], name = ''): string {
  const key = createHash('sha256')
    .update(JSON.stringify([flags, source]))
    .update(readFileSync(source));
  const base = `${basename(source, '.go')}${name}`;
  const result = join(buildDirectory, `${base}-${key.digest('hex').slice(0, 12)}`);
  if (existsSync(result)) return result;
  mkdirSync(buildDirectory, { recursive: true });
  const unfinished = `${result}.${process.pid}`;
  // No module file: the file is a program of its own.
  const run = spawnSync('go', ['build', '-o', unfinished, ...flags, source], {
    encoding: 'utf8',
    env: { ...process.env, GO111MODULE: 'off', GOFLAGS: '' },
  });
  if (run.status !== 0) throw new Error(`go can't compile ${source}:\n${run.stderr}`);
  renameSync(unfinished, result);
  return result;
}
