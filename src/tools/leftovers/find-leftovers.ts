import type { Stats } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { lateModules } from '../../base/late-modules.ts';
import { actingUid } from '../../system/accounts/file-identity.ts';
import { Folder } from '../../system/files/folder.ts';
import { ownerOfFolder } from '../../system/files/own-folder.ts';
import { registeredFolders } from '../../system/files/registered-folders.ts';
import { type LifePlace, lifeOf, readLifePlace } from '../../system/processes/life-mark.ts';
import { hasEnded } from '../../system/processes/living-thread.ts';
import { silentPlaces } from '../../system/strangers/silent-places.ts';
import type { Leftover, LeftoverPlaces } from './leftover.ts';
import { notesLeftovers } from './notes-leftovers.ts';

const NOTES = /^perf-ts-(\d+)\.notes$/;
const MAP = /^perf-(\d+)\.map$/;
const SOCKET = /^(\d+)\.sock$/;
/** Permissions that others do not have on a folder of ours. */
const OTHERS = 0o077;

/** The places of this user. */
export function ownPlaces(): LeftoverPlaces {
  const uid = actingUid();
  const temporary = [...new Set([tmpdir(), '/tmp'])];
  return { uid, shared: '/tmp', sockets: registeredFolders(uid), temporary };
}

/**
 * Finds what processes that have ended left behind in `places`, and nothing that somebody may still use: a pid
 * without a process proves no death by itself, see `LifeMark`. Maps that no notes explain are never removed, and
 * not looked for where only what is `useless` is wanted.
 */
export async function findLeftovers(
  places: LeftoverPlaces,
  wanted: 'all' | 'useless' = 'all',
): Promise<Leftover[]> {
  const here = readLifePlace();
  const found: Leftover[] = [];
  await inFolder(places.shared, async (folder) => {
    found.push(...filesIn(folder, places.uid, here, wanted));
  });
  for (const path of places.sockets) {
    await inFolder(dirname(path), async (parent) => {
      found.push(...(await socketsIn(parent, basename(path), places.uid)));
    });
  }
  for (const path of places.temporary) {
    await inFolder(path, async (folder) => {
      found.push(...foldersIn(folder, places.uid, here));
    });
  }
  return found;
}

/** Notes, each behind what V8 left beside them, then maps that no notes explain. */
function filesIn(
  folder: Folder,
  uid: number,
  here: LifePlace | null,
  wanted: 'all' | 'useless',
): Leftover[] {
  const names = folder.names();
  const found: Leftover[] = [];
  const inUse = new Set<number>();
  for (const name of names) {
    const pid = Number(NOTES.exec(name)?.[1]);
    if (Number.isNaN(pid)) continue;
    const left = notesLeftovers(name, pid, { folder, here, uid });
    if (left.length === 0) inUse.add(pid);
    found.push(...left);
  }
  if (wanted === 'useless') return found;
  const explained = new Set(found.map(({ path }) => path));
  for (const name of names) {
    const pid = Number(MAP.exec(name)?.[1]);
    const path = join(folder.path, name);
    if (Number.isNaN(pid) || explained.has(path)) continue;
    if (inUse.has(pid) || !hasEnded(pid)) continue;
    const stat = folder.entry(name);
    if (!stat?.isFile() || stat.uid !== uid) continue;
    const kept = 'the program may have written it for perf, which reads it later';
    found.push({ ...described(stat), kind: 'map', path, of: `process ${pid}`, kept });
  }
  return found;
}

/** Sockets of `perf-ts/register` at which nobody listens, and their folder where nothing else is in it. */
async function socketsIn(parent: Folder, name: string, uid: number): Promise<Leftover[]> {
  const entry = parent.entry(name);
  if (!isOurs(entry, uid)) return [];
  const folder = parent.folder(name);
  try {
    const found: Leftover[] = [];
    const names = folder.names();
    for (const socket of names) {
      const pid = SOCKET.exec(socket)?.[1];
      const stat = folder.entry(socket);
      if (pid === undefined || !stat?.isSocket() || stat.uid !== uid) continue;
      if (!(await isDeaf(folder.at(socket)))) continue;
      const path = join(folder.path, socket);
      const of = `process ${pid}`;
      found.push({ ...described(stat), kind: 'socket', path, of, kept: null, isUseless: true });
    }
    if (found.length < names.length) return found;
    const of = 'programs that import perf-ts/register';
    const self = described(entry);
    return [...found, { ...self, bytes: 0, kind: 'folder', path: folder.path, of, kept: null }];
  } finally {
    folder.close();
  }
}

/** Whether nobody listens at a socket; false where that can't be known. */
function isDeaf(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = lateModules.net.connect(path);
    const end = (deaf: boolean): void => {
      socket.destroy();
      resolve(deaf);
    };
    socket.once('connect', () => end(false));
    socket.once('error', ({ code }: NodeJS.ErrnoException) => end(code === 'ECONNREFUSED'));
  });
}

/** Temporary folders of ours, whose names say which process made them. */
function foldersIn(parent: Folder, uid: number, here: LifePlace | null): Leftover[] {
  const found: Leftover[] = [];
  for (const name of parent.names()) {
    const owner = ownerOfFolder(name);
    const stat = owner === null ? undefined : parent.entry(name);
    if (owner === null || !isOurs(stat, uid)) continue;
    const life = lifeOf(owner, here);
    if (life === 'running') continue;
    const path = join(parent.path, name);
    const kept = life === 'ended' ? null : life.unknown;
    const bytes = bytesBelow(parent, name);
    const of = `process ${owner.pid}`;
    found.push({ ...described(stat), kind: 'folder', path, bytes, of, kept, isUseless: true });
  }
  return found;
}

function bytesBelow(parent: Folder, name: string): number {
  const folder = parent.folder(name);
  try {
    return folder.names().reduce((sum, inner) => {
      const stat = folder.entry(inner);
      return sum + (stat?.isDirectory() ? bytesBelow(folder, inner) : (stat?.size ?? 0));
    }, 0);
  } finally {
    folder.close();
  }
}

function isOurs(stat: Stats | undefined, uid: number): stat is Stats {
  return stat?.isDirectory() === true && stat.uid === uid && (stat.mode & OTHERS) === 0;
}

function described({ size, ino }: Stats) {
  return { bytes: size, inode: ino, isUseless: false };
}

/** Nothing is found in a folder that is not there, or that we may not list. */
async function inFolder(path: string, look: (folder: Folder) => Promise<void>): Promise<void> {
  await silentPlaces.settle([path]);
  if (silentPlaces.mayWait(path)) return;
  let folder: Folder;
  try {
    folder = Folder.open(path);
  } catch {
    return;
  }
  try {
    await look(folder);
  } catch {
    // Closed to us, or exchanged meanwhile.
  } finally {
    folder.close();
  }
}
