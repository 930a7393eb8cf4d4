import { NONE } from '../../base/brand.ts';
import type { Profile } from '../../profile/types.ts';
import { pathOfScript } from './script-path.ts';

/** A worker thread as its process noted it, or a worker of a cluster. */
export type Worker = {
  readonly pid: number;
  readonly tid: number;
  /** Node's number, from 1. */
  readonly number: number;
  /** Its script; empty for the thread in which Node runs loaders. */
  readonly script: string;
  /** The name that the program gave it; empty if none. */
  readonly name: string;
  /** True for a process that `node:cluster` started: its main thread is meant. */
  readonly isProcess?: boolean;
};

/**
 * The role of a thread of Node, by the function that it was started with. Many programs have a `worker`.
 */
const STARTED_WITH: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/^node::worker::Worker::StartThread/, 'Worker'],
  [/PlatformWorkerThread|WorkerThreadsTaskRunner/, 'V8 worker'],
  [/^(?:uv__)?worker$|^uv__thread_pool|^worker\(void/, 'libuv worker'],
  [/^node::inspector::.*(?:StartIoThread|InspectorIo)/, 'inspector'],
];

/**
 * Whether a thread of this name has nothing to do but what others give it: by the names above, or by
 * those that Node 22 and later give the kernel, which cuts them at 15 letters.
 */
export function isPoolThread(comm: string): boolean {
  return POOL.test(comm);
}

const POOL =
  /^(?:V8 worker|libuv worker|inspector|libuv-worker|(?:node-)?(?:V8Worker|DelayedTas\w*|SignalInsp\w*))$/;

/**
 * The profile with names for the threads of Node, which the kernel knows by the program's name.
 * Workers go by what they noted, `Worker #1 hash.ts`; without notes, and for the threads of V8 and
 * libuv, the outermost frames decide. The comms of samples stay those of the kernel.
 */
export function nameWorkers(profile: Profile, workers: readonly Worker[]): Profile {
  const names = namesOfThreads(profile, workers);
  if (names.size === 0) return profile;
  const threads = profile.threads.map((thread, row) => ({
    ...thread,
    comm: names.get(row) ?? thread.comm,
  }));
  return { ...profile, threads };
}

/** Row of a thread -> its name, for those that get one. */
function namesOfThreads(profile: Profile, workers: readonly Worker[]): Map<number, string> {
  const names = new Map<number, string>();
  const noted = new Map(workers.map((worker) => [`${worker.pid} ${worker.tid}`, worker]));
  const started = startNames(profile);
  let unnoted = 0;
  for (let row = 0; row < profile.threads.length; row++) {
    const { pid, tid } = profile.threads[row];
    const worker = noted.get(`${pid} ${tid}`);
    const start = started.get(row);
    if (worker !== undefined) names.set(row, nameOf(worker));
    else if (start === 'Worker') names.set(row, `Worker ?${++unnoted}`);
    else if (start !== undefined && tid !== pid) names.set(row, start);
  }
  return names;
}

function nameOf({ number, script, name, isProcess }: Worker): string {
  if (isProcess) return `cluster worker ${number}`;
  if (script === '') return 'Node loaders';
  const path = pathOfScript(script);
  const file = path.slice(path.lastIndexOf('/') + 1);
  return `Worker #${number} ${name === '' ? file : name}`;
}

/** Functions that only a process of Node has. */
const OF_NODE = /^(?:node|v8)::|^Builtins_/;

/** The outermost frames of each thread's stacks, where they are Node's. */
function startNames(profile: Profile): Map<number, string> {
  const { samples, stacks, frames, funcs, strings, threads } = profile;
  /** Per function: its place in `STARTED_WITH`, counted from 1; 0: it starts no thread of Node. */
  const kindOfFunc = Uint8Array.from({ length: funcs.length }, (_, func) => {
    const name = strings[funcs.name[func]];
    return STARTED_WITH.findIndex(([pattern]) => pattern.test(name)) + 1;
  });
  const isOfNode = Uint8Array.from({ length: funcs.length }, (_, func) =>
    OF_NODE.test(strings[funcs.name[func]]) ? 1 : 0,
  );
  const hasNode = new Uint8Array(stacks.length);
  /** Per stack row: the kind of its outermost frames, 0 where they have none. */
  const kinds = new Uint8Array(stacks.length);
  const depths = new Uint8Array(stacks.length);
  for (let row = 0; row < stacks.length; row++) {
    const prefix = stacks.prefix[row];
    const depth = prefix === NONE ? 0 : Math.min(255, depths[prefix] + 1);
    depths[row] = depth;
    const func = frames.func[stacks.frame[row]];
    const outer = prefix === NONE ? 0 : kinds[prefix];
    kinds[row] = outer === 0 && depth < OUTERMOST_FRAMES ? kindOfFunc[func] : outer;
    hasNode[row] = (prefix === NONE ? 0 : hasNode[prefix]) | isOfNode[func];
  }
  const names = new Map<number, string>();
  const nodePids = new Set<number>();
  for (let sample = 0; sample < samples.length; sample++) {
    const stack = samples.stack[sample];
    if (stack === NONE) continue;
    const thread = samples.thread[sample];
    const kind = kinds[stack];
    if (kind !== 0) names.set(thread, STARTED_WITH[kind - 1][1]);
    if (hasNode[stack] === 1) nodePids.add(threads[thread].pid);
  }
  for (const thread of names.keys()) {
    if (!nodePids.has(threads[thread].pid)) names.delete(thread);
  }
  return names;
}

/** `clone3`, `start_thread`, then the thread's own function. */
const OUTERMOST_FRAMES = 4;
