// A program that gives its rights away, and starts workers and children afterwards.
if (process.getuid() === 0) {
  process.chdir('/');
  process.setgid(65534);
  process.setuid(65534);
}
const { Worker } = require('worker_threads');
new Worker('require("fs").writeSync(1, "worker\\n")', { eval: true }).on('exit', (code) => {
  const child = require('child_process').spawnSync(process.execPath, ['-p', '"child"']);
  console.log(code, child.status, String(child.stdout), String(child.stderr));
});
