// An exception that nobody catches.
process.on('exit', (code) => console.log('exit', code));
setTimeout(() => {
  throw new TypeError('nobody catches this');
}, 5);
