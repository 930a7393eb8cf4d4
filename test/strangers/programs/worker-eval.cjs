// A worker of a text, with a channel, inside a worker.
const { Worker } = require('worker_threads');
const inner = `require('worker_threads').parentPort.postMessage('innermost')`;
const outer = `const { Worker, parentPort } = require('worker_threads');
new Worker(${JSON.stringify(inner)}, { eval: true }).on('message', (text) => parentPort.postMessage([text]))`;
const worker = new Worker(outer, { eval: true, stdout: true });
worker.on('message', (message) => console.log(message));
worker.on('exit', (code) => console.log(code));
