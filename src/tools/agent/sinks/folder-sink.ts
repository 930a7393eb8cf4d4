import { existsSync, readdirSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describeError } from '../../../base/system-error.ts';
import { checkOwnFolder, makeFolders } from '../../../system/files/make-folders.ts';
import { replaceFile } from '../../../system/files/replace-file.ts';
import type { EncodedProfile, EncodedWindow } from '../encode/encoded-window.ts';
import type { Sink, SinkAnswer } from './sink.ts';

/** A name that a service may have is no name that a file may have. */
const UNSAFE = /[^A-Za-z0-9._-]+/g;
const MOST_NAME = 80;

/**
 * A folder of pprof files, `DAY/SERVICE/TIME-ID.pb.gz`. A file is there as a whole or not at all, and the
 * same profile always has the same name: written twice, it is there once. What is written is in one file of this
 * process meanwhile; the next agent of this machine removes that of one that was killed.
 */
export class FolderSink implements Sink {
  readonly format = 'pprof';
  readonly isRepeatable = true;
  readonly name: string;
  readonly #directory: string;
  readonly #keepDays: number;

  /** `keepDays` null: all days are kept. */
  constructor(name: string, directory: string, keepDays: number | null) {
    this.name = name;
    this.#keepDays = keepDays ?? Number.POSITIVE_INFINITY;
    this.#directory = directory;
    // Root writes here: who can put a link into it could lead it anywhere.
    if (existsSync(directory)) checkOwnFolder(directory);
    removeHalves(directory);
  }

  requestsOf({ profiles }: EncodedWindow): readonly (readonly EncodedProfile[])[] {
    return profiles.map((profile) => [profile]);
  }

  send(profiles: readonly EncodedProfile[], { startNs }: EncodedWindow): Promise<SinkAnswer> {
    const time = new Date(Number(startNs / 1_000_000n)).toISOString();
    const day = time.slice(0, 10);
    try {
      const isNewDay = !existsSync(join(this.#directory, day));
      for (const { id, service, bytes } of profiles) {
        const folder = join(this.#directory, day, fileName(service?.name ?? ''));
        makeFolders(folder, 0o750);
        checkOwnFolder(this.#directory);
        const path = join(folder, `${time.slice(11).replaceAll(':', '')}-${id}.pb.gz`);
        replaceFile(path, bytes, join(this.#directory, `${HALF}${process.pid}`));
      }
      if (isNewDay) this.#removeOldDays(day);
      return Promise.resolve({ kind: 'taken' });
    } catch (error) {
      return Promise.resolve({ kind: 'later', why: describeError(error), afterMs: null });
    }
  }

  /** Counts the days that are there, so that a clock that jumps costs one of them and not all; never removes `day`. */
  #removeOldDays(day: string): void {
    const days = readdirSync(this.#directory).filter((name) => /^\d{4}-\d\d-\d\d$/.test(name));
    const others = days.filter((name) => name !== day).sort();
    const removed = others.slice(0, Math.max(0, days.length - this.#keepDays));
    for (const name of removed) rmSync(join(this.#directory, name), { recursive: true });
  }
}

/** Several machines may write into one folder. */
const HALF = `.half-${fileName(hostname())}-`;

function removeHalves(directory: string): void {
  try {
    for (const name of readdirSync(directory)) {
      const pid = name.startsWith(HALF) ? name.slice(HALF.length) : '';
      if (!/^\d+$/.test(pid)) continue;
      if (pid === String(process.pid) || !existsSync(`/proc/${pid}`)) rmSync(join(directory, name));
    }
  } catch {
    // There is no folder yet, or nothing may be removed: the first profile tells why.
  }
}

/** `[kworker]` and `../x` become names of files. */
function fileName(text: string): string {
  const safe = text.replace(UNSAFE, '_').replace(/^\.+/, '_').slice(0, MOST_NAME);
  return safe === '' ? '_' : safe;
}
