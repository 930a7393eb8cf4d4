// Starts recordings in workers and terminates each at a random point of its life.
import { Worker } from 'node:worker_threads';

const [count, command] = [Number(process.argv[2]), process.argv[3] === 'command'];
const file = new URL('./recording-worker.mjs', import.meta.url);
let recorded = 0;

/** Ends a worker at any time after its start, or, if `isRecording`, after its recording's start. */
async function one(isRecording) {
  const worker = new Worker(file, { workerData: { command } });
  const recording = new Promise((resolve) => {
    worker.on('message', () => {
      recorded++;
      resolve();
    });
  });
  worker.on('error', (error) => {
    console.error(error);
    process.exitCode = 1;
  });
  if (isRecording) await recording;
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 40));
  await worker.terminate();
}

for (let i = 0; i < count; i += 2) await Promise.all([one(false), one(true)]);
console.log(JSON.stringify({ terminated: count, recorded }));
