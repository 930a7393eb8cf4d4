// A working directory that is gone, for the program and for what it starts.
const fs = require('fs');
fs.mkdirSync('gone');
process.chdir('gone');
fs.rmdirSync('../gone');
const child = require('child_process').spawnSync(process.execPath, ['-p', '6 * 7']);
console.log(child.status, String(child.stdout), String(child.stderr).split('\n')[0]);
