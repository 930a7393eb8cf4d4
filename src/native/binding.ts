import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { FailedError } from '../base/errors.ts';
import type { NativeBinding } from './types.ts';

/** The package's root, seen from src/native and from dist/native. */
const PACKAGE_ROOT = fileURLToPath(new URL('../../', import.meta.url));

let binding: NativeBinding | null = null;
let failure: FailedError | null = null;

/**
 * The addon: the one built here (build/Release), else a prebuilt one for this platform. Loaded at
 * the first call; a failure is remembered and says how to build.
 */
export function loadBinding(): NativeBinding {
  if (binding !== null) return binding;
  if (failure !== null) throw failure;
  try {
    // node-gyp-build is CommonJS and loads the .node file with its own require.
    const load = createRequire(import.meta.url)('node-gyp-build') as (dir: string) => unknown;
    binding = load(PACKAGE_ROOT) as NativeBinding;
    return binding;
  } catch (error) {
    failure = explain(error);
    throw failure;
  }
}

function explain(error: unknown): FailedError {
  if (process.platform !== 'linux') {
    return new FailedError('recording needs Linux; reading and viewing files works here');
  }
  const built = existsSync(`${PACKAGE_ROOT}build/Release/perf_ts.node`);
  const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
  return new FailedError(
    built
      ? `the native addon does not load: ${reason}`
      : `the native addon is not built for ${process.platform}-${process.arch}`,
    [`build it with: node ${PACKAGE_ROOT}native/build.mjs (needs g++, make and python3)`],
  );
}
