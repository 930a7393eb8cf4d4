// biome-ignore-all lint/style/noCommonJs: used by a preload of --require.
const fs = require('node:fs') as typeof import('node:fs');
const nodeModule = require('node:module') as unknown as { runMain: unknown };
const workers = require('node:worker_threads') as typeof import('node:worker_threads');

type Notes = { write(note: object | null): void };
/** Newer Nodes have them. */
type ThreadFacts = { readonly threadName?: string; readonly isInternalThread?: boolean };

/** Node's default name for a worker. */
const UNNAMED = 'WorkerThread';
const EVALUATED = '[eval]';

/**
 * Notes which process or worker this thread is. `isRequired`: `--require` loaded the preload, before
 * Node knows the worker's script; false under `--import`, which comes after it.
 */
exports.noteThread = (notes: Notes, isRequired: boolean): void => {
  if (workers.isMainThread) {
    const { pid, version: node } = process;
    const recording = process.env.PERF_TS_RECORDING;
    const clusterWorker = clusterNumber();
    notes.write({ kind: 'process', pid, node, cwd: process.cwd(), recording, clusterWorker });
    return;
  }
  // The kernel's number of this thread: "4711/task/4715".
  const tid = Number(fs.readlinkSync('/proc/thread-self').split('/').pop());
  const { threadName = '' } = workers as ThreadFacts;
  const name = threadName === UNNAMED ? '' : threadName;
  const note = { kind: 'worker', tid, number: workers.threadId, name };
  // Loader threads and evaluated strings never run a main script.
  notes.write({ ...note, script: isOfLoaders() ? '' : isRequired ? EVALUATED : mainScript() });
  if (!isRequired) return;
  onceRead('runMain', () => {
    const script = mainScript();
    if (script !== EVALUATED) notes.write({ ...note, script });
  });
};

/** Whether Node itself started this thread, to run loaders in it: nothing can be posted to such. */
function isOfLoaders(): boolean {
  return (workers as ThreadFacts).isInternalThread ?? workers.parentPort === null;
}

/** The script of this worker, which Node puts in front of its arguments just before it runs it. */
function mainScript(): string {
  const script = process.argv[1] ?? '';
  return /^(?:\/|file:|data:)/.test(script) ? script : EVALUATED;
}

/** Number of this process among the workers of a cluster, from 1; undefined if it is none. */
function clusterNumber(): number | undefined {
  if (process.send === undefined) return undefined;
  return (require('node:cluster') as { worker?: { id: number } }).worker?.id;
}

/** Calls back when Node reads a property of `module`, and leaves no frame behind. */
function onceRead(key: 'runMain', whenRead: () => void): void {
  const value = nodeModule[key];
  const restore = (to: unknown): void => {
    Object.defineProperty(nodeModule, key, {
      value: to,
      configurable: true,
      enumerable: true,
      writable: true,
    });
  };
  Object.defineProperty(nodeModule, key, {
    configurable: true,
    enumerable: true,
    get: () => {
      restore(value);
      whenRead();
      return value;
    },
    set: restore,
  });
}

export declare function noteThread(notes: Notes, isRequired: boolean): void;
