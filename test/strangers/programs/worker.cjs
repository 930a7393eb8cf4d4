// A worker of a file: what it sees of its thread, its options and its listeners.
const { Worker, isMainThread, threadId, workerData } = require('worker_threads');
if (isMainThread) {
  const worker = new Worker(__filename, { workerData: 'given', argv: ['word'] });
  worker.on('exit', (code) => console.log('exit', code));
} else {
  console.log(threadId, workerData, process.execArgv, process.argv.slice(2));
  console.log(process.env.LANG, process.eventNames().map(String).sort().join());
  process.exit(3);
}
