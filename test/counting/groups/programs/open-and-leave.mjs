// Opens groups in ways that nobody closes, and prints how many descriptors that leaves.
// argv: the built library. Run with --expose-gc.
import { readdirSync, readlinkSync } from 'node:fs';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

const { openGroup } = await import(process.argv[2] ?? workerData.library);
const EVENTS = ['page-faults:u', 'task-clock:u'];

/** Descriptors of perf events. */
function openCounters() {
  return readdirSync('/proc/self/fd').filter(isCounter).length;
}

function isCounter(fd) {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`).includes('perf_event');
  } catch {
    return false;
  }
}

if (isMainThread) {
  const kept = openGroup(EVENTS);
  const opened = openCounters();
  for (let i = 0; i < 5; i++) {
    const worker = new Worker(new URL(import.meta.url), {
      workerData: { library: process.argv[2] },
    });
    await new Promise((done) => worker.once('message', done));
    await worker.terminate();
  }
  const afterWorkers = openCounters();
  for (let i = 0; i < 5; i++) openGroup(EVENTS);
  for (let i = 0; i < 10 && openCounters() > opened; i++) {
    globalThis.gc();
    await new Promise((done) => setImmediate(done));
  }
  console.log(JSON.stringify({ opened, afterWorkers, afterCollection: openCounters() }));
  kept.close();
} else {
  const group = openGroup(EVENTS);
  group.enable();
  parentPort.postMessage('open');
  parentPort.on('message', () => group.close());
}
