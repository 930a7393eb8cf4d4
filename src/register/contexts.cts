// biome-ignore-all lint/style/noCommonJs: used by a preload of --require.

import type { CodeEventsLibrary } from './code-events.cts';

/** Exports of the code-events library for contexts, see `native/core/code_events/sample_contexts.h`. */
type Library = Pick<
  CodeEventsLibrary,
  | 'findContextFrame'
  | 'contextMark'
  | 'readContext'
  | 'contextCell'
  | 'armContexts'
  | 'microtask'
  | 'startStacks'
  | 'beginWork'
  | 'endWork'
>;

/** The requests in the contexts of a thread. */
type Contexts = {
  /** All that the calling code starts from now on is of the request with this mark; 0: of one without a mark. */
  enter(mark: number): void;
  end(): void;
};
type Hooks = typeof import('node:async_hooks');
/** Hooks that note work for libuv's pool. */
type Work = {
  init(type: string, resource: object): void;
  after(): void;
};
/** Keeps them in one way; null where that does not work here. */
type Way = (hooks: Hooks, library: Library, work: Work) => Contexts | null;

/**
 * Gives requests to the asynchronous contexts of the calling thread, so that each of its samples has one; null where that can't be. On
 * Node 24 and later V8 itself hands a frame from promise to promise, which costs nothing for each; elsewhere hooks do.
 */
exports.openContexts = (
  require: NodeJS.Require,
  library: Library,
  hasStacks: boolean,
): Contexts | null =>
  openByWays(require, library, noteWork, [keepInFrames, keepByHooks], hasStacks && keepStacks);

/** The same as the text of a function, for `marks.cts`. */
exports.openContextsText = (): string =>
  `(require, library, hasStacks) => (${openByWays})(require, library, ${noteWork}, [${[keepInFrames, keepByHooks]}], hasStacks && ${keepStacks})`;

// The functions below run by their text as well: they use nothing of this file, and only what Node 18 has. Numbers are
// those of `native/core/code_events/stream.h`: the lower 20 bits of a mark, or −1 for no request.

function openByWays(
  require: NodeJS.Require,
  library: Library,
  note: typeof noteWork,
  ways: readonly Way[],
  keep: typeof keepStacks | false,
): Contexts | null {
  const hooks = require('node:async_hooks') as Hooks;
  for (const way of ways) {
    const contexts = way(hooks, library, note(hooks, library));
    if (contexts === null) continue;
    if (library.armContexts()) {
      if (keep) keep(library);
      return contexts;
    }
    contexts.end();
    return null;
  }
  return null;
}

/**
 * Has the library keep stacks with awaiting functions. Its text of one is JSON: a number, and where that was not sent before, the frames, innermost first,
 * each as whether it awaits, its name, and where the function begins: script, line and column.
 */
function keepStacks(library: Library): void {
  const MOST_TEXTS = 4096;
  const [LIMIT, PREPARE] = ['stackTraceLimit', 'prepareStackTrace'];
  type Site = NodeJS.CallSite & {
    getEnclosingLineNumber?(): number | null;
    getEnclosingColumnNumber?(): number | null;
  };
  /** V8's own `Error`, whatever the program has put there. */
  const errorOfV8 = Object.getPrototypeOf(TypeError) as object;
  const propertyOf = (name: string) => Object.getOwnPropertyDescriptor(errorOfV8, name);
  /** A plain property: nothing of the program runs where it is read and set. */
  const isPlain = (name: string): boolean => {
    const property = propertyOf(name);
    if (property === undefined) return name === PREPARE && Object.isExtensible(errorOfV8);
    return property.writable === true && property.configurable === true;
  };
  const framesOf = (error: Error): string => {
    const own = propertyOf(PREPARE);
    let frames = '';
    const value = (_: Error, sites: Site[]): string => {
      frames = JSON.stringify(
        sites.map((site) => [
          site.isAsync() ? 1 : 0,
          String((site.isPromiseAll() && 'Promise.all') || site.getFunctionName() || ''),
          String(site.getScriptNameOrSourceURL() ?? ''),
          site.getEnclosingLineNumber?.() ?? 0,
          site.getEnclosingColumnNumber?.() ?? 0,
        ]),
      );
      return '';
    };
    try {
      Object.defineProperty(errorOfV8, PREPARE, { value, writable: true, configurable: true });
      String(error.stack);
    } finally {
      if (own === undefined) Reflect.deleteProperty(errorOfV8, PREPARE);
      else Object.defineProperty(errorOfV8, PREPARE, own);
    }
    return frames;
  };
  const numbers = new Map<string, number>();
  const describe = (error: Error): string | undefined => {
    try {
      if (!isPlain(LIMIT) || !isPlain(PREPARE)) return undefined;
      const frames = framesOf(error);
      const known = numbers.get(frames);
      if (known !== undefined) return `[${known}]`;
      if (frames === '' || numbers.size === MOST_TEXTS) return '';
      numbers.set(frames, numbers.size);
      return `[${numbers.size - 1},${frames}]`;
    } catch {
      return undefined;
    }
  };
  if (!isPlain(LIMIT) || !isPlain(PREPARE)) return;
  // The library has the place of V8's count by the version: it is used where it counts.
  let before = library.microtask();
  if (before !== -1) return;
  let left = 20;
  const look = (): void => {
    const now = library.microtask();
    if (now <= before) return;
    before = now;
    if (--left === 0) library.startStacks(errorOfV8, describe);
    else void Promise.resolve().then(look);
  };
  void Promise.resolve().then(look);
}

