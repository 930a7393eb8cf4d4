/**
 * Notes that only V8's own map or jitdump needs, which names neither threads nor the source maps of
 * code that a loader (tsx, ts-node …) or a test runner makes in memory: notes of them, JSON lines in
 * `/tmp/perf-ts-PID.notes`, see `NodeNote` in `src/read/jit/node-notes.ts`. Where V8's code is sent to
 * a recorder these come with it.
 */

// biome-ignore-all lint/style/noCommonJs: used by a preload of --require.
import type { Session } from './session.cts';

const nodeModule = (require('./node-module.cjs') as typeof import('./node-module.cts'))
  .nodeModule as NodeModuleExports;
const { noteOf, openNotes } =
  require('./source-map-note.cjs') as typeof import('./source-map-note.cts');
const { isMainThread, noteThread } =
  require('./thread-note.cjs') as typeof import('./thread-note.cts');

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

const DUMPING = /(?:^|\s)--perf[-_]prof\b/;

/** The first minor versions of Node in which `node:module` has a function, by major; later majors have it. */
const SINCE: Readonly<Record<'register' | 'registerHooks', Readonly<Record<number, number>>>> = {
  register: { 18: 19, 20: 6 },
  registerHooks: { 22: 15, 23: 5 },
};

let hasBegun = false;

/** `session`: of the recorder that has set V8's flags; null where the user has, for perf or a later report. */
exports.noteSources = (session: Session | null): void => {
  if (hasBegun) return;
  hasBegun = true;
  const { pathToFileURL } = require('node:url') as typeof import('node:url');
  const { watchCommonJs } =
    require('./watch-commonjs.cjs') as typeof import('./watch-commonjs.cts');
  const { watchVm } = require('./watch-vm.cjs') as typeof import('./watch-vm.cts');
  const notes = openNotes(process.pid, isMainThread);
  const see = (filename: unknown, code: unknown): void => notes.write(noteOf(filename, code));
  const given = givenOptions(session);
  const hook = () => pathToFileURL(require.resolve('./load-hook.mjs')).href;
  const steps = [
    () => isMainThread && session !== null && compileOneByOne(given),
    () => watchCommonJs(see, mayHaveLoader(given)),
    () => watchVm(see),
    () => watchLoaders(see, hook),
    () => nodeModule.syncBuiltinESMExports?.(),
    () => noteThread(notes, session !== null || isRequired(), session?.recording),
  ];
  for (const step of steps) attempt(step);
};

/** Whether `--require` loaded this, and not `--import`. */
function isRequired(): boolean {
  const { _preload_modules: required = [] } = process as { _preload_modules?: readonly string[] };
  return required.some((path) => path.endsWith('/register/preload.cjs'));
}

/** Some Node's modules may look different: what is watched there stays without notes. */
function attempt(step: () => unknown): void {
  try {
    step();
  } catch {
    // The program runs as it does without us.
  }
}

/** Whether another preload came first, or Node compiles TypeScript's own syntax itself. */
function mayHaveLoader(given: string): boolean {
  const isFirst = Object.keys(require.cache).every((path) => path.startsWith(__dirname));
  return !isFirst || given.includes('--experimental-transform-types');
}

/**
 * A jitdump tells the functions that V8 inlined from the positions in their baseline code, which V8
 * otherwise puts off until several functions are due.
 */
function compileOneByOne(given: string): void {
  if (!DUMPING.test(given)) return;
  const v8 = require('node:v8') as typeof import('node:v8');
  v8.setFlagsFromString('--no-baseline-batch-compilation');
}

function givenOptions(session: Session | null): string {
  return `${session?.words ?? ''} ${process.env.NODE_OPTIONS ?? ''} ${process.execArgv.join(' ')}`;
}

/**
 * The loader registered last is asked first and sees what all others made, so each registration is
 * followed by one of ours.
 */
function watchLoaders(see: (url: unknown, code: unknown) => void, hook: () => string): void {
  whenDefined('register', (register) => ({
    apply: (target, self, args) => {
      const result = Reflect.apply(target, self, args);
      Reflect.apply(register, self, [hook(), { data: { pid: process.pid } }]);
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

export declare function noteSources(session: Session | null): void;
