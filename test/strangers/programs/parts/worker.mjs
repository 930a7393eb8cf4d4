import { isMainThread } from 'node:worker_threads';

console.log('module', isMainThread, import.meta.url.endsWith('worker.mjs'));
