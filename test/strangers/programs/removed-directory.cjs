// A working directory that is gone, for the program and for what it starts.
const fs = require('fs');
fs.mkdirSync('gone');
process.chdir('gone');
fs.rmdirSync('../gone');
const child = require('child_process').spawnSync(process.execPath, ['-p', '6 * 7']);
console.log(child.status, String(child.stdout), String(child.stderr).split('\n')[0]);
const { Worker } = require('worker_threads');
new Worker('require("fs").writeSync(1, "worker\\n")', { eval: true })
  .on('error', (error) => console.log(error.message))
  .on('exit', (code) => console.log(code));
