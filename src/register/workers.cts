// biome-ignore-all lint/style/noCommonJs: used by a preload of --require.
import type { Session } from './session.cts';

const nodeModule = (require('./node-module.cjs') as typeof import('./node-module.cts'))
  .nodeModule as { syncBuiltinESMExports?(): void };
const { changedArguments, optionsWith } =
  require('./children.cjs') as typeof import('./children.cts');
const { onceLoaded } = require('./once-loaded.cjs') as typeof import('./once-loaded.cts');
const { unseen } = require('./unseen.cjs') as typeof import('./unseen.cts');

type WorkerClass = { new (...args: unknown[]): object; prototype: object };
type WorkerOptions = { readonly env?: unknown; readonly execArgv?: unknown };

/**
 * Passes the recording on to workers that have options or an environment of their own. All others take over the
 * options that this process was started with, and run `boot` as it did.
 */
exports.watchWorkers = (session: Session, isRecorded: () => boolean): void =>
  void onceLoaded('worker_threads', () => {
    try {
      replaceWorker(session, isRecorded);
    } catch {
      // The program runs as it does without us.
    }
  });

function replaceWorker(session: Session, isRecorded: () => boolean): void {
  const workers = require('node:worker_threads') as { Worker: WorkerClass };
  const { Worker } = workers;
  const watched: WorkerClass = new Proxy(Worker, {
    construct: (target, args, newTarget) => {
      const passed = changedArguments(args, () => isRecorded() && passedOn(args, session));
      const made = newTarget === watched ? target : newTarget;
      return unseen(
        __filename,
        () => Reflect.construct(target, passed as unknown[], made) as object,
      );
    },
  });
  workers.Worker = watched;
  Object.defineProperty(Worker.prototype, 'constructor', { value: watched });
  // Node gives modules their exports when they are first required: that may have been now.
  const { syncBuiltinESMExports } = nodeModule.syncBuiltinESMExports
    ? nodeModule
    : (require('node:module') as typeof nodeModule);
  syncBuiltinESMExports?.();
}

/** The arguments of `new Worker`. */
function passedOn(args: readonly unknown[], session: Session): unknown[] | null {
  const [file, options, ...rest] = args;
  if (typeof options !== 'object' || options === null) return null;
  const { env, execArgv } = options as WorkerOptions;
  const changed: Record<string, unknown> = {};
  if (typeof env === 'object' && env !== null) {
    const { NODE_OPTIONS } = env as { readonly NODE_OPTIONS?: unknown };
    if (NODE_OPTIONS !== undefined && typeof NODE_OPTIONS !== 'string') return null;
    const words = [`${NODE_OPTIONS ?? ''}`, ...(Array.isArray(execArgv) ? execArgv : [])];
    const given = optionsWith(session, NODE_OPTIONS, words);
    if (given === null) return null;
    changed.env = { ...env, NODE_OPTIONS: given.options };
  } else if (Array.isArray(execArgv)) {
    if (optionsWith(session, undefined, execArgv) === null) return null;
    changed.execArgv = ['--require', session.boot, ...execArgv];
  } else return null;
  const derived = Object.create(options) as object;
  for (const [name, value] of Object.entries(changed)) {
    Object.defineProperty(derived, name, { value, enumerable: true });
  }
  return [file, derived, ...rest];
}

export declare function watchWorkers(session: Session, isRecorded: () => boolean): void;
