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
 * library (prebuilds/). Loaded at the first call; a failure is remembered and says how to build.
 */
export function loadBinding(): NativeBinding {
  if (binding !== null) return binding;
  if (failure !== null) throw failure;
  try {
    if (isMusl()) process.env.LIBC ??= 'musl';
    // node-gyp-build is CommonJS and loads the .node file with its own require.
    const load = createRequire(import.meta.url)('node-gyp-build') as (dir: string) => unknown;
    binding = load(PACKAGE_ROOT) as NativeBinding;
    return binding;
  } catch (error) {
    failure = explain(error);
    throw failure;
  }
}

/**
 * Whether this process runs on musl. node-gyp-build asks for /etc/alpine-release alone, and its
 * variable LIBC; other distributions have musl, too.
 */
function isMusl(): boolean {
  if (process.platform !== 'linux') return false;
  try {
    return /\/(ld-musl-|libc\.musl-)[^/]*$/m.test(readFileSync('/proc/self/maps', 'latin1'));
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
