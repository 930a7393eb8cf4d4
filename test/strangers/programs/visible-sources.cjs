// The text of functions that stand in for Node's own, a line each.
console.log('Worker', String(require('worker_threads').Worker).length);
if (process.execve) console.log('execve', String(process.execve).length);
