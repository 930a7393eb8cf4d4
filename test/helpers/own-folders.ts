// A run of the tests has a home and a folder for temporary files of its own: empty at the start, so
// that nothing of this machine's user decides what a test finds, and gone at the end.

import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { basename, join } from 'node:path';

/** Vitest calls this before it starts a worker, and what it returns after all have ended. */
export default function setUp(): () => void {
  const outer = mkdtempSync(join(tmpdir(), 'perf-ts-run-'));
  const home = join(outer, 'home');
  const temporary = join(outer, 'tmp');
  const folders = {
    HOME: home,
    TMPDIR: temporary,
    XDG_CACHE_HOME: join(home, '.cache'),
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(outer, 'share'),
    XDG_STATE_HOME: join(home, '.local/state'),
    XDG_RUNTIME_DIR: join(home, 'run'),
  };
  for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true, mode: 0o700 });
  // A user without any privilege, as whom some tests run perf-ts, gets through these, whatever the umask.
  for (const folder of [outer, temporary, folders.XDG_DATA_HOME]) chmodSync(folder, 0o755);
  Object.assign(process.env, folders);
  // One test must not find what another has looked up. V8's code is kept, as users have it.
  process.env.PERF_TS_NO_CACHE = 'names';

  const { mtimeMs: started } = statSync(outer);
  process.on('exit', () => rmSync(outer, { recursive: true, force: true }));
  // At SIGINT, vitest itself ends the run and the process.
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
  }
  return () => {
    // perf does not remove its copies of the vDSO.
    for (const path of ownFilesIn('/tmp', /^perf-vdso\.so-/, started))
      rmSync(path, { force: true });
    for (const path of leftovers(temporary, started)) console.error(`left behind: ${path}`);
  };
}

/** Files that a test should have removed. Scratch folders of files whose tests were skipped are empty. */
function leftovers(temporary: string, started: number): string[] {
  const files = entriesOf(temporary).filter((path) => !isEmptyFolder(path));
  // Node, JITs and recorders put these where everybody on a machine has theirs.
  return [...files, ...ownFilesIn('/tmp', /^(perf|jit)-/, started)];
}

/** Files of this user with such names, made since then. */
function ownFilesIn(folder: string, name: RegExp, since: number): string[] {
  return entriesOf(folder).filter((path) => {
    const entry = lstatSync(path, { throwIfNoEntry: false });
    if (!entry?.isFile() || !name.test(basename(path))) return false;
    return entry.uid === process.getuid?.() && entry.mtimeMs > since;
  });
}

function entriesOf(folder: string): string[] {
  return readdirSync(folder).map((name) => join(folder, name));
}

function isEmptyFolder(path: string): boolean {
  return lstatSync(path).isDirectory() && readdirSync(path).length === 0;
}
