// biome-ignore-all lint/style/noCommonJs: used by a preload of --require.

const { watchMarks, watchMarksText } = require('./marks.cjs') as typeof import('./marks.cts');

/** Exports of the code-events library, see `native/glue/code_events_addon.cc`. */
type Library = {
  start(socket: string, existing: boolean, onEnd: () => void): void;
  setInterpretedFrames(on: boolean): void;
  note(json: string): void;
  stop(): void;
} & Parameters<typeof watchMarks>[1];
type TakeInThread = (
  require: NodeJS.Require,
  process: NodeJS.Process,
  options: TakeIn,
  onEnd?: () => void,
) => Library;

/** The library as a thread has loaded it. */
type Loaded = {
  exports: Library;
  /** Told that the thread's recorder is no more. */
  onEnd?: () => void;
  /** Whether the thread has a recorder that makes room. */
  isYielding?: boolean;
};

/** Options of the script below. */
export type TakeIn = {
  /** Path of the library, as the program sees it. */
  readonly library: string;
  /** Path of the recorder's socket, as the program sees it. */
  readonly socket: string;
  /** Whether the inspector was opened for this, and is to be closed. */
  readonly closesInspector: boolean;
  /** Whether it makes room for another recorder, as V8 tells one: it listens all the time. */
  readonly yields?: boolean;
  /** The script of a worker that is not taken in: the recorder's own thread in the program. */
  readonly exceptScript?: string;
};

/** Answer of the script. */
export type TakenIn = {
  readonly pid: number;
  readonly version: string;
  /** How long the program stood still while V8 listed its code. */
  readonly pauseMs: number;
};

/** The URL of code that is given as text: a file of perf-ts by `base/own-files.ts`, which stack cleaners leave out. */
const OWN_URL = '\n//# sourceURL=node:internal/perf-ts/take-in';

/** The expression that makes a Node process report V8's code, evaluated in its main thread. */
exports.takeInExpression = (options: TakeIn): string => {
  const given = JSON.stringify(options);
  const worker = JSON.stringify(workerExpressions(options));
  return `(${takeInProcess})(require, process, ${given}, ${threadText()}, ${worker})${OWN_URL}`;
};

/** The same in this process, from its main thread. */
exports.takeIn = (options: TakeIn, onEnd: () => void): string => {
  const inWorkers = workerExpressions(options);
  const takeIn: TakeInThread = (...all) => takeInThread(watchMarks, ...all);
  return takeInProcess(require, process as Inspected, options, takeIn, inWorkers, onEnd);
};

/** The text of a `TakeInThread`. */
const threadText = (): string => `(...all) => (${takeInThread})(${watchMarksText()}, ...all)`;

/** Expressions for a worker's inspector: the first is evaluated at once, the second where its event loop has not turned since. */
function workerExpressions(options: TakeIn): WorkerExpressions {
  const load = `(process.getBuiltinModule ?? require)`;
  const key = `perf-ts-awaits ${options.library}`;
  const given = `${JSON.stringify(options)}, ${JSON.stringify(key)}, ${threadText()}`;
  return {
    soon: `(${takeInWorker})(${load}, process, ${given})${OWN_URL}`,
    now: `${load}('node:async_hooks').createHook[Symbol.for(${JSON.stringify(key)})]?.()`,
  };
}

type WorkerExpressions = { readonly soon: string; readonly now: string };

type Inspected = NodeJS.Process & { _debugEnd(): void };

/** Answer of a worker's inspector; `result` is missing where it can't evaluate anything yet. */
type Answer = { readonly id?: number; readonly result?: { readonly result: { value?: unknown } } };

// The functions below run in the program, by their text: they use nothing of this file, and only what
// Node 18 has. `require` is the inspector's.

/**
 * The thread loads the library and starts it. It stays loaded when a recording ends; the next one
 * finds it.
 */
