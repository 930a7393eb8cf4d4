import { lstatSync, readdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { Diagnostics } from '../../base/diagnostics.ts';
import type { Attachment } from '../../perf-data/appendix.ts';
import { NODE_NOTES_ATTACHMENT, readNotesNow } from '../read/javascript.ts';
import { PERF_MAP_ATTACHMENT } from '../read/jit-files.ts';
import { notesPath, parseNotes } from '../read/node-notes.ts';

const FASTEST = 1;

/** What Node processes left for us beside V8's maps: taken into the recording, then removed. */
export type NodeFiles = {
  readonly attachments: readonly Attachment[];
  /** Call it when they are stored, if the processes wrote them because of us. */
  remove(): void;
};

/**
 * The notes of the processes whose maps were stored (`perf-map/PID` among `stored`), and the logs that
 * V8 opens with its profiling flags and leaves behind: `isolate-0x3a04bbb0-4711-v8.log`, in the
 * directory where the process was.
 */
export function takeNodeFiles(stored: readonly Attachment[], startedMs: number): NodeFiles {
  const attachments: Attachment[] = [];
  const removable: string[] = [];
  const directories = new Map<string, number[]>();
  for (const { name } of stored) {
    if (!name.startsWith(PERF_MAP_ATTACHMENT)) continue;
    const pid = Number(name.slice(PERF_MAP_ATTACHMENT.length));
    const bytes = readNotesNow(pid, null);
    if (bytes === null) continue;
    removable.push(notesPath(pid));
    attachments.push({
      name: `${NODE_NOTES_ATTACHMENT}${pid}`,
      packing: 'deflate',
      unpackedSize: bytes.length,
      bytes: deflateSync(bytes, { level: FASTEST }),
    });
    for (const note of parseNotes(Buffer.from(bytes).toString(), new Diagnostics())) {
      if (note.kind !== 'process') continue;
      directories.set(note.cwd, [...(directories.get(note.cwd) ?? []), pid]);
    }
  }
  return {
    attachments,
    remove: () => {
      for (const [directory, pids] of directories) removable.push(...logsOf(directory, pids));
      for (const path of removable) removeIfNew(path, startedMs);
    },
  };
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
