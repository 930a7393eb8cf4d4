// A long-lived program: at each line of its standard input it starts a worker and a child with a worker, and prints that
// both have run.
import { execFile } from 'node:child_process';
import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';

const worker = () => new Promise((resolve) => new Worker('1', { eval: true }).on('exit', resolve));
const text = 'new (require("worker_threads").Worker)("1", { eval: true })';
const child = () =>
  new Promise((resolve) => {
    execFile(process.execPath, ['-e', text], (error, stdout, stderr) => {
      resolve(`${error?.code ?? 0} ${stdout}${stderr}`);
    });
  });
createInterface({ input: process.stdin }).on('line', async (line) => {
  if (line === 'end') process.exit(0);
  console.log(`worker ${await worker()}`);
  console.log(`child ${await child()}`);
});
console.log('ready');
const burn = setInterval(() => {
  const end = performance.now() + 5;
  while (performance.now() < end);
}, 20);
burn.unref();
