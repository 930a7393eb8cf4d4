// A snapshot of the program's own, made and used.
const { spawnSync } = require('child_process');
const entry = require('path').join(__dirname, 'parts/snapshot-entry.cjs');
for (const words of [['--build-snapshot', entry], ['main.cjs']]) {
  const child = spawnSync(process.execPath, ['--snapshot-blob', 'own.blob', ...words]);
  console.log(child.status, child.signal, String(child.stdout), String(child.stderr));
}
