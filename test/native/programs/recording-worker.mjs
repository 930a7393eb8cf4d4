// A worker that records everything, or a command, live; ends by itself after `exitAfterMs` if there is one.
import { parentPort, workerData } from 'node:worker_threads';
import { everything, live, open, sleeper, takeAll } from './session.mjs';

const sampler = open(workerData.command ? sleeper : everything);
let reported = false;
sampler.startLive(live, (event) => {
  if (takeAll(sampler) > 0 && !reported) {
    reported = true;
    parentPort.postMessage(event.kind);
  }
});
if (workerData.exitAfterMs !== undefined) {
  setTimeout(() => process.exit(0), workerData.exitAfterMs);
}
