import { readdirSync } from 'node:fs';
import type { Diagnostics } from '../../base/diagnostics.ts';
import {
  fieldOf,
  isJsonObject,
  numberField,
  parseForeignJson,
  textField,
} from '../../base/foreign-json.ts';
import { asArray } from '../../formats/import/json-text.ts';

/** A line of `/tmp/perf-ts-PID.notes`, which `src/register` writes inside a Node process. */
export type NodeNote =
  | {
      readonly kind: 'process';
      readonly pid: number;
      readonly node: string;
      readonly cwd: string;
      /** The recording whose flags it was started with; absent without. */
      readonly recording?: string;
      /** Its number among the workers of a cluster, from 1; absent if it is none. */
      readonly clusterWorker?: number;
      /** Proves its death, see `system/processes/life-mark.ts`; absent where it could not be read. */
      readonly life?: string;
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
  | { readonly kind: 'sourceMap'; readonly url: string; readonly map: object }
  | { readonly kind: 'heapLeft'; readonly tid: number }
  | HeapNote;

/** V8's samples of a thread's heap, see `register/heap.cts`. */
export type HeapNote = {
  readonly kind: 'heap';
  readonly of: 'allocated' | 'live';
  /** 0: the main thread. */
  readonly tid: number;
  /** Times on CLOCK_MONOTONIC. */
  readonly fromNs: number;
  readonly toNs: number;
  /** Name, script, line and column from 1, which are 0 where V8 does not know them. */
  readonly functions: readonly unknown[];
  readonly nodes: readonly unknown[];
  readonly samples: readonly unknown[];
};

/** The folder of the notes of all processes. */
export const NOTES_FOLDER = '/tmp';

/** Path at which a process leaves its notes. */
export function notesPath(pid: number): string {
  return `${NOTES_FOLDER}/perf-ts-${pid}.notes`;
}

const NOTES_NAME = /^perf-ts-(\d+)\.notes$/;

/** Processes by whose numbers there are notes now; anybody may have put them there. */
export function pidsWithNotes(): number[] {
  try {
    return readdirSync(NOTES_FOLDER).flatMap((name) => {
      const pid = NOTES_NAME.exec(name)?.[1];
      return pid === undefined ? [] : [Number(pid)];
    });
  } catch {
    return [];
  }
}

/** Read of the notes of one process; `src/register` writes at most as much in each thread. */
export const MAX_NOTES_BYTES = 64 * 2 ** 20;
/** `src/register` leaves out maps that make longer lines. */
const MAX_NOTE_BYTES = 16 * 2 ** 20;
/** `{"kind":"worker"}` has more bytes, so that a shorter line is not parsed at all. */
const MIN_NOTE_BYTES = 18;
const MAX_NOTES = 200_000;
/** Whoever writes more lines that make no sense does not write notes. */
const MAX_BAD_LINES = 1000;

const NEWLINE = 0x0a;

/**
 * The notes in such a file; a line that is not one, as the last one may be, is counted. Anybody may
 * write to /tmp, so the time and the memory that this takes are bounded whatever the bytes are.
 */
export function parseNotes(bytes: Uint8Array, diagnostics: Diagnostics): NodeNote[] {
  const notes: NodeNote[] = [];
  const decoder = new TextDecoder();
  const size = Math.min(bytes.length, MAX_NOTES_BYTES);
  let badLines = 0;
  let at = 0;
  while (at < size && badLines <= MAX_BAD_LINES && notes.length < MAX_NOTES) {
    const newline = bytes.indexOf(NEWLINE, at);
    const end = newline < 0 ? size : Math.min(newline, size);
    const length = end - at;
    const isNote = length >= MIN_NOTE_BYTES && length <= MAX_NOTE_BYTES;
    const note = isNote ? parseNote(decoder.decode(bytes.subarray(at, end))) : null;
    if (note !== null) notes.push(note);
    else if (length > 0) badLines++;
    at = end + 1;
    while (at < size && bytes[at] === NEWLINE) at++;
  }
  if (badLines > 0) diagnostics.count('node-notes-line-malformed', '', badLines);
  if (at < bytes.length) diagnostics.count('node-notes-too-long');
  return notes;
}

/** The note with which the file of a process begins; null where it does not. */
export function parseFirstNote(head: Uint8Array): NodeNote | null {
  const newline = head.indexOf(NEWLINE);
  return newline < 0 ? null : parseNote(new TextDecoder().decode(head.subarray(0, newline)));
}

/** Field by field: whoever may write to /tmp has written it. */
function parseNote(line: string): NodeNote | null {
  const note = parseForeignJson(line);
  const text = (name: string) => textField(note, name, MAX_NOTE_BYTES);
  const whole = (name: string): number | null => {
    const number = numberField(note, name);
    return number !== null && Number.isSafeInteger(number) ? number : null;
  };
  switch (fieldOf(note, 'kind')) {
    case 'process': {
      const [pid, node, cwd] = [whole('pid'), text('node'), text('cwd')];
      const [recording, life] = [text('recording'), text('life')];
      const clusterWorker = whole('clusterWorker');
      const isOdd = clusterWorker === null && fieldOf(note, 'clusterWorker') !== undefined;
      if (pid === null || node === null || cwd === null || isOdd) return null;
      return {
        ...{ kind: 'process', pid, node, cwd },
        ...(recording !== null && { recording }),
        ...(clusterWorker !== null && { clusterWorker }),
        ...(life !== null && { life }),
      };
    }
    case 'worker': {
      const [tid, number, script, name] = [
        whole('tid'),
        whole('number'),
        text('script'),
        text('name'),
      ];
      if (tid === null || number === null || script === null || name === null) return null;
      return { kind: 'worker', tid, number, script, name };
    }
    case 'sourceMap': {
      const url = text('url');
      const map = fieldOf(note, 'map');
      if (url === null || typeof map !== 'object' || map === null) return null;
      return { kind: 'sourceMap', url, map: usedOf(map) };
    }
    case 'heapLeft': {
      const tid = whole('tid');
      return tid === null ? null : { kind: 'heapLeft', tid };
    }
    case 'heap': {
      const of = text('of');
      const [tid, fromNs, toNs] = [whole('tid'), whole('fromNs'), whole('toNs')];
      if ((of !== 'allocated' && of !== 'live') || tid === null) return null;
      if (fromNs === null || toNs === null) return null;
      const list = (name: string) => asArray(fieldOf(note, name));
      const [functions, nodes, samples] = [list('functions'), list('nodes'), list('samples')];
      return { kind: 'heap', of, tid, fromNs, toNs, functions, nodes, samples };
    }
    default:
      return null;
  }
}

const USED_OF_MAP = ['version', 'sourceRoot', 'sources', 'names', 'mappings', 'sections'];

/** The line of a note with the source map of the script at `url`; null for what is none. `map` is foreign. */
export function sourceMapLine(url: string, map: unknown): Buffer | null {
  if (!isJsonObject(map)) return null;
  const note: NodeNote = { kind: 'sourceMap', url, map: usedOf(map) };
  return Buffer.from(`${JSON.stringify(note)}\n`);
}

/** A map without what nobody asks of it, which may be any amount of anything. */
function usedOf(map: object): object {
  const used = USED_OF_MAP.map((name) => [name, fieldOf(map, name)] as const);
  return Object.fromEntries(used.filter(([, value]) => value !== undefined));
}
