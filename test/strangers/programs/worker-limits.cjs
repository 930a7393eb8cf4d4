// A worker that needs more memory than it may have.
const { Worker } = require('worker_threads');
const text = 'const all = []; for (;;) all.push(new Array(100000).fill(all.length))';
const worker = new Worker(text, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 16 } });
worker.on('error', (error) => console.log(error.code, error.message));
worker.on('exit', (code) => console.log(code));
