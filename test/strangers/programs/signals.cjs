// Signals with handlers, in the order in which they are sent.
const names = ['SIGUSR1', 'SIGUSR2', 'SIGTERM', 'SIGHUP', 'SIGINT'];
for (const name of names) {
  process.on(name, () => {
    console.log(name);
    next();
  });
}
const alive = setInterval(() => {}, 1000);
function next() {
  const name = names.shift();
  if (name !== undefined) return process.kill(process.pid, name);
  clearInterval(alive);
  return process.exit(0);
}
next();
