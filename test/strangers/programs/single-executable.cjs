// The program as a single executable, built by Node itself.
const fs = require('fs');
const { spawnSync } = require('child_process');
fs.writeFileSync(
  'main.js',
  'console.log("single", process.argv.length, process.execArgv); process.exitCode = 3',
);
fs.writeFileSync(
  'sea.json',
  JSON.stringify({ main: 'main.js', output: 'single', disableExperimentalSEAWarning: true }),
);
const built = spawnSync(process.execPath, ['--build-sea', 'sea.json']);
console.log(built.status, String(built.stderr));
const child = spawnSync('./single', ['word']);
console.log(child.status, child.signal, String(child.stdout), String(child.stderr));
fs.unlinkSync('single');
