import type { Diagnostics } from '../../../base/diagnostics.ts';

/** A line of `/tmp/perf-ts-PID.notes`, which `src/register` writes inside a Node process. */
export type NodeNote =
  | {
      readonly kind: 'process';
      readonly pid: number;
      readonly node: string;
      readonly cwd: string;
      /** Whose flags it was started with; absent without. */
      readonly recording?: string;
    }
  | {
      readonly kind: 'worker';
      /** The kernel's number of the thread. */
      readonly tid: number;
      /** Node's number of the worker, from 1. */
      readonly number: number;
      /** Its script; empty for the thread in which Node runs loaders. */
      readonly script: string;
      readonly name: string;
    }
  | { readonly kind: 'sourceMap'; readonly url: string; readonly map: object };

/** Where a process leaves its notes. */
export function notesPath(pid: number): string {
  return `/tmp/perf-ts-${pid}.notes`;
}

export const MAX_NOTES_BYTES = 256 * 2 ** 20;

/** The notes in the text of such a file; a line that is none, as the last one may be, is counted. */
export function parseNotes(text: string, diagnostics: Diagnostics): NodeNote[] {
  const notes: NodeNote[] = [];
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const note = parseNote(line);
    if (note === null) diagnostics.count('line of Node notes not understood');
    else notes.push(note);
  }
  return notes;
}

function parseNote(line: string): NodeNote | null {
  let note: Record<string, unknown>;
  try {
    note = JSON.parse(line) as Record<string, unknown>;
  } catch {
    return null;
  }
  if (typeof note !== 'object' || note === null) return null;
  const texts = (...keys: string[]) => keys.every((key) => typeof note[key] === 'string');
  const numbers = (...keys: string[]) => keys.every((key) => Number.isSafeInteger(note[key]));
  const isWhole =
    (note.kind === 'process' && numbers('pid') && texts('node', 'cwd')) ||
    (note.kind === 'worker' && numbers('tid', 'number') && texts('script', 'name')) ||
    (note.kind === 'sourceMap' &&
      texts('url') &&
      typeof note.map === 'object' &&
      note.map !== null);
  return isWhole ? (note as NodeNote) : null;
}
