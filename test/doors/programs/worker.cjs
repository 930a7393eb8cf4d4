// The program of busy.cjs in two threads of one process.

const { isMainThread, Worker } = require('node:worker_threads');

if (isMainThread) for (let i = 0; i < 2; i++) new Worker(__filename);
else require('./busy.cjs').main(30);
