// Children by every function, with their status, signal and output.
const cp = require('child_process');
const node = process.execPath;
const sees = 'JSON.stringify([process.execArgv, process.argv.length, module.paths.length > 0])';
const shown = (child) =>
  console.log(child.status, child.signal, String(child.stdout), String(child.stderr));
shown(cp.spawnSync(node, ['-p', sees]));
shown(cp.spawnSync(node, ['-e', 'process.kill(process.pid, "SIGKILL")']));
shown(cp.spawnSync(node, ['-e', 'process.exit(9)'], { env: {} }));
shown(cp.spawnSync(node, ['-p', '1'], { stdio: ['pipe', 'pipe', 'ignore'], input: 'x' }));
console.log(cp.execFileSync(node, ['-p', '2 + 2'], { encoding: 'utf8' }));
console.log(cp.execSync(`"${node}" -p 3`, { encoding: 'utf8' }));
cp.exec('exit 7', (error) => console.log(error.code));
