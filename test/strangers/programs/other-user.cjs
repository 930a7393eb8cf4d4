// A child that runs as another user, where this one may start it.
const { spawnSync } = require('child_process');
const text = 'console.log(process.getuid(), process.getgid())';
const child = spawnSync(process.execPath, ['-e', text], { uid: 65534, gid: 65534, cwd: '/' });
console.log(
  child.status,
  String(child.stdout),
  String(child.stderr),
  child.error && child.error.code,
);
