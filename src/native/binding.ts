import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { FailedError } from '../base/errors.ts';
import type { NativeBinding } from './types.ts';

/** The package's root, seen from src/native and from dist/native. */
const PACKAGE_ROOT = fileURLToPath(new URL('../../', import.meta.url));

let binding: NativeBinding | null = null;
let failure: FailedError | null = null;

/**
 * The addon: the one built here (build/Release), else the package's own for this processor and C
 * library (prebuilds/). Loaded at the first call; a failure is remembered and states how to build.
 */
export function loadBinding(): NativeBinding {
  if (binding !== null) return binding;
  if (failure !== null) throw failure;
  try {
    binding = requireFinder()(PACKAGE_ROOT) as NativeBinding;
    return binding;
  } catch (error) {
    failure = explain(error);
    throw failure;
  }
}

/**
 * node-gyp-build, which is CommonJS and loads the .node file with its own require. As it is loaded it
 * takes the C library from `LIBC`, else from whether this is Alpine; others have musl, too.
 */
function requireFinder(): (dir: string) => unknown {
  const { LIBC } = process.env;
  if (LIBC === undefined && isMusl()) process.env.LIBC = 'musl';
  try {
    return createRequire(import.meta.url)('node-gyp-build') as (dir: string) => unknown;
  } finally {
    // It is no business of the programs that we start.
    if (LIBC === undefined) delete process.env.LIBC;
  }
}

function isMusl(): boolean {
  if (process.platform !== 'linux') return false;
  try {
    return /\/(ld-musl-[^/]*|libc\.so)$/m.test(readFileSync('/proc/self/maps', 'latin1'));
  } catch {
    return false;
  }
}

function explain(error: unknown): FailedError {
  if (process.platform !== 'linux') {
    return new FailedError('recording needs Linux; reading and viewing files works here');
  }
  const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
  const platform = `${process.platform}-${process.arch}`;
  const places = ['build/Release/perf_ts.node', `prebuilds/${platform}`];
  const isThere = places.some((place) => existsSync(`${PACKAGE_ROOT}${place}`));
  return new FailedError(
    isThere
      ? `the native addon does not load: ${reason}`
      : `perf-ts has no native addon for ${platform}`,
    [`build it with: node ${PACKAGE_ROOT}native/build.mjs (needs g++, make and python3)`],
  );
}
