// Workers that record and call process.exit by themselves; and workers that run at once.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const [count, atOnce] = [Number(process.argv[2]), Number(process.argv[3])];
const file = new URL('./recording-worker.mjs', import.meta.url);
let ended = 0;
for (let i = 0; i < count; i += atOnce) {
  const workers = Array.from(
    { length: atOnce },
    () => new Worker(file, { workerData: { command: false, exitAfterMs: 5 } }),
  );
  for (const [status] of await Promise.all(workers.map((worker) => once(worker, 'exit')))) {
    if (status === 0) ended++;
  }
}
console.log(JSON.stringify({ ended }));
