import { spawnSync } from 'node:child_process';
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { FailedError } from '../base/errors.ts';
import { printable } from '../base/printable.ts';
import type { Profile } from '../profile/types.ts';
import { chooseUser } from '../session/launch/run-as.ts';

/** A source file that people wrote is smaller; one that a bundler wrote is of no use in a page. */
const MOST_BYTES = 4 << 20;

/**
 * Texts of the source files that a profile names. The names come from the recording, so from
 * strangers: a hostile one may name /etc/shadow. What is read is what the person could read
 * without perf-ts: under sudo the file is read as the user who called it, and plain root, for whom
 * every file is open, gets its own files and those that everybody may read.
 */
export class SourceFiles {
  readonly #profile: Profile;
  readonly #named: ReadonlySet<number>;

  constructor(profile: Profile) {
    this.#profile = profile;
    this.#named = new Set([...profile.funcs.file, ...profile.frames.file].filter((row) => row > 0));
  }

  /** Throws `FailedError` with the reason why there is no text. */
  read(string: number): string {
    if (!this.#named.has(string)) throw new FailedError('the profile names no such source file');
    const name = this.#profile.strings[string] as string;
    const path = name.startsWith('file://') ? decodeURIComponent(name.slice(7)) : name;
    if (!isAbsolute(path)) {
      throw new FailedError(`${printable(name)}: where this file lies is not known`);
    }
    return readAsInvoker(path);
  }
}

/** Throws `FailedError` where the file is not there, not text, too large or not the user's to read. */
export function readAsInvoker(path: string): string {
  const bytes = process.geteuid?.() === 0 ? readUnderRoot(path) : readPlain(path, () => true);
  if (bytes.includes(0)) throw new FailedError(`${printable(path)}: not a text`);
  return bytes.toString('utf8');
}

function readUnderRoot(path: string): Buffer {
  const { change } = chooseUser({});
  if (change === null) {
    const { S_IROTH } = constants;
    return readPlain(path, ({ uid, mode }) => uid === 0 || (mode & S_IROTH) !== 0);
  }
  // Changing our own user would change it for the sampler too.
  const read = spawnSync('/bin/head', ['-c', String(MOST_BYTES + 1), '--', path], {
    uid: change.uid,
    gid: change.gid,
    cwd: '/',
    env: {},
    maxBuffer: MOST_BYTES + 2,
    timeout: 2000,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (read.status !== 0) {
    throw new FailedError(`${printable(path)}: can't be read as uid ${change.uid}`);
  }
  checkSize(path, read.stdout.length);
  return read.stdout;
}

/** Regular files only, and without waiting for any. */
function readPlain(path: string, mayRead: (file: { uid: number; mode: number }) => boolean) {
  let fd = -1;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    const file = fstatSync(fd);
    if (!file.isFile()) throw new FailedError(`${printable(path)}: not a regular file`);
    if (!mayRead(file)) {
      throw new FailedError(`${printable(path)}: another user's, and not for everybody to read`);
    }
    checkSize(path, file.size);
    return readFileSync(fd);
  } catch (error) {
    if (error instanceof FailedError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new FailedError(`${printable(path)}: can't be read (${code ?? 'unknown error'})`);
  } finally {
    if (fd >= 0) closeSync(fd);
  }
}

function checkSize(path: string, bytes: number): void {
  if (bytes <= MOST_BYTES) return;
  throw new FailedError(`${printable(path)}: larger than ${MOST_BYTES >> 20} MiB`);
}
