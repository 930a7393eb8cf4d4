// biome-ignore-all lint/style/noCommonJs: used by a preload of --require.

import type { CodeEventsLibrary, HeapSamples } from './code-events.cts';

/** Tools of `marks.cts`. */
type Tools = {
  readonly require: NodeJS.Require;
  readonly library: Pick<CodeEventsLibrary, 'note' | 'startHeap' | 'takeHeap'>;
  /** Name of the recorder's socket, which has what the recorder wants. */
  readonly socket: string;
  attempt(step: () => void): (of: unknown) => void;
  watch(
    of: object,
    name: string,
    see: (result: unknown, args: readonly unknown[]) => void,
    before?: (args: readonly unknown[]) => void,
  ): void;
  readonly undo: (() => void)[];
};

/**
 * Notes what V8's sampling heap profiler sees in the calling thread: all that is allocated, twice a second, or what is live,
 * ever more seldom. V8 has one for a thread: a program that uses it keeps it, and gets it when it starts its own.
 *
 *   { "kind": "heap", "of": "allocated" | "live", "tid", "fromNs", "toNs", "functions", "nodes", "samples" }
 *
 * `functions` (name, script, line and column from 1) and `nodes` (the caller's node or −1, function) are those that no note
 * before has; `samples` are node, bytes that one stands for, and how many there are. Those of `live` take the place of all
 * before. `tid` is 0 for the main thread. `{ "kind": "heapLeft", "tid" }`: V8 samples for the program, or not at all.
 */
exports.watchHeap = (tools: Tools): void => noteHeap(heapNotes, tools);

/** The same as text, for `take-in`. */
exports.watchHeapText = (): string => `(tools) => (${noteHeap})(${heapNotes}, tools)`;

// The functions below run by their text as well: they use nothing of this file, and only what Node 18 has.

function noteHeap(
  notes: typeof heapNotes,
  { require, library, socket, attempt, watch, undo }: Tools,
): void {
  /** Mean bytes between two samples, of which each takes V8 some microseconds, and 150 bytes until it is noted. */
  const INTERVAL = 262_144;
  const NOTE_MS = 500;
  /** The next note of what is live comes after such a part of the time that has passed. */
  const LIVE_PART = 1 / 8;
  const isLive = socket.includes('-live');
  const timers = require('node:timers') as typeof import('node:timers');
  const fs = require('node:fs') as typeof import('node:fs');
  const [pid, , tid] = fs.readlinkSync('/proc/thread-self').split('/');
  const thread = tid === pid ? 0 : Number(tid);
  const leave = (): void => library.note(JSON.stringify({ kind: 'heapLeft', tid: thread }));
  if (!library.startHeap(INTERVAL, isLive)) {
    leave();
    return;
  }
  const clock = (): number => Number(process.hrtime.bigint());
  const begunNs = clock();
  let fromNs = begunNs;
  const note = notes(INTERVAL);
  /** Notes what V8 has sampled; false where it samples no more. */
  const take = (isLast: boolean): boolean => {
    const taken = library.takeHeap(!isLive, isLive && isLast);
    if (taken === null) return false;
    const of = isLive ? 'live' : 'allocated';
    const span = { kind: 'heap', of, tid: thread, fromNs, toNs: clock() };
    library.note(JSON.stringify({ ...span, ...note(taken) }));
    if (isLive || isLast) return true;
    fromNs = clock();
    return library.startHeap(INTERVAL, isLive);
  };
  let timer: NodeJS.Timeout | undefined;
  const wait = (): void => {
    const passedMs = (clock() - begunNs) / 1e6;
    const next = attempt(() => {
      if (take(false)) wait();
    });
    timer = timers.setTimeout(next, isLive ? Math.max(NOTE_MS, passedMs * LIVE_PART) : NOTE_MS);
    timer.unref();
  };
  wait();
  let isOver = false;
  const end = (isNoted: boolean): void => {
    if (isOver) return;
    isOver = true;
    timers.clearTimeout(timer);
    if (isNoted) take(true);
    library.takeHeap(true, false);
  };
  undo.push(() => end(false));
  // V8 goes on where it samples already, with our interval, and the program would read our part of it.
  const endBefore = (name: string, owner: () => object): void =>
    attempt(() => {
      const before = ([method]: readonly unknown[]): void => {
        if (isOver || (name === 'post' && method !== 'HeapProfiler.startSampling')) return;
        end(true);
        leave();
      };
      watch(owner(), name, () => {}, before);
    })(undefined);
  endBefore('post', () => require('node:inspector').Session.prototype);
  endBefore('post', () => require('node:inspector/promises').Session.prototype);
  endBefore('startHeapProfile', () => require('node:v8'));
  // The method becomes the process's own, so that its exit is seen behind all listeners, and no listener is added.
  const { emit } = process;
  const own = { value: emit, configurable: true, writable: true, enumerable: false };
  Object.defineProperty(process, 'emit', own);
  watch(process, 'emit', (_result, [event]) => {
    if (event === 'exit') end(true);
  });
  undo.push(() => {
    if (process.emit === emit) Reflect.deleteProperty(process, 'emit');
  });
}

/** Makes the part of a note that has the samples, of notes of one thread. */
function heapNotes(interval: number): (taken: HeapSamples) => object {
  /** Beyond, samples count for callers. */
  const MOST_NODES = 65_536;
  const MOST_TEXT = 4096;
  const NODE_VALUES = 7;
  const functionRows = new Map<string, number>();
  const nodeRows = new Map<string, number>();
  return ([met, allocations]) => {
    const [functions, nodes, samples]: [unknown[], number[], number[]] = [[], [], []];
    const rows: number[] = [];
    for (let at = 0; at < met.length; at += NODE_VALUES) {
      const [above, name, script, number, position, line, column] = met.slice(
        at,
        at + NODE_VALUES,
      ) as [...[number, string, string], ...[number, number, number, number]];
      const caller = above < 0 ? -1 : rows[above];
      const place = `${number} ${position} ${name}`;
      // V8's root is no function.
      let row = above < 0 ? -1 : nodeRows.get(`${caller} ${functionRows.get(place)}`);
      if (row === undefined && nodeRows.size >= MOST_NODES) row = caller;
      if (row === undefined) {
        let of = functionRows.get(place);
        if (of === undefined) {
          of = functionRows.size;
          functionRows.set(place, of);
          functions.push(name.slice(0, MOST_TEXT), script.slice(0, MOST_TEXT), line, column);
        }
        row = nodeRows.size;
        nodeRows.set(`${caller} ${of}`, row);
        nodes.push(caller, of);
      }
      rows.push(row);
    }
    for (let at = 0; at < allocations.length; at += 3) {
      const [node, bytes, count] = allocations.slice(at, at + 3);
      // V8 has one sample stand for 1 / (1 − e^(−bytes / interval)) objects.
      const taken = Math.max(1, Math.round(count * -Math.expm1(-bytes / interval)));
      samples.push(rows[node], Math.round((bytes * count) / taken), taken);
    }
    return { functions, nodes, samples };
  };
}

export declare function watchHeap(tools: Tools): void;
export declare function watchHeapText(): string;
