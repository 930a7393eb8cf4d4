// biome-ignore-all lint/style/noCommonJs: used by a preload of --require.
const { fs } = require('./node-fs.cjs') as typeof import('./node-fs.cts');

/** Exports of the code-events library, see `native/glue/code_events_addon.cc`. */
export type CodeEventsLibrary = {
  /**
   * Sends the calling thread's code; throws with the reason if that can't be. `recorder`: the pid of whom alone it
   * is sent to, 0: not known.
   */
  start(socket: string, existing: boolean, onEnd?: () => void, recorder?: number): void;
  /** Whether the calling thread's code is sent now. */
  sends(): boolean;
  /**
   * Whether V8 gives functions that it compiles to bytecode from now on frames of their own; never where it may
   * make no machine code.
   */
  setInterpretedFrames(on: boolean): void;
  note(json: string): void;
  /** Begins a mark of `marks`; its number, 0 where nothing is recorded. */
  begin(kind: number, name: string): number;
  /** A request: the library leaves out the query, which may have secrets. */
  begin(kind: number, method: string | undefined, path: string | undefined): number;
  /** Ends it, with a better name where that is not empty. */
  end(id: number, status: number, name: string): void;
  add(kind: number, agoMs: number, lengthMs: number, name: string): void;
  /** See `contexts.cts`: looks for V8's frame of contexts within one, and returns in how many places it may be. */
  findContextFrame(): number;
  /** The bits above the number in such a frame. */
  contextMark(): number;
  /** The number in the current context; 2^32 − 1: none. */
  readContext(): number;
  /** Four bytes for the number where there is no such frame. */
  contextCell(): ArrayBuffer | undefined;
  /** Notes the context of each sample of the calling thread; false where the program uses SIGURG itself. */
  armContexts(): boolean;
  /** The number of microtasks that were finished before the one that runs; −1: none runs. */
  microtask(): number;
  /**
   * Has V8 keep stacks with the functions that await the one that runs, in errors of its own `Error`, and `describe` make a text of each,
   * from the event loop; undefined: nothing is kept any more.
   */
  startStacks(own: object, describe: (error: Error) => string | undefined): void;
  /**
   * Notes that Node's object of work for libuv's pool was made in the current context; returns a number of it, 0: it can't be told
   * from others. `kind`: below 32, of its class. `asker`: the number of the work whose callback runs, 0: of none.
   */
  beginWork(resource: object, kind: number, asker: number): number;
  /** The work was done. `goesOn`: the object may do more. 0: nothing is known of any from now on. */
  endWork(work: number, kind: number, goesOn: boolean): void;
  /** See `heap.cts`: V8's sampling heap profiler in the calling thread; false where the program uses it. */
  startHeap(interval: number, isLive: boolean): boolean;
  /** Its samples so far, see `native/glue/heap_samples.h`; null where it does not sample (any more). */
  takeHeap(ends: boolean, collects: boolean): HeapSamples | null;
  /** Lets recorders of this user and root ask for it, at a Unix socket; one in a process. */
  listen(path: string, onRequest: (line: string) => string): void;
  /** Whether a socket is there that nobody listens at. */
  isDeaf(path: string): boolean;
  stop(): void;
};

/** Nodes, seven values each, and allocations, three each. */
export type HeapSamples = readonly [nodes: readonly unknown[], allocations: readonly number[]];

/** Built here, else the package's own; both name no C library. */
const PLACES = [
  'build/Release/perf_ts_code_events.node',
  `prebuilds/${process.platform}-${process.arch}/code-events.so`,
];

/** Path of the library that V8's code is reported by; null where this package has none. */
const findLibrary = (): string | null =>
  PLACES.map((place) => `${__dirname}/../../${place}`).find((file) => fs.existsSync(file)) ?? null;

let loaded: CodeEventsLibrary | null = null;

/** The library in the calling thread. */
const load = (file: string): CodeEventsLibrary => {
  if (loaded !== null) return loaded;
  const addon = { exports: {} as CodeEventsLibrary };
  process.dlopen(addon as unknown as NodeJS.Module, file);
  loaded = addon.exports;
  return loaded;
};

/** The same of this package. */
const own = (): CodeEventsLibrary => {
  const file = findLibrary();
  if (file === null) throw new Error('perf-ts has no code-events library for this machine');
  return load(file);
};

/**
 * Reports what the calling thread compiles from now on to the recorder that listens at `socket`, until it closes or this
 * process ends. Throws where that can't be. To list what Node has compiled would take as long as a worker's start, and a
 * quarter of a main thread's: all of that is one row.
 */
const send = (
  library: CodeEventsLibrary,
  socket: string,
  recorder: number,
  onEnd: () => void,
): void => {
  const end = (): void => {
    onEnd();
    // V8 before 12 ends a program that makes a code cache of functions with such frames without the flag.
    if (Number.parseInt(process.versions.v8, 10) >= 12) library.setInterpretedFrames(false);
  };
  library.start(socket, false, end, recorder);
  // Not before: code that V8 has not announced would have a frame without a name.
  library.setInterpretedFrames(true);
};

exports.codeEventsLibrary = findLibrary;
exports.loadLibrary = load;
exports.loadOwn = own;
exports.sendCode = send;

export declare function codeEventsLibrary(): string | null;
export declare function loadLibrary(file: string): CodeEventsLibrary;
export declare function loadOwn(): CodeEventsLibrary;
export declare function sendCode(
  library: CodeEventsLibrary,
  socket: string,
  recorder: number,
  onEnd: () => void,
): void;
