// process.exit while workers run, start and end.
const { Worker } = require('worker_threads');
process.on('exit', (code) => console.log('exit', code));
for (let i = 0; i < 4; i++) new Worker('for (;;);', { eval: true });
const last = new Worker('process.exit(5)', { eval: true });
last.on('exit', (code) => {
  console.log(code);
  new Worker('1', { eval: true });
  process.exit(4);
});
