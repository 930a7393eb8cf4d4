import { createRequire } from 'node:module';
import { isAbsolute, join } from 'node:path';
import { leavePlaces, namedHome } from '../../system/accounts/home-folder.ts';
import { CacheFolder, cacheHome, MOST_CACHED_BYTES } from '../../system/files/cache-folder.ts';
import { KeptParts } from '../../system/files/kept-parts.ts';
import { silentPlaces } from '../../system/strangers/silent-places.ts';
import { mayKeep } from '../shared/kept-caches.ts';
import { Bundle } from './bundle.ts';

const PROGRAM = './program.js';
const VIEW_THREAD = './view-thread.js';
/** No command has this name. */
const OF_VIEW_THREAD = 'thread of view';
/** Folders of the user, and of other tools' files, in which perf-ts looks; any of them may be a mount of its own. */
const VARIABLES = [
  ...['XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'XDG_DATA_HOME'],
  ...['DEBUGINFOD_CACHE_PATH', 'PERF_BUILDID_DIR', 'DENO_DIR'],
];
const BELOW_HOME = ['.', '.config', '.cache', '.local/share', '.debug'];
/** A helper that asks has started by then, on a busy machine, too. */
const MOST_ANSWER_MS = 6000;
/** Commands that run for longer go on with the program that they began with. */
const HELD_AFTER_MS = 1000;
/** Commands that run for longer have done by then what they do at each start. */
const STARTED_AFTER_MS = 5000;
/** One file for each Node, place of the program and command: the code that one command runs takes one or two MiB. */
const CODE = { prefix: 'code', mostBytes: 8 * 2 ** 20 };

/**
 * Loads the program from the bundle in `folder`, with the code that an earlier run of the same command has left,
 * and keeps what V8 has compiled where there was none. Never fails for the cache's sake.
 */
export async function loadProgram(folder: string): Promise<void> {
  await leaveSilentPlaces(process.env);
  load(folder, PROGRAM, commandWord());
}

/** A home on a file system that answers nobody: the command begins without the defaults and caches that lie there. */
async function leaveSilentPlaces(environment: NodeJS.ProcessEnv): Promise<void> {
  const home = namedHome();
  const named = VARIABLES.map((name) => environment[name]);
  const usual = home === null ? [] : BELOW_HOME.map((name) => join(home, name));
  const places = [...named, ...usual].filter(
    (path) => path !== undefined && isAbsolute(path),
  ) as string[];
  const isUnknown = (path: string): boolean => silentPlaces.mayWait(path);
  // Nearly always on file systems that the kernel answers for.
  if (!places.some(isUnknown)) return;
  await silentPlaces.settle(places, MOST_ANSWER_MS);
  leavePlaces(places.filter(isUnknown));
}

/** Loads the thread of a recording that `view` shows, as `loadProgram` loads the program. */
export function loadViewThread(folder: string): void {
  load(folder, VIEW_THREAD, OF_VIEW_THREAD);
}

/** `user`: whose functions are called. */
function load(folder: string, file: string, user: string): void {
  // Bun and Deno have engines and formats of their own.
  if ('bun' in process.versions || 'deno' in process.versions) {
    createRequire(join(folder, 'main.js'))(file);
    return;
  }
  const store: Store = (use) => withStore(folder, user, use);
  const known = store((codes) => codes.read());
  const bundle = new Bundle(folder, known ?? new Map());
  if (known !== null) keepWhenStarted(bundle, store);
  setTimeout(() => bundle.hold(), HELD_AFTER_MS).unref();
  bundle.require(file);
}

/** The result of `use`; null where nothing is to be kept, or can't be. */
type Store = <T>(use: (codes: KeptParts) => T) => T | null;

/** Leaves no descriptor open: how this process was started is noted later, and a command has what is open then. */
function withStore<T>(folder: string, user: string, use: (codes: KeptParts) => T): T | null {
  // V8 counts no calls of code that it did not compile itself.
  if (!mayKeep('code') || process.env.NODE_V8_COVERAGE !== undefined) return null;
  const cache = CacheFolder.open(cacheHome(), MOST_CACHED_BYTES);
  if (cache === null) return null;
  const { version, arch, execArgv } = process;
  try {
    return use(new KeptParts(cache, CODE, JSON.stringify([version, arch, execArgv, folder, user])));
  } finally {
    cache.close();
  }
}

/** Commands use different functions. What is not a command fails, and is not kept. */
function commandWord(): string {
  const word = process.argv[2] ?? '';
  return /^[a-z]/.test(word) ? word : '';
}

/** Once: after the start of a long run, or at the end of a short one that succeeded. */
function keepWhenStarted(bundle: Bundle, store: Store): void {
  let isKept = false;
  const keep = (): void => {
    if (isKept || bundle.missing === 0) return;
    isKept = true;
    store((codes) => codes.write(bundle.compiled()));
  };
  setTimeout(keep, STARTED_AFTER_MS).unref();
  process.on('exit', (status) => {
    if (status === 0) keep();
  });
}
