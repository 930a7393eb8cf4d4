// Starts recordings in workers and terminates each at a random point of its life.
import { Worker } from 'node:worker_threads';

const [count, command] = [Number(process.argv[2]), process.argv[3] === 'command'];
const file = new URL('./recording-worker.mjs', import.meta.url);
let recorded = 0;

async function one() {
  const worker = new Worker(file, { workerData: { command } });
  worker.on('message', () => {
    recorded++;
  });
  worker.on('error', (error) => {
    console.error(error);
    process.exitCode = 1;
  });
  await new Promise((resolve) => setTimeout(resolve, 30 + Math.random() * 40));
  await worker.terminate();
}

for (let i = 0; i < count; i += 2) await Promise.all([one(), one()]);
console.log(JSON.stringify({ terminated: count, recorded }));
