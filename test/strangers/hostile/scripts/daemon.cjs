// Starts a daemon that outlives the command: daemon.cjs node|sh FOLDER. It waits for the file `restart`, and then starts
// the app, whose end is written into `status`.
const { spawn } = require('child_process');
const [how, folder] = process.argv.slice(2);
const app = `${folder}/app.cjs`;
const inNode = `const fs = require('fs');
const wait = setInterval(() => {
  if (!fs.existsSync('restart')) return;
  clearInterval(wait);
  const app = require('child_process').spawnSync(process.execPath, ['${app}']);
  fs.writeFileSync('status.new', app.status + ' ' + app.stdout + app.stderr);
  fs.renameSync('status.new', 'status');
}, 20)`;
const inShell = `while [ ! -e restart ]; do sleep 0.05; done
"${process.execPath}" '${app}' > out 2>&1; echo "$? $(cat out)" > status.new; mv status.new status`;
const words = how === 'node' ? [process.execPath, '-e', inNode] : ['sh', '-c', inShell];
spawn(words[0], words.slice(1), { cwd: folder, detached: true, stdio: 'ignore' }).unref();
