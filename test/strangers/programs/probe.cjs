// A little of everything that a preload may disturb, for each of Node's flags.
const cp = require('child_process');
console.log(
  process.argv.length,
  process.execArgv,
  typeof process.binding,
  Object.isFrozen(Array.prototype),
);
try {
  console.log(require('./parts/answer.cjs'), new Error('x').stack.split('\n')[1]);
} catch (error) {
  console.log(error.message);
}
const step = (name, run) => {
  try {
    console.log(name, run());
  } catch (error) {
    console.log(name, error.code, error.message.split('\n')[0]);
  }
};
step('vm', () => require('vm').runInNewContext('1 + 1'));
step('eval', () => new Function('return 3')());
step('child', () => {
  const child = cp.spawnSync(process.execPath, ['-p', '4']);
  return `${child.status} ${child.stdout} ${child.stderr}`;
});
let sum = 0;
for (let i = 0; i < 300000; i++) sum += Math.sqrt(i) % 7;
console.log(sum > 0);
step('worker', () => {
  const { Worker } = require('worker_threads');
  new Worker('require("fs").writeSync(1, "w\\n")', { eval: true })
    .on('error', (error) => console.log(error.message))
    .on('exit', (code) => console.log('worker', code));
});
