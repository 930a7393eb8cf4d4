import { lstatSync, readdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { Diagnostics } from '../../base/diagnostics.ts';
import type { Attachment } from '../../perf-data/appendix.ts';
import { uidOfProcess } from '../read/files/trusted-file.ts';
import { NODE_NOTES_ATTACHMENT, readNotesNow } from '../read/jit/javascript.ts';
import { PERF_MAP_ATTACHMENT } from '../read/jit/jit-files.ts';
import { notesPath, parseNotes } from '../read/jit/node-notes.ts';

const FASTEST = 1;

/** What Node processes left for us beside V8's maps: taken into the recording, then removed. */
export type NodeFiles = {
  readonly attachments: readonly Attachment[];
  /** Processes that the recording started. */
  readonly startedPids: readonly number[];
  /** Removes those that the processes wrote because of us. Call it when they are stored. */
  remove(): void;
};

export type NodeFilesOptions = {
  /** What `addNodeFlags` gave the command, so that its processes are known; null if nothing. */
  readonly recordingId: string | null;
  /** Uid of the command, if it runs as another user. */
  readonly commandUid: number | null;
  readonly startedMs: number;
};

const NOTES_NAME = /^perf-ts-(\d+)\.notes$/;

/**
 * The notes of the processes that the recording started, and of those whose maps were stored
 * (`perf-map/PID` among `stored`); and the logs that V8 opens with its profiling flags and leaves behind,
 * `isolate-0x3a04bbb0-4711-v8.log`, in the directory where the process was.
 */
export function takeNodeFiles(
  stored: readonly Attachment[],
  { recordingId, commandUid, startedMs }: NodeFilesOptions,
): NodeFiles {
  const attachments: Attachment[] = [];
  const removable: string[] = [];
  const startedPids: number[] = [];
  const directories = new Map<string, number[]>();
  const withMaps = new Set(stored.map(({ name }) => name));
  for (const pid of pidsWithNotes()) {
    const owners = [uidOfProcess(pid), commandUid].filter((uid) => uid !== null);
    const bytes = readNotesNow(pid, owners);
    if (bytes === null) continue;
    const notes = parseNotes(Buffer.from(bytes).toString(), new Diagnostics());
    const process = notes.find((note) => note.kind === 'process');
    const isOurs = recordingId !== null && process?.recording === recordingId;
    if (!isOurs && !withMaps.has(`${PERF_MAP_ATTACHMENT}${pid}`)) continue;
    attachments.push({
      name: `${NODE_NOTES_ATTACHMENT}${pid}`,
      packing: 'deflate',
      unpackedSize: bytes.length,
      bytes: deflateSync(bytes, { level: FASTEST }),
    });
    if (!isOurs || process === undefined) continue;
    startedPids.push(pid);
    removable.push(notesPath(pid));
    directories.set(process.cwd, [...(directories.get(process.cwd) ?? []), pid]);
  }
  return {
    attachments,
    startedPids,
    remove: () => {
      for (const [directory, pids] of directories) removable.push(...logsOf(directory, pids));
      for (const path of removable) removeIfNew(path, startedMs);
    },
  };
}

function pidsWithNotes(): number[] {
  try {
    return readdirSync('/tmp').flatMap((name) => {
      const pid = NOTES_NAME.exec(name)?.[1];
      return pid === undefined ? [] : [Number(pid)];
    });
  } catch {
    return [];
  }
}

function logsOf(directory: string, pids: readonly number[]): string[] {
  try {
    return readdirSync(directory)
      .filter((name) =>
        pids.includes(Number(/^isolate-0x[0-9a-f]+-(\d+)-v8\.log$/.exec(name)?.[1])),
      )
      .map((name) => join(directory, name));
  } catch {
    return [];
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
