// A process that a signal without a handler ends.
console.log('before');
process.kill(process.pid, 'SIGTERM');
setInterval(() => {}, 1000);
