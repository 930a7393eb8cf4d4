/** Folders of the system's own programs. */
export const SYSTEM_PATH = '/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * The environment for a helper program that is looked up by name. As root it is looked up where only
 * root may write: the PATH of who called us could lead to a program of somebody else.
 */
export function helperEnvironment(): NodeJS.ProcessEnv {
  return process.geteuid?.() === 0 ? { ...process.env, PATH: SYSTEM_PATH } : process.env;
}

/**
 * The environment of programs of Node that perf-ts starts for itself: the profiled program's preload is not for them, nor
 * is its folder for coverage.
 */
export function ownProgramEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, NODE_OPTIONS: '', NODE_V8_COVERAGE: '' };
}
