// Workers that are ended from outside: before, while and after they run.
const { Worker } = require('worker_threads');
const texts = ['for (;;);', 'setInterval(() => {}, 1000)', '1'];
let left = 9;
for (let i = 0; i < 9; i++) {
  const worker = new Worker(texts[i % 3], { eval: true });
  if (i % 2 === 0) worker.on('online', () => worker.terminate());
  else worker.terminate();
  worker.on('exit', () => {
    if (--left === 0) console.log('all ended');
  });
}
