import {
  closeSync,
  constants,
  fstatSync,
  futimesSync,
  openSync,
  readdirSync,
  type Stats,
  writeSync,
} from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { actingUid } from '../accounts/file-identity.ts';
import { homeFolder, isLeft } from '../accounts/home-folder.ts';
import { Folder, isTrusted } from './folder.ts';
import { readFully } from './read-some.ts';

/** Bytes of all that perf-ts keeps for one user: profiles, found names and compiled code. */
export const MOST_CACHED_BYTES = 256 * 2 ** 20;

const OWN_NAME = 'perf-ts';
const OTHERS_MAY_WRITE = constants.S_IWGRP | constants.S_IWOTH;
const TEMPORARY = '.tmp';
/** Nobody writes a file this small for longer. */
const ABANDONED_AFTER_MS = 3_600_000;

/** The folder that caches of the user are in; null where nobody says, or it does not answer. */
export function cacheHome(environment: NodeJS.ProcessEnv = process.env): string | null {
  const { XDG_CACHE_HOME } = environment;
  // The specification ignores relative paths.
  const isNamed = XDG_CACHE_HOME !== undefined && isAbsolute(XDG_CACHE_HOME);
  const home = isNamed ? null : homeFolder();
  const path = isNamed ? XDG_CACHE_HOME : home && join(home, '.cache');
  return path === null || isLeft(path) ? null : path;
}

/**
 * Our folder in the user's cache: files that may be gone at any time and are made anew then. It serves
 * one user. A folder or file that belongs to another one, or that others may write, is as good as absent,
 * so that root under sudo neither believes what lies in the caller's home nor leaves files there. Nothing
 * here throws: what can't be read is absent, what can't be written is not.
 */
export class CacheFolder {
  readonly #folder: Folder;
  readonly #mostBytes: number;
  /** Bytes in all files; null: not yet counted. */
  #bytes: number | null = null;

  private constructor(folder: Folder, mostBytes: number) {
    this.#folder = folder;
    this.#mostBytes = mostBytes;
  }

  /** Null where there can be none. `mostBytes`: what all files together may take. */
  static open(home: string | null, mostBytes: number): CacheFolder | null {
    if (home === null || actingUid() < 0) return null;
    try {
      const folder = openOwn(home);
      return folder === null ? null : new CacheFolder(folder, mostBytes);
    } catch {
      return null;
    }
  }

  /** The bytes of a file; null if it is absent, not ours or larger than `mostBytes`. */
  read(name: string, mostBytes: number): Uint8Array | null {
    const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
    let fd = -1;
    try {
      fd = openSync(this.#folder.at(name), flags | constants.O_NOFOLLOW);
      const stat = fstatSync(fd);
      if (!stat.isFile() || !isOnlyOurs(stat) || stat.size > mostBytes) return null;
      const bytes = new Uint8Array(stat.size);
      if (readFully(fd, bytes, 0) < bytes.length) return null;
      markUsed(fd);
      return bytes;
    } catch {
      return null;
    } finally {
      if (fd >= 0) closeSync(fd);
    }
  }

  /** Replaces a file as a whole: whoever reads it meanwhile has the old one or the new one. */
  write(name: string, bytes: Uint8Array): void {
    const random = Math.floor(Math.random() * 2 ** 48).toString(36);
    const temporary = `${name}.${process.pid}-${random}${TEMPORARY}`;
    try {
      const fd = this.#folder.create(temporary);
      try {
        for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
      } finally {
        closeSync(fd);
      }
      this.#folder.rename(temporary, name);
    } catch {
      this.#remove(temporary);
      return;
    }
    if (this.#bytes !== null) this.#bytes += bytes.length;
    if (this.#bytes === null || this.#bytes > this.#mostBytes) this.#evict();
  }

  close(): void {
    this.#folder.close();
  }

  /** Removes what was not used for the longest time, until a quarter is free. */
  #evict(): void {
    const files = this.#files();
    let bytes = files.reduce((sum, { size }) => sum + size, 0);
    const abandoned = Date.now() - ABANDONED_AFTER_MS;
    const isFull = bytes > this.#mostBytes;
    files.sort((a, b) => a.mtimeMs - b.mtimeMs);
    for (const { name, size, mtimeMs } of files) {
      const isAbandoned = name.endsWith(TEMPORARY) && mtimeMs < abandoned;
      if (!isAbandoned && !(isFull && bytes > this.#mostBytes * 0.75)) continue;
      this.#remove(name);
      bytes -= size;
    }
    this.#bytes = bytes;
  }

  #files(): { name: string; size: number; mtimeMs: number }[] {
    const found: { name: string; size: number; mtimeMs: number }[] = [];
    try {
      for (const name of readdirSync(this.#folder.at('.'))) {
        const entry = this.#folder.entry(name);
        if (entry?.isFile()) found.push({ name, size: entry.size, mtimeMs: entry.mtimeMs });
      }
    } catch {
      return found;
    }
    return found;
  }

  #remove(name: string): void {
    try {
      this.#folder.remove(name);
    } catch {
      // It is gone already, or nothing can be removed here.
    }
  }
}

/** `perf-ts` below `home`, both made where they are missing; null where they are not ours alone. */
function openOwn(home: string): Folder | null {
  const parent = openOrMake(dirname(home), home);
  if (parent === null) return null;
  try {
    const entry = parent.entry(OWN_NAME);
    const own = entry === undefined ? make(parent, OWN_NAME) : parent.folder(OWN_NAME);
    if (own === null) return null;
    const { uid, mode } = own.stat();
    if (uid === actingUid() && (mode & 0o077) === 0) return own;
    own.close();
    return null;
  } finally {
    parent.close();
  }
}

/**
 * The user's folder of caches, which has to be ours in a place of ours or root's. Whether a group may write
 * to it does not matter: `perf-ts` in it is looked at by itself.
 */
function openOrMake(outside: string, home: string): Folder | null {
  const around = Folder.open(outside);
  try {
    if (!isTrusted(around.stat())) return null;
    const name = home.slice(outside.length).replaceAll('/', '');
    const isThere = around.entry(name) !== undefined;
    const folder = isThere ? Folder.open(home) : make(around, name);
    if (folder === null) return null;
    if (folder.stat().uid === actingUid() && isInTrusted(folder)) return folder;
    folder.close();
    return null;
  } finally {
    around.close();
  }
}

/** A link may have led elsewhere. */
function isInTrusted(folder: Folder): boolean {
  const around = Folder.open(`${folder.realPath()}/..`);
  try {
    return isTrusted(around.stat());
  } finally {
    around.close();
  }
}

/** Null if it can't be made, as on a read-only file system. */
function make(around: Folder, name: string): Folder | null {
  try {
    return around.makeFolder(name);
  } catch (error) {
    // Another process was faster.
    return (error as NodeJS.ErrnoException).code === 'EEXIST' ? around.folder(name) : null;
  }
}

function isOnlyOurs({ uid, mode }: Stats): boolean {
  return uid === actingUid() && (mode & OTHERS_MAY_WRITE) === 0;
}

/** The time of the last change serves as that of the last use, which file systems do not keep. */
function markUsed(fd: number): void {
  try {
    const now = new Date();
    futimesSync(fd, now, now);
  } catch {
    // A read-only file system.
  }
}
