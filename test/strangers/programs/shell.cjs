// Node behind a shell that sets NODE_OPTIONS, clears the environment, or execs.
const { execSync } = require('child_process');
const node = process.execPath;
const say = '-p "process.argv.length + String(process.execArgv)"';
for (const line of [
  `NODE_OPTIONS=--no-warnings "${node}" ${say}`,
  `env -i "${node}" ${say}`,
  `exec "${node}" ${say}`,
  `unset NODE_OPTIONS; "${node}" ${say}`,
]) {
  console.log(execSync(line, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }));
}
