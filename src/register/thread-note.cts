// biome-ignore-all lint/style/noCommonJs: used by a preload of --require.
const { fs } = require('./node-fs.cjs') as typeof import('./node-fs.cts');
const nodeModule = (require('./node-module.cjs') as typeof import('./node-module.cts'))
  .nodeModule as { runMain: unknown };

type Workers = typeof import('node:worker_threads');
type Notes = { write(note: object | null): void };
/** Newer Nodes have them. */
type ThreadFacts = { readonly threadName?: string; readonly isInternalThread?: boolean };

/** Node's default name for a worker. */
const UNNAMED = 'WorkerThread';
const EVALUATED = '[eval]';
/** Field of /proc/PID/stat behind the comm, see proc(5). */
const START_TICKS = 19;

/** "4711/task/4715", the kernel's numbers of this process and thread. */
const [ownPid, ownTid] = ((): readonly string[] => {
  try {
    return fs.readlinkSync('/proc/thread-self').split('/task/');
  } catch {
    return [];
  }
})();

/** Node's module about it takes 2 ms to load, so that it is asked where /proc does not report it. */
const isMain: boolean = ownPid === undefined ? loadWorkers().isMainThread : ownPid === ownTid;
exports.isMainThread = isMain;

/**
 * The mark by which others find out that this process has ended, see `LifeMark` in
 * `system/processes/life-mark.ts`; undefined where /proc is not of our PID namespace.
 */
function lifeMark(): string | undefined {
  try {
    const stat = fs.readFileSync('/proc/self/stat', 'latin1');
    if (Number.parseInt(stat, 10) !== process.pid) return undefined;
    const startTicks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[START_TICKS];
    const namespace = /\d+/.exec(fs.readlinkSync('/proc/self/ns/pid'))?.[0];
    const boot = fs.readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').slice(0, 8);
    return `${process.pid}-${startTicks}-${namespace}-${boot}`;
  } catch {
    return undefined;
  }
}

function loadWorkers(): Workers {
  return require('node:worker_threads') as Workers;
}

/**
 * Notes which process or worker this thread is. `isRequired`: `--require` loaded the preload, before
 * Node knows the worker's script; false under `--import`, which comes after it. `recording`: by what a file of
 * notes is known.
 */
exports.noteThread = (notes: Notes, isRequired: boolean, recording?: string): void => {
  if (isMain) {
    const { pid, version: node } = process;
    const clusterWorker = clusterNumber();
    const life = lifeMark();
    notes.write({ kind: 'process', pid, node, cwd: process.cwd(), recording, clusterWorker, life });
    return;
  }
  const workers = loadWorkers();
  const tid = Number(ownTid);
  const { threadName = '' } = workers as ThreadFacts;
  const name = threadName === UNNAMED ? '' : threadName;
  const note = { kind: 'worker', tid, number: workers.threadId, name };
  // Loader threads and evaluated strings never run a main script.
  notes.write({
    ...note,
    script: isOfLoaders(workers) ? '' : isRequired ? EVALUATED : mainScript(),
  });
  if (!isRequired) return;
  onceRead('runMain', () => {
    const script = mainScript();
    if (script !== EVALUATED) notes.write({ ...note, script });
  });
};

/** Whether Node itself started this thread, to run loaders in it: nothing can be posted to such. */
function isOfLoaders(workers: Workers): boolean {
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

export declare const isMainThread: boolean;
export declare function noteThread(notes: Notes, isRequired: boolean, recording?: string): void;
