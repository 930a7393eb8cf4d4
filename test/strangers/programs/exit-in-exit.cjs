// Ends within the end: exit in exit, a throw in exit, and without listeners.
const { spawnSync } = require('child_process');
for (const text of [
  'process.on("exit", () => process.exit(3)); process.exit(2)',
  'process.on("exit", () => { throw new Error("in exit") })',
  'process.on("exit", () => { process.removeAllListeners(); process.reallyExit(9) })',
  'process.removeAllListeners("exit"); process.exitCode = 8',
  'process.nextTick(() => process.exit(4)); setTimeout(() => {}, 1000)',
  'Promise.resolve().then(() => process.exit(5))',
]) {
  const child = spawnSync(process.execPath, ['-e', text]);
  // Node's own words begin a line, by which the rig knows them.
  console.log(`${child.status} ${child.signal}\n${child.stdout}\n${child.stderr}`);
}