function takeInThread(
  watch: typeof watchMarks,
  require: NodeJS.Require,
  process: NodeJS.Process,
  { library, socket, yields = false }: TakeIn,
  onEnd: () => void = () => {},
): Library {
  const hooks = require('node:async_hooks') as typeof import('node:async_hooks');
  const key = Symbol.for(`perf-ts ${library}`);
  // On an object that programs seldom look at, and that a worker has before its modules are set up.
  const places = hooks.createHook as unknown as Record<symbol, Loaded | undefined>;
  let loaded = places[key];
  if (loaded === undefined) {
    loaded = { exports: {} as Library };
    process.dlopen(loaded as unknown as NodeJS.Module, library);
    Object.defineProperty(places, key, { value: loaded });
  }
  if (loaded.isYielding === true && !yields) {
    loaded.exports.stop();
    loaded.onEnd?.();
  }
  let endMarks = (): void => {};
  const end = (): void => {
    loaded.isYielding = false;
    endMarks();
    onEnd();
  };
  loaded.exports.start(socket, true, end);
  Object.assign(loaded, { onEnd: end, isYielding: yields });
  try {
    if (!socket.endsWith('-unmarked')) endMarks = watch(require, loaded.exports, socket);
  } catch {
    // There are no marks then.
  }
  const workers = require('node:worker_threads') as typeof import('node:worker_threads') & {
    threadName?: string;
    isInternalThread?: boolean;
  };
  const { pid, version: node } = process;
  if (workers.isMainThread) {
    const clusterWorker =
      process.send === undefined
        ? undefined
        : (require('node:cluster') as { worker?: { id: number } }).worker?.id;
    const note = { kind: 'process', pid, node, cwd: process.cwd(), clusterWorker };
    loaded.exports.note(JSON.stringify(note));
    return loaded.exports;
  }
  const fs = require('node:fs') as typeof import('node:fs');
  const tid = Number(fs.readlinkSync('/proc/thread-self').split('/').pop());
  const { threadName: name = '', threadId: number } = workers;
  // The thread in which Node runs loaders has neither a script nor a parent to write to, a worker that is given as text
  // or as a data: URL has no script.
  const isOfLoaders = workers.isInternalThread ?? workers.parentPort === null;
  const script = isOfLoaders ? '' : (process.argv[1] ?? '[eval]');
  loaded.exports.note(
    JSON.stringify({
      kind: 'worker',
      tid,
      number,
      name: name === 'WorkerThread' ? '' : name,
      script,
    }),
  );
  return loaded.exports;
}

/**
 * A worker is taken in by its own event loop. V8's inspector cancels a termination that comes while it evaluates
 * (`V8Debugger::reportTermination`), and Node terminates a worker once: one whose end came meanwhile would run on, and
 * who waits for it, as `process.exit` does, would never end. Only a worker whose loop has not turned until it is asked
 * again is taken in by the evaluation itself.
 */
function takeInWorker(
  require: NodeJS.Require,
  process: NodeJS.Process,
  options: TakeIn,
  name: string,
  takeIn: TakeInThread,
): void {
  if (options.exceptScript !== undefined && process.argv[1] === options.exceptScript) return;
  const hooks = require('node:async_hooks') as typeof import('node:async_hooks');
  const key = Symbol.for(name);
  const places = hooks.createHook as unknown as Record<symbol, (() => void) | undefined>;
  const takeInOnce = (): void => {
    if (places[key] === undefined) return;
    delete places[key];
    try {
      takeIn(require, process, options);
    } catch {
      // Its functions stay without names; the worker is none the wiser.
    }
  };
  Object.defineProperty(places, key, { value: takeInOnce, configurable: true });
  const timers = require('node:timers') as typeof import('node:timers');
  timers.setImmediate(takeInOnce).unref();
}

