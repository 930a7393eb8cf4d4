// What Node publishes on its diagnostics channels while a program starts and loads.
const channel = require('diagnostics_channel');
const seen = [];
for (const name of [
  'module.require.start',
  'module.require.end',
  'module.import.asyncStart',
  'child_process',
  'worker_threads',
  'net.client.socket',
  'net.server.socket',
]) {
  channel.channel(name).subscribe(() => seen.push(name));
}
require('./parts/answer.cjs');
const child = require('child_process').spawn(process.execPath, ['-e', '0']);
child.on('exit', () => {
  const { Worker } = require('worker_threads');
  new Worker('1', { eval: true }).on('exit', () => console.log(seen));
});
