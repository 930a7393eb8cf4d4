// A process that a signal without a handler ends.
console.log('before');
process.kill(process.pid, 'SIGINT');
setInterval(() => {}, 1000);
