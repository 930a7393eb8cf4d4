/**
 * Loaded into the profiled program, by `node --require` in NODE_OPTIONS that perf-ts sets, or by
 * `node --import perf-ts/register`. It does what cannot be done from outside:
 *
 * - V8's flags for what starts later: workers of this process, and children through NODE_OPTIONS;
 * - notes that neither the kernel nor V8's map has: which thread is which worker, and the source
 *   maps of code that a loader (tsx, ts-node …) or a test runner makes in memory.
 *
 * The notes are JSON lines in `/tmp/perf-ts-PID.notes`, see `NodeNote` in
 * `src/read/jit/node-notes.ts`. Whatever fails here is left undone: the program comes first.
 */

// biome-ignore-all lint/style/noCommonJs: a preload of --require is CommonJS.
const { sendCode } = require('./code-events.cjs') as typeof import('./code-events.cts');

/** As the code-events library writes it. */
const ECONNREFUSED = '111';
/** Socket of the recorder that started this process. */
const recorder = process.env.PERF_TS_CODE_EVENTS;
/** Whether the recorder that started this process goes on. */
let isRecorded = process.env.PERF_TS_RECORDING !== undefined;
/** Set where recorders can ask for this process's code. */
let listening: typeof import('./listen.cts') | null = null;
/**
 * Before any other module: what V8 has compiled before has no name, and loading modules makes Node's own
 * loader hot, which stands in the stacks of all that a program requires.
 */
const isSent = recorder !== undefined && reportCode(recorder);

const { fs } = require('./node-fs.cjs') as typeof import('./node-fs.cts');
const nodeModule = (require('./node-module.cjs') as typeof import('./node-module.cts'))
  .nodeModule as NodeModuleExports;
const { pathToFileURL } = require('node:url') as typeof import('node:url');
const { watchChildren } = require('./children.cjs') as typeof import('./children.cts');
const { noteOf, openNotes } =
  require('./source-map-note.cjs') as typeof import('./source-map-note.cts');
const { isMainThread, noteThread } =
  require('./thread-note.cjs') as typeof import('./thread-note.cts');
const { watchCommonJs } = require('./watch-commonjs.cjs') as typeof import('./watch-commonjs.cts');
const { watchVm } = require('./watch-vm.cjs') as typeof import('./watch-vm.cts');

type Register = (this: unknown, ...args: unknown[]) => unknown;
type LoadResult = { readonly source?: unknown };
type Load = (
  url: string,
  context: unknown,
  nextLoad: (url: string, context: unknown) => LoadResult,
) => LoadResult;
type NodeModuleExports = {
  /** Loaders that run in a separate thread. */
  register?: Register;
  /** Loaders in the thread that loads; Node 22.15 and later. */
  registerHooks?: Register;
  /** Not there before `node:module` is required: then there is nothing to be made the same. */
  syncBuiltinESMExports?(): void;
};

const FLAGS = ['--perf-basic-prof', '--interpreted-frames-native-stack'];
const HIDE_LOG = ['--logfile=+', '--no-logfile-per-isolate'];
const DUMPING = /(?:^|\s)--perf[-_]prof\b/;
const NAMING = /(?:^|\s)--perf[-_](?:basic[-_])?prof\b/;
/** In the environment of a process whose parent has printed what its flags lack. */
const REPORTED = 'PERF_TS_REGISTERED';

/** The first minor versions of Node in which `node:module` has a function, by major; later majors have it. */
const SINCE: Readonly<Record<'register' | 'registerHooks', Readonly<Record<number, number>>>> = {
  register: { 18: 19, 20: 6 },
  registerHooks: { 22: 15, 23: 5 },
};

const notes = openNotes(process.pid, isMainThread);
const see = (filename: unknown, code: unknown): void => notes.write(noteOf(filename, code));

attempt(nameCode);
attempt(() => watchCommonJs(see, mayHaveLoader()));
attempt(() => watchVm(see));
attempt(watchLoaders);
attempt(watchChildren);
attempt(() => nodeModule.syncBuiltinESMExports?.());
attempt(() => noteThread(notes, isRequired()));
attempt(removeNotesAtEnd);

/** Whether `--require` loaded this, and not `--import`. */
function isRequired(): boolean {
  const { _preload_modules: required = [] } = process as { _preload_modules?: readonly string[] };
  return required.some((path) => path.endsWith('/register/preload.cjs'));
}

/** Some Node's modules may look different: what is watched there stays without notes. */
function attempt(step: () => void): void {
  try {
    step();
  } catch {
    // The program runs as it does without us.
  }
}

function nameCode(): void {
  if (isMainThread) compileOneByOne();
  if (!isMainThread || (isSent && isRecorded)) return;
  // A recorder that ended before this process began has left it to the next one.
  if ((isSent || recorder === undefined) && isListening()) return;
  if (!isSent) nameWhatStartsLater();
}

