/**
 * Loaded into the profiled program, by `node --require` in NODE_OPTIONS that perf-ts sets, or by
 * `node --import perf-ts/register`. It does what cannot be done from outside:
 *
 * - V8's flags for what starts later: workers of this process, and children through NODE_OPTIONS;
 * - notes that neither the kernel nor V8's map has: which thread is which worker, and the source
 *   maps of code that a loader (tsx, ts-node …) makes in memory.
 *
 * The notes are JSON lines in `/tmp/perf-ts-PID.notes`, see `NodeNote` in
 * `src/read/jit/node-notes.ts`. Whatever fails here is left undone: the program comes first.
 */

// biome-ignore-all lint/style/noCommonJs: a preload of --require is CommonJS.
const fs = require('node:fs') as typeof import('node:fs');
const nodeModule = require('node:module') as NodeModuleExports;
const { pathToFileURL } = require('node:url') as typeof import('node:url');
const workers = require('node:worker_threads') as typeof import('node:worker_threads');
const { noteOf, openNotes } =
  require('./source-map-note.cjs') as typeof import('./source-map-note.cts');

const { sendCode } = require('./code-events.cjs') as typeof import('./code-events.cts');

type Compile = (this: unknown, content: string, filename: string, ...rest: unknown[]) => unknown;
type Register = (this: unknown, ...args: unknown[]) => unknown;
type LoadResult = { readonly source?: unknown };
type Load = (
  url: string,
  context: unknown,
  nextLoad: (url: string, context: unknown) => LoadResult,
) => LoadResult;
type NodeModuleExports = {
  prototype: { _compile: Compile };
  /** Loaders that run in a separate thread. */
  register?: Register;
  /** Loaders in the thread that loads; Node 22.15 and later. */
  registerHooks?: Register;
  runMain(this: unknown, script: string, ...rest: unknown[]): unknown;
  syncBuiltinESMExports(): void;
};

/** Node's default name for a worker. */
const UNNAMED = 'WorkerThread';

/** Newer Nodes have them. */
type ThreadFacts = { readonly threadName?: string; readonly isInternalThread?: boolean };

const FLAGS = ['--perf-basic-prof', '--interpreted-frames-native-stack'];
const HIDE_LOG = ['--logfile=+', '--no-logfile-per-isolate'];
const DUMPING = /(?:^|\s)--perf[-_]prof\b/;
const NAMING = /(?:^|\s)--perf[-_](?:basic[-_])?prof\b/;

const notes = openNotes(process.pid, workers.isMainThread);

/** As the code-events library writes it. */
const ECONNREFUSED = '111';
/** Where a recorder takes the code of the processes that it started. */
const recorder = process.env.PERF_TS_CODE_EVENTS;

try {
  noteThread();
  if (workers.isMainThread && !isCodeReported()) nameWhatStartsLater();
  if (!workers.isMainThread && recorder !== undefined) reportCode(recorder);
  watchCommonJs();
  watchLoaders();
} catch {
  // A Node whose modules look different: its code in memory stays without source maps.
}

/** Whether V8's code goes to the recorder that started this process, or to one that will ask for it. */
function isCodeReported(): boolean {
  if (recorder !== undefined) return reportCode(recorder);
  try {
    const { listen } = require('./listen.cjs') as typeof import('./listen.cts');
    listen();
    return true;
  } catch {
    return false;
  }
}

/** False for a V8 of another kind; a recorder that has ended wants nothing any more. */
function reportCode(socket: string): boolean {
  try {
    sendCode(socket);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === ECONNREFUSED;
  }
}

function noteThread(): void {
  if (workers.isMainThread) {
    const { pid, version: node } = process;
    const recording = process.env.PERF_TS_RECORDING;
    notes.write({ kind: 'process', pid, node, cwd: process.cwd(), recording });
    return;
  }
  // The kernel's number of this thread: "4711/task/4715".
  const tid = Number(fs.readlinkSync('/proc/thread-self').split('/').pop());
  const { threadName = '', isInternalThread } = workers as ThreadFacts;
  const name = threadName === UNNAMED ? '' : threadName;
  const note = { kind: 'worker', tid, number: workers.threadId, name };
  // Loader threads and evaluated strings never load a script.
  notes.write({ ...note, script: isInternalThread === false ? '[eval]' : '' });
  const { runMain } = nodeModule;
  nodeModule.runMain = function (script, ...rest) {
    notes.write({ ...note, script });
    return runMain.call(this, script, ...rest);
  };
}

/** Setting V8's flags now leaves the thread that runs already without a map. */
function nameWhatStartsLater(): void {
  // It takes 2 ms to load.
  const v8 = require('node:v8') as typeof import('node:v8');
  const given = `${process.env.NODE_OPTIONS ?? ''} ${process.execArgv.join(' ')}`;
  const isNamed = NAMING.test(given);
  // A jitdump tells the functions that V8 inlined from the positions in their baseline code, which V8
  // otherwise puts off until several functions are due.
  if (process.env.PERF_TS_RECORDING !== undefined && DUMPING.test(given)) {
    v8.setFlagsFromString('--no-baseline-batch-compilation');
  }
  // V8 opens a log for each worker, too: `+` is a temporary file.
  if (!/(?:^|\s)--(?:prof\b|log)/.test(given)) {
    for (const flag of HIDE_LOG) v8.setFlagsFromString(flag);
  }
  if (isNamed) return;
  for (const flag of FLAGS) v8.setFlagsFromString(flag);
  const preload = /\s/.test(__filename) ? `"${__filename}"` : __filename;
  const options = [process.env.NODE_OPTIONS, ...FLAGS, `--require=${preload}`];
  // A child that can't open its log in the directory would log to standard output.
  if (isWritable('.')) process.env.NODE_OPTIONS = options.filter(Boolean).join(' ');
  // A recorder that set all this up has reported it.
  if (process.env.PERF_TS_RECORDING !== undefined) return;
  process.stderr.write(
    'perf-ts/register: workers and children that start from now on will have names; the main ' +
      `thread of process ${process.pid} needs a restart with: node ${FLAGS.join(' ')}\n`,
  );
}

function isWritable(directory: string): boolean {
  try {
    fs.accessSync(directory, fs.constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * ts-node, tsx, Babel's and SWC's hooks all hand what they made of a CommonJS file to `_compile`.
 */
function watchCommonJs(): void {
  const { prototype } = nodeModule;
  const compile = prototype._compile;
  prototype._compile = function (content, filename, ...rest) {
    notes.write(noteOf(filename, content));
    return compile.call(this, content, filename, ...rest);
  };
}

/**
 * The loader registered last is asked first and sees what all others made, so each registration is
 * followed by one of ours.
 */
function watchLoaders(): void {
  const { register, registerHooks } = nodeModule;
  const hook = pathToFileURL(require.resolve('./load-hook.mjs')).href;
  if (register !== undefined) {
    nodeModule.register = function (...args) {
      const result = register.apply(this, args);
      register.call(this, hook, { data: { pid: process.pid } });
      return result;
    };
  }
  if (registerHooks !== undefined) {
    const load: Load = (url, context, nextLoad) => {
      const result = nextLoad(url, context);
      notes.write(noteOf(url, result.source));
      return result;
    };
    nodeModule.registerHooks = function (...args) {
      const result = registerHooks.apply(this, args);
      registerHooks.call(this, { load });
      return result;
    };
  }
  nodeModule.syncBuiltinESMExports();
}