/** The main thread, and through a session of its own the workers that there are and that come. */
function takeInProcess(
  require: NodeJS.Require,
  process: Inspected,
  options: TakeIn,
  takeIn: TakeInThread,
  inWorkers: WorkerExpressions,
  onEnd: () => void = () => {},
): string {
  // SIGUSR1 may open the inspector once more, when the event loop turns: this closes it behind that.
  if (options.closesInspector) setImmediate(() => process._debugEnd());
  const { Session } = require('node:inspector') as typeof import('node:inspector');
  const workers = new Session();
  const begun = process.hrtime.bigint();
  const questions = new Map<string, number>();
  const library = takeIn(require, process, options, () => {
    questions.clear();
    workers.disconnect();
    // V8 before 12 ends a program that makes a code cache of functions with such frames without the flag.
    if (Number.parseInt(process.versions.v8, 10) >= 12) library.setInterpretedFrames(false);
    onEnd();
  });
  library.setInterpretedFrames(true);
  const pauseMs = Number(process.hrtime.bigint() - begun) / 1e6;
  const answer = JSON.stringify({ pid: process.pid, version: process.version, pauseMs });
  try {
    workers.connect();
  } catch {
    // Node's permission model refuses sessions, and workers stay without names.
    return answer;
  }
  // A worker is told of before Node has set it up. It has no `process` then, or a `require` that throws, and the
  // inspector's own names, of which `require` is one, end the program where the worker sets one of them meanwhile: they
  // are there only where Node has no `process.getBuiltinModule`. When all that is done its
  // script stands among its arguments. A module that is given as text or as a data: URL has none there: Node gives
  // the worker its `cwd`, sets up its modules, and ends a standard input that nobody writes to. Node's own threads
  // for loaders may have neither. It is asked often at first: a worker may end soon.
  const [ASK, TAKE_IN] = [1, 2];
  const hasLoader = 'getBuiltinModule' in process;
  const OFTEN = 60;
  const MOST = 180;
  const BUSY_MS = 1000;
  const evaluate = (sessionId: string, id: number, expression: string): void => {
    const includeCommandLineAPI = id === TAKE_IN && !hasLoader;
    const params = { expression, includeCommandLineAPI };
    const message = JSON.stringify({ id, method: 'Runtime.evaluate', params });
    workers.post('NodeWorker.sendMessageToWorker', { sessionId, message });
  };
  const ask = (sessionId: string): void => {
    const asked = questions.get(sessionId);
    if (asked === undefined || asked === MOST) return;
    questions.set(sessionId, asked + 1);
    const hasScript = `process.argv?.length > ${asked < OFTEN ? 1 : 0}`;
    const hasInput = "process.cwd.name === '' && process.stdin?._readableState?.ended === true";
    evaluate(sessionId, ASK, `typeof process === 'object' && (${hasScript} || ${hasInput})`);
  };
  workers.on('NodeWorker.attachedToWorker', ({ params: { sessionId } }) => {
    questions.set(sessionId, 0);
    ask(sessionId);
  });
  workers.on('NodeWorker.detachedFromWorker', ({ params: { sessionId } }) => {
    questions.delete(sessionId);
  });
  workers.on('NodeWorker.receivedMessageFromWorker', ({ params: { sessionId, message } }) => {
    const { id, result } = JSON.parse(message) as Answer;
    if (id !== ASK) return;
    if (result?.result.value === true) {
      evaluate(sessionId, TAKE_IN, inWorkers.soon);
      setTimeout(() => {
        if (questions.has(sessionId)) evaluate(sessionId, TAKE_IN, inWorkers.now);
      }, BUSY_MS).unref();
      return;
    }
    const asked = questions.get(sessionId) ?? 0;
    setTimeout(() => ask(sessionId), asked < OFTEN ? Math.min(asked, 16) : 250).unref();
  });
  workers.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
  return answer;
}

export declare function takeInExpression(options: TakeIn): string;
export declare function takeIn(options: TakeIn, onEnd: () => void): string;
