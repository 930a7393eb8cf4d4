import { closeSync, lstatSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { systemErrorReason } from '../../base/system-error.ts';
import type { Attachment } from '../../formats/perf-data/appendix.ts';
import {
  CODE_EVENTS_ATTACHMENT,
  NODE_NOTES_ATTACHMENT,
  PERF_MAP_ATTACHMENT,
  pidOfAttachment,
} from '../../read/jit/attachment-names.ts';
import {
  MAX_NOTES_BYTES,
  NOTES_FOLDER,
  notesPath,
  parseFirstNote,
  pidsWithNotes,
} from '../../read/jit/node-notes.ts';
import { readFully } from '../../system/files/read-some.ts';
import { openTrusted } from '../../system/files/trusted-file.ts';
import { lifeOf, readLifePlace } from '../../system/processes/life-mark.ts';
import { hasEnded } from '../../system/processes/living-thread.ts';
import { uidOfProcess } from '../../system/processes/processes-of-user.ts';
import { parseRecordingId } from '../../system/runtimes/recording-id.ts';
import { listOrEmpty } from '../../system/small-file.ts';
import { silentPlaces } from '../../system/strangers/silent-places.ts';
import { AttachmentPacking } from '../output/packed-attachment.ts';
import type { HeldFile, HeldNotes } from './held-notes.ts';

/** Files that Node processes left for us alongside V8's maps; taken into the recording, then removed. */
export type NodeFiles = {
  readonly attachments: readonly Attachment[];
  /** Processes that the recording started. */
  readonly startedPids: readonly number[];
  /** Their working directories when they began, by pid. */
  readonly directories: ReadonlyMap<number, string>;
  /** Notices about files left out, one sentence each. */
  readonly notices: readonly string[];
  /**
   * Removes those that processes which have ended wrote because of us. Call it when they are stored,
   * and again when others of the processes have ended.
   */
  remove(): void;
};

export type NodeFilesOptions = {
  /** The ID that `addNodeFlags` gave the command, so that its processes are known; null if nothing. */
  readonly recordingId: string | null;
  /** Uid of the command, if it runs as another user. */
  readonly commandUid: number | null;
  readonly startedMs: number;
  /** Notes of attached processes. */
  readonly heldNotes?: HeldNotes;
};

/** The first note is a process's directory, its version of Node and a number. */
const FIRST_NOTE_BYTES = 16 << 10;
/** Maximum for all processes together: a recording of the whole machine ends as soon as that of one program. */
const MAX_ALL_NOTES_BYTES = 2 * MAX_NOTES_BYTES;

/**
 * The notes of the processes that the recording started, and of those whose code is stored
 * (`perf-map/PID` or `code-events/PID` among `stored`); and the logs that V8 opens with its profiling flags and
 * leaves behind, `isolate-0x3a04bbb0-4711-v8.log`, in the directory where the process was.
 *
 * Anybody may put files of these names into /tmp. One of a process that was not recorded costs no more
 * than a look at its beginning.
 */
export function takeNodeFiles(
  stored: readonly { readonly name: string }[],
  { recordingId, commandUid, startedMs, heldNotes }: NodeFilesOptions,
  packing = new AttachmentPacking(),
): NodeFiles {
  const attachments: Attachment[] = [];
  const notices: string[] = [];
  const startedPids: number[] = [];
  /** Working directories of the processes that the recording started, by pid. */
  const directories = new Map<number, string>();
  /** Inodes of the notes of processes that no recorder which still runs has started, by pid. */
  const attached = new Map<number, number>();
  // Files that are held open came from there as well.
  const isSilent = silentPlaces.mayWait(NOTES_FOLDER);
  const withCode = isSilent ? new Set<number>() : pidsWithCode(stored);
  let room = MAX_ALL_NOTES_BYTES;
  for (const pid of new Set([
    ...withCode,
    ...(recordingId === null || isSilent ? [] : pidsWithNotes()),
  ])) {
    const owners = [uidOfProcess(pid), commandUid].filter((uid) => uid !== null);
    const held = heldNotes?.of(pid) ?? null;
    const file = held ?? openNotes(pid, owners);
    if (file === null) continue;
    try {
      const first = parseFirstNote(readBytes(file.fd, FIRST_NOTE_BYTES));
      const process = first?.kind === 'process' ? first : null;
      const isOurs = recordingId !== null && process?.recording === recordingId;
      if (!isOurs && !withCode.has(pid)) continue;
      const bytes = readBytes(file.fd, Math.min(file.size, MAX_NOTES_BYTES, room));
      room -= bytes.length;
      if (bytes.length < file.size) {
        notices.push(
          `${notesPath(pid)} has ${file.size} bytes: only the first ${bytes.length} of the notes are kept`,
        );
      }
      attachments.push(packing.pack(`${NODE_NOTES_ATTACHMENT}${pid}`, bytes));
      if (process !== null && !isOurs && !hasRecorder(process)) attached.set(pid, file.inode);
      if (!isOurs || process === null) continue;
      startedPids.push(pid);
      directories.set(pid, process.cwd);
    } catch (error) {
      notices.push(`${notesPath(pid)} is left out: ${systemErrorReason(error)}`);
    } finally {
      if (held === null) closeSync(file.fd);
    }
  }
  return {
    attachments,
    startedPids,
    directories: new Map(directories),
    notices,
    remove: () => {
      if (silentPlaces.mayWait(NOTES_FOLDER)) return;
      for (const [pid, directory] of directories) {
        if (!hasEnded(pid)) continue;
        directories.delete(pid);
        const logs = silentPlaces.mayWait(directory) ? [] : logsOf(directory, pid);
        const files = [notesPath(pid), ...logs];
        for (const path of files) removeIfNew(path, startedMs);
      }
      for (const [pid, inode] of attached) {
        if (!hasEnded(pid)) continue;
        attached.delete(pid);
        removeAttached(pid, inode);
      }
    },
  };
}

function openNotes(pid: number, owners: readonly number[]): HeldFile | null {
  const file = openTrusted(notesPath(pid), owners);
  return file.kind === 'refused' ? null : file;
}

/** Whether the recorder that started a process may still be there. */
function hasRecorder({ recording }: { readonly recording?: string }): boolean {
  if (recording === undefined) return false;
  const id = parseRecordingId(recording);
  return id === null || lifeOf(id.recorder, readLifePlace()) !== 'ended';
}

/** The first bytes of an open file, as many as there are. */
function readBytes(fd: number, most: number): Uint8Array {
  const bytes = new Uint8Array(most);
  return bytes.subarray(0, readFully(fd, bytes, 0));
}

/** Processes whose code is stored, in whatever form. */
export function pidsWithCode(stored: readonly { readonly name: string }[]): Set<number> {
  return new Set(
    stored.flatMap(
      ({ name }) => pidOfAttachment(name, PERF_MAP_ATTACHMENT, CODE_EVENTS_ATTACHMENT) ?? [],
    ),
  );
}

function logsOf(directory: string, pid: number): string[] {
  return listOrEmpty(directory)
    .filter((name) => /^isolate-0x[0-9a-f]+-(\d+)-v8\.log$/.exec(name)?.[1] === `${pid}`)
    .map((name) => join(directory, name));
}

/** A process that ended while it was recorded has left its notes to us, but for those beside V8's map. */
function removeAttached(pid: number, inode: number): void {
  try {
    if (lstatSync(`/tmp/perf-${pid}.map`, { throwIfNoEntry: false }) !== undefined) return;
    if (lstatSync(notesPath(pid)).ino === inode) unlinkSync(notesPath(pid));
  } catch {
    // Gone, or not ours to remove: it stays.
  }
}

function removeIfNew(path: string, startedMs: number): void {
  try {
    const stat = lstatSync(path);
    if (stat.isFile() && stat.mtimeMs >= startedMs) unlinkSync(path);
  } catch {
    // Gone, or not ours to remove: it stays.
  }
}