/**
 * Work for libuv's pool is noted where its object is made, in the context of who asks for it, until its callback has run. A stream of zlib
 * has one object for all that it does.
 */
function noteWork({ executionAsyncResource }: Hooks, library: Library): Work {
  const CRYPTO =
    'ARGON2 CHECKPRIME CIPHER DERIVEBITS HASH KEYEXPORT KEYGEN KEYPAIRGEN PBKDF2 RANDOMBYTES RANDOMPRIME SCRYPT SIGN VERIFY';
  const FILES = 'FSREQCALLBACK FSREQPROMISE FILEHANDLECLOSEREQ';
  const NAMES = 'GETADDRINFOREQWRAP GETNAMEINFOREQWRAP';
  const ZLIB = 'ZLIB';
  const crypto = CRYPTO.split(' ').map((each) => `${each}REQUEST`);
  const types = new Set([ZLIB, ...`${FILES} ${NAMES}`.split(' '), ...crypto]);
  const KINDS = 32;
  /** Numbers by prototype: Node has several classes of objects of one type. */
  const kinds = new Map<object, number>();
  const kindOf = (resource: object): number => {
    const prototype = Object.getPrototypeOf(resource) as object;
    const kind = kinds.get(prototype) ?? kinds.size;
    if (kind < KINDS) kinds.set(prototype, kind);
    return kind;
  };
  /** So much is noted of a thread: a million records, of 32 bytes. */
  let left = 500_000;
  const begun = new WeakMap<object, { work: number; kind: number; goesOn: boolean }>();
  return {
    init(type, resource) {
      if (left === 0 || !types.has(type)) return;
      if (--left === 0) return library.endWork(0, 0, false);
      try {
        const kind = kindOf(resource);
        const asker = begun.get(executionAsyncResource())?.work ?? 0;
        const work = library.beginWork(resource, kind, asker);
        if (work !== 0) begun.set(resource, { work, kind, goesOn: type === ZLIB });
      } catch {
        // A program's own object of that type, which is none.
      }
    },
    after() {
      const it = begun.get(executionAsyncResource());
      if (it !== undefined) library.endWork(it.work, it.kind, it.goesOn);
    },
  };
}

/** The library reads the number in V8's frame: nothing is called for a promise, and an object is made for each request. */
function keepInFrames(
  { AsyncLocalStorage, createHook }: Hooks,
  library: Library,
  work: Work,
): Contexts | null {
  const NUMBERS = 0xfffff;
  /** The bits above the number, which mark our value among others. */
  const MARK = library.contextMark();
  const storage = new AsyncLocalStorage<number>();
  let places = 0;
  const find = (): void => {
    places = library.findContextFrame();
  };
  for (const number of [1, 2, 3]) storage.run(MARK | number, find);
  const isRead = (number: number): boolean =>
    storage.run(MARK | number, () => library.readContext()) === number;
  // Beside the value of another too; and without ours none is read.
  const other = new AsyncLocalStorage<object>();
  const isFound =
    places === 1 && isRead(5) && other.run({}, () => isRead(6)) && library.readContext() > NUMBERS;
  other.disable();
  if (!isFound) {
    storage.disable();
    return null;
  }
  let promises = 0;
  const hook = createHook({
    init(_id, type, _trigger, resource) {
      if (type === 'PROMISE') promises++;
      else work.init(type, resource);
    },
    after: work.after,
    trackPromises: false,
  } as Parameters<typeof createHook>[0]);
  hook.enable();
  // A Node that knows no such option would call it for each promise.
  void new Promise(() => {});
  if (promises > 0) hook.disable();
  return {
    enter: (mark) => storage.enterWith(MARK | (mark & NUMBERS)),
    end: () => {
      hook.disable();
      storage.disable();
    },
  };
}

/** Each resource keeps the number that is current where it begins. Nothing may throw: Node ends a program whose hook does. */
function keepByHooks(hooks: Hooks, library: Library, work: Work): Contexts | null {
  const NUMBERS = 0xfffff;
  const NONE = -1;
  const buffer = library.contextCell();
  if (buffer === undefined) return null;
  const cell = new Int32Array(buffer);
  const key = Symbol('perf-ts request');
  type Resource = { [key]?: number };
  const { executionAsyncResource } = hooks as { executionAsyncResource(): Resource };
  /** Numbers around those that run now. */
  const outer: number[] = [];
  let current = NONE;
  const hook = hooks.createHook({
    init(_id, type, _trigger, resource) {
      work.init(type, resource);
      if (current === NONE) return;
      try {
        (resource as Resource)[key] = current;
      } catch {
        // One that takes nothing has no request.
      }
    },
    before() {
      outer.push(current);
      try {
        current = executionAsyncResource()[key] ?? NONE;
      } catch {
        current = NONE;
      }
      cell[0] = current;
    },
    after() {
      work.after();
      current = outer.pop() ?? NONE;
      cell[0] = current;
    },
  });
  hook.enable();
  return {
    enter: (mark) => {
      current = mark & NUMBERS;
      cell[0] = current;
      executionAsyncResource()[key] = current;
    },
    end: () => {
      hook.disable();
      cell[0] = NONE;
    },
  };
}

export declare function openContexts(
  require: NodeJS.Require,
  library: Library,
  hasStacks: boolean,
): Contexts | null;
export declare function openContextsText(): string;
