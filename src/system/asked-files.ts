import { constants, lstatSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { readTextOrEmpty, stateOf } from './small-file.ts';

/** Computations that are under way. */
const listeners = new Set<AskedFiles>();

/** A place, whether a link there is followed, and what there was. */
type Answer = readonly [path: string, isFollowed: boolean, state: string];

/** Files that the kernel makes when they are read: they change without a sign of it. */
const MADE_WHEN_READ = /^\/(?:proc|sys)\//;

const PROCESS = /^\/proc\/\d+$/;

/**
 * The files that something was computed from: each path that was asked for while it was, and what there was, or that there was nothing. As long
 * as the same places answer the same, so would the computation.
 *
 * A regular file is known by device, inode, size and the times of its last changes: that of the inode is nobody's to set. A process is known by its
 * start. Nothing is known of what else the kernel makes when it is read.
 */
export class AskedFiles {
  readonly #answers = new Map<string, Answer>();
  #isProven = true;

  /** Notes what `compute` asks for, and what others ask for meanwhile. */
  async during<T>(compute: () => Promise<T>): Promise<T> {
    listeners.add(this);
    try {
      return await compute();
    } finally {
      listeners.delete(this);
    }
  }

  /** All answers; null where one can't be proven to be the same later, as of a file that was changed after `settledMs` (since 1970). */
  answers(settledMs: number): readonly Answer[] | null {
    const answers = [...this.#answers.values()];
    return this.#isProven && areAnswersOf(answers, settledMs) ? answers : null;
  }

  note(path: string, isFollowed: boolean): void {
    const key = `${isFollowed} ${path}`;
    if (this.#answers.has(key)) return;
    const found = stateAt(path, isFollowed);
    if (found === null) this.#isProven = false;
    else this.#answers.set(key, [path, isFollowed, found.state]);
  }

  refuse(): void {
    this.#isProven = false;
  }
}

/** Notes that what is computed now depends on what is at `path`. Whoever looks there for a reading calls it. */
export function noteAsked(path: string, isFollowed = true): void {
  for (const asked of listeners) asked.note(resolve(path), isFollowed);
}

/** Notes that what is computed now depends on something that can't be asked again. */
export function noteUnrepeatable(): void {
  for (const asked of listeners) asked.refuse();
}

/** Whether all places answer as they did, and none has changed since `settledMs`. */
export function areAnswersOf(
  answers: readonly Answer[],
  settledMs = Number.POSITIVE_INFINITY,
): boolean {
  return answers.every(([path, isFollowed, state]) => {
    const found = stateAt(path, isFollowed);
    return found?.state === state && found.changedMs < settledMs;
  });
}

/**
 * The state of what is at `path`, and when that changed, milliseconds since 1970. Null: not to be known, as behind a folder that is
 * closed to us.
 */
export function stateAt(
  path: string,
  isFollowed: boolean,
): { readonly state: string; readonly changedMs: number } | null {
  try {
    const stat = isFollowed ? statSync(path) : lstatSync(path);
    if (PROCESS.test(path)) return { state: lifeOf(path, stat.uid), changedMs: 0 };
    if (MADE_WHEN_READ.test(path)) return null;
    const { mode, uid, gid, ctimeMs } = stat;
    // Folders and devices count for what they are.
    if (!stat.isFile()) {
      return { state: [mode & constants.S_IFMT, uid, gid].join(' '), changedMs: 0 };
    }
    return { state: stateOf(stat), changedMs: ctimeMs };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isAbsent = code === 'ENOENT' || code === 'ENOTDIR';
    return isAbsent ? { state: code, changedMs: 0 } : null;
  }
}

/** A process by its user and start, and whether it has ended; fields of `/proc/PID/stat` behind the comm, as in proc(5). */
function lifeOf(path: string, uid: number): string {
  const text = readTextOrEmpty(`${path}/stat`);
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return [uid, /[ZXx]/.test(fields[0]), fields[19]].join(' ');
}
