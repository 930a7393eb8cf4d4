import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { lateModules } from '../../base/late-modules.ts';
import { actingUid } from '../accounts/file-identity.ts';
import { homeFolder, isLeft } from '../accounts/home-folder.ts';
import { Folder, isTrusted } from '../files/folder.ts';
import { makeFolders } from '../files/make-folders.ts';
import { readFully } from '../files/read-some.ts';
import { packageFile } from '../version.ts';

const OWN_NAME = 'perf-ts';
/** Folder of root's programs; all users may read it, since root's command may start Node as any of them. */
const OF_ROOT = '/var/lib';
const FOR_OWNER = 0o700;
const FOR_ALL = 0o755;
const OTHERS_MAY_WRITE = constants.S_IWGRP | constants.S_IWOTH;

/**
 * The files that `--require` may name for `register/boot`, the best first. The first ones are outside of the
 * package and stay when it moves or goes: a shell or a multiplexer keeps the environment for longer than the
 * recording lasts, and each Node that it starts ends where the file is not. They are made by the first look.
 */
export function* bootFiles(environment: NodeJS.ProcessEnv = process.env): Generator<string> {
  const packaged = packageFile('dist/register/boot.cjs');
  for (const [home, mode] of homes(environment)) {
    if (isLeft(home)) continue;
    const kept = keep(packaged, home, mode);
    if (kept !== null) yield kept;
  }
  yield packaged;
}

/** Folders for data of programs, each with the mode of ours in it. */
function homes({ XDG_DATA_HOME }: NodeJS.ProcessEnv): [string, number][] {
  const isRoot = actingUid() === 0;
  const mode = isRoot ? FOR_ALL : FOR_OWNER;
  // The specification ignores relative paths.
  if (XDG_DATA_HOME !== undefined && isAbsolute(XDG_DATA_HOME)) return [[XDG_DATA_HOME, mode]];
  const home = homeFolder();
  if (isRoot) return [[OF_ROOT, mode]];
  return home === null ? [] : [[join(home, '.local/share'), mode]];
}

/** Path of a copy of `file` in our folder below `home`, named by its content; null where there can be none. */
function keep(file: string, home: string, mode: number): string | null {
  try {
    const bytes = readFileSync(file);
    const hash = lateModules.crypto.createHash('sha256').update(bytes).digest('hex');
    const name = `boot-${hash.slice(0, 12)}.cjs`;
    const folder = openOwn(home, mode);
    if (folder === null) return null;
    try {
      if (!isThere(folder, name, bytes)) write(folder, name, bytes, mode);
      return join(folder.realPath(), name);
    } finally {
      folder.close();
    }
  } catch {
    // A read-only file system, a full one, or no home.
    return null;
  }
}

/** Null where the folder is not ours alone to write. */
function openOwn(home: string, mode: number): Folder | null {
  makeFolders(home, mode);
  const parent = Folder.open(home);
  try {
    if (!isTrusted(parent.stat())) return null;
    if (parent.entry(OWN_NAME) === undefined) makeOwn(parent, mode);
    const folder = parent.folder(OWN_NAME);
    const stat = folder.stat();
    if (stat.uid === actingUid() && (stat.mode & OTHERS_MAY_WRITE) === 0) return folder;
    folder.close();
    return null;
  } finally {
    parent.close();
  }
}

function makeOwn(parent: Folder, mode: number): void {
  const made = parent.makeFolder(OWN_NAME);
  chmodSync(made.at('.'), mode);
  made.close();
}

function isThere(folder: Folder, name: string, bytes: Uint8Array): boolean {
  if (folder.entry(name) === undefined) return false;
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
  const fd = openSync(folder.at(name), flags);
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile() || stat.uid !== actingUid() || (stat.mode & OTHERS_MAY_WRITE) !== 0) {
      return false;
    }
    const found = new Uint8Array(bytes.length + 1);
    return (
      readFully(fd, found, 0) === bytes.length && Buffer.compare(found.subarray(0, -1), bytes) === 0
    );
  } finally {
    closeSync(fd);
  }
}

/** Whoever reads the file meanwhile has the old one or the whole new one. */
function write(folder: Folder, name: string, bytes: Uint8Array, folderMode: number): void {
  const half = `${name}.${process.pid}-${lateModules.crypto.randomBytes(6).toString('hex')}`;
  const fd = folder.create(half);
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
    fchmodSync(fd, folderMode & 0o666);
    folder.rename(half, name);
  } catch (error) {
    folder.remove(half);
    throw error;
  } finally {
    closeSync(fd);
  }
}
