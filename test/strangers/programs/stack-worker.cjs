// Errors that a worker throws, and one of its syntax.
const { Worker } = require('worker_threads');
const texts = ['null.x', 'let a b', 'Promise.reject(new Error("rejected"))'];
function next() {
  const text = texts.shift();
  if (text === undefined) return;
  const worker = new Worker(text, { eval: true });
  worker.on('error', (error) => console.log(error.stack));
  worker.on('exit', (code) => {
    console.log(code);
    next();
  });
}
next();
