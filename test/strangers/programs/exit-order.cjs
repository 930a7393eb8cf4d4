// Order of the last events, and the status that the last of them sets.
let turns = 0;
process.on('beforeExit', (code) => {
  console.log('beforeExit', code);
  if (turns++ < 2) setImmediate(() => console.log('once more'));
});
process.on('exit', (code) => {
  console.log('exit', code, process.exitCode);
  process.exitCode = 7;
});
process.once('exit', () => process.on('exit', () => console.log('not called')));
