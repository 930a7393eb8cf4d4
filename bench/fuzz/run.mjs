// Damages recordings for a while and reads them in a worker, which is ended when a case takes too long.

import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';

const CASE_LIMIT_MS = 20_000;

const { values, positionals: files } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
  },
});
if (files.length === 0) {
  console.error('usage: node bench/fuzz/run.mjs [--seconds N] [--seed N] [--only SEED] FILE…');
  process.exit(2);
}

const end = Date.now() + Number(values.seconds) * 1000;
let next = Number(values.only ?? values.seed);
const isSingle = values.only !== undefined;
let cases = 0;
let opened = 0;
let failures = 0;
let peakBytes = 0;

function fail(seed, text) {
  failures++;
  console.log(`${seed}: ${text}`);
}

/** One worker, until the time is over or a case hangs. */
function runWorker() {
  return new Promise((resolve) => {
    const worker = new Worker(new URL('./reader.mjs', import.meta.url), { workerData: { files } });
    let seed = next;
    let watchdog;
    const begin = () => {
      clearTimeout(watchdog);
      if (isSingle ? cases > 0 : Date.now() >= end) {
        resolve(worker.terminate());
        return;
      }
      seed = next++;
      watchdog = setTimeout(() => {
        cases++;
        fail(seed, `no end after ${CASE_LIMIT_MS / 1000} s`);
        resolve(worker.terminate());
      }, CASE_LIMIT_MS);
      worker.postMessage(seed);
    };
    worker.on('message', ({ failed, isOpened }) => {
      cases++;
      if (isOpened) opened++;
      peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
      for (const text of failed) fail(seed, text);
      begin();
    });
    worker.on('error', (error) => {
      clearTimeout(watchdog);
      cases++;
      fail(seed, `the worker died: ${error.stack}`);
      resolve();
    });
    begin();
  });
}

const started = Date.now();
do await runWorker();
while (!isSingle && Date.now() < end);
const seconds = (Date.now() - started) / 1000;
console.log(
  `${cases} cases in ${seconds.toFixed(0)} s, ${opened} still opened as recordings, ` +
    `${failures} failures, peak ${(peakBytes / 2 ** 20).toFixed(0)} MiB`,
);
process.exitCode = failures > 0 ? 1 : 0;
