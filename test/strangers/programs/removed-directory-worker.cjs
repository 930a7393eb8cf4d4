// A worker that starts in a working directory that is gone.
const fs = require('fs');
fs.mkdirSync('gone');
process.chdir('gone');
fs.rmdirSync('../gone');
const { Worker } = require('worker_threads');
new Worker('require("fs").writeSync(1, "worker\\n")', { eval: true })
  .on('error', (error) => console.log(error.message))
  .on('exit', (code) => console.log(code));
