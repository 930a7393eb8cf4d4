import { closeSync, constants, fstatSync, openSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { type NodeNote, parseFirstNote } from '../../read/jit/node-notes.ts';
import { Folder } from '../../system/files/folder.ts';
import { readFully } from '../../system/files/read-some.ts';
import {
  type LifeMark,
  type LifePlace,
  lifeOf,
  parseLifeMark,
} from '../../system/processes/life-mark.ts';
import { wallTimeMs } from '../../system/processes/thread-stat.ts';
import { type LeftByV8, parseRecordingId } from '../../system/runtimes/recording-id.ts';
import type { Leftover } from './leftover.ts';

/** The first note is a process's directory, its version of Node and what it is known by. */
const FIRST_NOTE_BYTES = 16 << 10;
/** A process writes the first note in the millisecond in which it makes the file. */
const EMPTY_FOR_MS = 60_000;
/** Times of files are as coarse as the kernel's tick, and V8 opens its files before the notes. */
const SLACK_MS = 1000;

type ProcessNote = Extract<NodeNote, { kind: 'process' }>;
type Found = { readonly stat: Stats; readonly note: ProcessNote | null };
type Place = { readonly folder: Folder; readonly here: LifePlace | null; readonly uid: number };

/**
 * The notes of one process, `perf-ts-PID.notes`, if it has ended; before them what V8 wrote for a recorder
 * that has ended as well. Nothing where a process or its recorder still runs, or the file is another user's.
 */
export function notesLeftovers(name: string, pid: number, place: Place): Leftover[] {
  const { folder, here, uid } = place;
  const found = readFirst(folder, name, uid);
  if (found === null) return [];
  const { stat, note } = found;
  const leftover = (kept: string | null, isUseless = false): Leftover => ({
    kind: 'notes',
    path: join(folder.path, name),
    bytes: stat.size,
    of: `process ${pid}`,
    kept,
    isUseless,
    inode: stat.ino,
  });
  const life = note?.life === undefined ? null : parseLifeMark(note.life);
  if (life === null || life.pid !== pid) {
    const isAbandoned = stat.size === 0 && stat.mtimeMs < Date.now() - EMPTY_FOR_MS;
    return [leftover(isAbandoned ? null : 'it does not say which process wrote it')];
  }
  const state = lifeOf(life, here);
  if (state === 'running') return [];
  if (typeof state === 'object') return [leftover(state.unknown)];
  const recording = note?.recording === undefined ? null : parseRecordingId(note.recording);
  if (note !== null && recording !== null) {
    const recorder = lifeOf(recording.recorder, here);
    if (recorder === 'running') return [];
    if (recorder !== 'ended') return [leftover(`its recorder: ${recorder.unknown}`)];
    return [...leftByV8(life, recording, { note, stat }, place), leftover(null, true)];
  }
  const map = `perf-${pid}.map`;
  // A recorder that is attached holds them open.
  if (folder.entry(map) === undefined) return [leftover(null, true)];
  return [leftover(`it belongs to ${join(folder.path, map)}, which the program wrote for perf`)];
}

/** Null: another user's, or no regular file. */
function readFirst(folder: Folder, name: string, uid: number): Found | null {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
  let fd = -1;
  try {
    fd = openSync(folder.at(name), flags | constants.O_NOFOLLOW);
    const stat = fstatSync(fd);
    if (!stat.isFile() || stat.uid !== uid) return null;
    const bytes = new Uint8Array(Math.min(stat.size, FIRST_NOTE_BYTES));
    const first = parseFirstNote(bytes.subarray(0, readFully(fd, bytes, 0)));
    return { stat, note: first?.kind === 'process' ? first : null };
  } catch {
    return null;
  } finally {
    if (fd >= 0) closeSync(fd);
  }
}

/** Maps, dumps and logs that V8 wrote while the process ran, and because the recorder wanted it to. */
function leftByV8(
  { pid, startTicks }: LifeMark,
  { maps, dumps }: LeftByV8,
  { note, stat: notes }: { readonly note: ProcessNote; readonly stat: Stats },
  { folder, uid }: Place,
): Leftover[] {
  const startedMs = wallTimeMs(startTicks);
  const isOfProcess = (stat: Stats): boolean =>
    stat.isFile() &&
    stat.uid === uid &&
    stat.mtimeMs >= startedMs - SLACK_MS &&
    stat.birthtimeMs <= notes.mtimeMs + SLACK_MS;
  const found: Leftover[] = [];
  const add = (kind: Leftover['kind'], place: Folder, name: string): void => {
    const stat = place.entry(name);
    if (stat === undefined || !isOfProcess(stat)) return;
    const path = join(place.path, name);
    const { size: bytes, ino: inode } = stat;
    found.push({ kind, path, bytes, of: `process ${pid}`, kept: null, isUseless: true, inode });
  };
  if (maps) add('map', folder, `perf-${pid}.map`);
  if (!maps && !dumps) return found;
  let directory: Folder;
  try {
    directory = Folder.open(note.cwd);
  } catch {
    return found;
  }
  try {
    if (dumps) add('dump', directory, `jit-${pid}.dump`);
    const log = new RegExp(`^isolate-0x[0-9a-f]+-${pid}-v8\\.log$`);
    for (const name of directory.names()) if (log.test(name)) add('log', directory, name);
  } catch {
    // A directory that we may not list.
  } finally {
    directory.close();
  }
  return found;
}