/**
 * A recorder takes the notes of a process that has ended, and removes them; whoever reads V8's map or dump
 * needs them beside it. Without either they are of no use to anybody.
 */
function removeNotesAtEnd(): void {
  if (!isMainThread) return;
  process.on('exit', () => {
    const given = givenOptions();
    const isTaken = isRecorded || listening?.isTakenIn() === true;
    const stays = DUMPING.test(given) || fs.existsSync(`/tmp/perf-${process.pid}.map`);
    if (!isTaken && !stays) notes.remove();
  });
}

/** Whether V8's code goes to a recorder that will ask for it. */
function isListening(): boolean {
  try {
    listening = require('./listen.cjs') as typeof import('./listen.cts');
    listening.listen();
    return true;
  } catch {
    return false;
  }
}

/**
 * False for a V8 of another kind; a recorder that has ended wants nothing any more. A program that
 * outlives its recording can be recorded again.
 */
function reportCode(socket: string): boolean {
  try {
    sendCode(socket, () => {
      isRecorded = false;
      if (isMainThread) isListening();
    });
    return true;
  } catch (error) {
    const hasEnded = (error as NodeJS.ErrnoException).code === ECONNREFUSED;
    if (hasEnded) isRecorded = false;
    return hasEnded;
  }
}

/** Whether another preload came first, or Node compiles TypeScript's own syntax itself. */
function mayHaveLoader(): boolean {
  const given = givenOptions();
  const isFirst = Object.keys(require.cache).every((path) => path.startsWith(__dirname));
  return !isFirst || given.includes('--experimental-transform-types');
}

/**
 * A jitdump tells the functions that V8 inlined from the positions in their baseline code, which V8
 * otherwise puts off until several functions are due.
 */
function compileOneByOne(): void {
  if (process.env.PERF_TS_RECORDING === undefined || !DUMPING.test(givenOptions())) return;
  const v8 = require('node:v8') as typeof import('node:v8');
  v8.setFlagsFromString('--no-baseline-batch-compilation');
}

function givenOptions(): string {
  return `${process.env.NODE_OPTIONS ?? ''} ${process.execArgv.join(' ')}`;
}

/** Setting V8's flags now leaves the thread that runs already without a map. */
function nameWhatStartsLater(): void {
  // It takes 2 ms to load.
  const v8 = require('node:v8') as typeof import('node:v8');
  const given = givenOptions();
  const isNamed = NAMING.test(given);
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
  // A recorder that set all this up has reported it, or the parent of this process has.
  if (process.env.PERF_TS_RECORDING !== undefined || process.env[REPORTED] !== undefined) return;
  process.env[REPORTED] = `${process.pid}`;
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
 * The loader registered last is asked first and sees what all others made, so each registration is
 * followed by one of ours.
 */
function watchLoaders(): void {
  whenDefined('register', (register) => ({
    apply: (target, self, args) => {
      const result = Reflect.apply(target, self, args);
      const { href } = pathToFileURL(require.resolve('./load-hook.mjs'));
      Reflect.apply(register, self, [href, { data: { pid: process.pid } }]);
      return result;
    },
  }));
  const load: Load = (url, context, nextLoad) => {
    const result = nextLoad(url, context);
    see(url, result.source);
    return result;
  };
  whenDefined('registerHooks', (registerHooks) => ({
    apply: (target, self, args) => {
      const result = Reflect.apply(target, self, args);
      Reflect.apply(registerHooks, self, [{ load }]);
      return result;
    },
  }));
}

/** Whether this Node has such a function, though it may not have given it to the module yet. */
function comesWith(name: 'register' | 'registerHooks'): boolean {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const since = SINCE[name];
  const least = since[major];
  return least === undefined ? major > Math.min(...Object.keys(since).map(Number)) : minor >= least;
}

/**
 * Puts a proxy in the place of a function of `node:module`. Node gives the module these when it is first
 * required, which nobody has done yet, unless another preload came first. A program finds none that its Node
 * has not, and may give a class that extends `Module` one of its own, as Jest does.
 */
function whenDefined(
  name: 'register' | 'registerHooks',
  trapOf: (original: Register) => ProxyHandler<Register>,
): void {
  const original = nodeModule[name];
  if (original === undefined && !comesWith(name)) return;
  const shared = { enumerable: true, configurable: true };
  const define = (on: object, value: unknown): void => {
    const isWatched = on === nodeModule && typeof value === 'function';
    const seen = isWatched ? new Proxy(value as Register, trapOf(value as Register)) : value;
    Object.defineProperty(on, name, { ...shared, value: seen, writable: true });
  };
  if (original !== undefined) define(nodeModule, original);
  else {
    Object.defineProperty(nodeModule, name, {
      ...shared,
      get: () => undefined,
      set(this: object, value: unknown) {
        define(this, value);
      },
    });
  }
}
