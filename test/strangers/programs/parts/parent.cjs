// Starts the words after it as a child, waits for it, and ends as it does.
const { spawnSync } = require('child_process');
const words = process.argv.slice(2);
const child = spawnSync(words[0], words.slice(1), { stdio: 'inherit' });
if (child.signal) process.kill(process.pid, child.signal);
else process.exit(child.status);
