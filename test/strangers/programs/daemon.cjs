// A child that leaves its parent, and goes on when it has ended.
const { spawn } = require('child_process');
const fs = require('fs');
const text = 'require("fs").writeFileSync("daemon.txt", process.argv.length + process.env.LANG)';
const child = spawn(process.execPath, ['-e', text], { detached: true, stdio: 'ignore' });
child.unref();
const wait = setInterval(() => {
  if (!fs.existsSync('daemon.txt') || fs.readFileSync('daemon.txt').length === 0) return;
  clearInterval(wait);
  console.log('daemon', String(fs.readFileSync('daemon.txt')));
}, 5);
