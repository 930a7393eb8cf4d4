// Workers of a data: URL and of a module, from a module.
import { Worker } from 'node:worker_threads';

const text = 'import { threadId } from "node:worker_threads"; console.log("thread", threadId)';
const urls = [
  new URL(`data:text/javascript,${text}`),
  new URL('./parts/worker.mjs', import.meta.url),
];
for (const url of urls) {
  await new Promise((resolve) => {
    new Worker(url).on('error', (error) => console.log(error.message)).on('exit', resolve);
  });
}
