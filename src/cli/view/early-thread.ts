import type { Worker } from 'node:worker_threads';
import { lateModules } from '../../base/late-modules.ts';
import { thisRun } from '../shared/run.ts';

/**
 * Begins the thread that will read the first recording of `view`, before options are read and the server is loaded:
 * it loads as much again, on another CPU. It ends with the process where nobody takes it.
 */
export function startThreadEarly(): void {
  const { Worker } = lateModules.workerThreads;
  const thread = new Worker(entry(), { workerData: null, stdout: true, stderr: true });
  thread.unref();
  thisRun().earlyThread = thread;
}

/** Returns the thread that waits, once; else the module that the thread of a `ThreadedFile` begins with. */
export function takeThread(): Worker | URL {
  const run = thisRun();
  const thread = run.earlyThread;
  run.earlyThread = null;
  thread?.ref();
  return thread ?? entry();
}

function entry(): URL {
  return new URL('./start-view-thread.js', import.meta.url);
}
