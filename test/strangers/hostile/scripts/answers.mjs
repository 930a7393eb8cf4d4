// A program that listens where perf-ts/register would, and answers something else: answers.mjs HOW
import fs from 'node:fs';
import net from 'node:net';

const folder = `/tmp/perf-ts-${process.getuid()}`;
fs.mkdirSync(folder, { mode: 0o700, recursive: true });
const path = `${folder}/${process.pid}.sock`;
fs.rmSync(path, { force: true });
const [how] = process.argv.slice(2);
const server = net.createServer((socket) => {
  socket.on('error', () => {});
  socket.once('data', () => {
    console.log('asked');
    if (how === 'trickle') {
      const timer = setInterval(() => socket.write(' '), 500);
      socket.on('close', () => clearInterval(timer));
    } else if (how === 'silence') return;
    else if (how === 'flood') {
      const more = () => {
        while (!socket.destroyed && socket.write('x'.repeat(1 << 16)));
      };
      socket.on('drain', more);
      more();
    } else socket.end(`${how}\n`);
  });
});
server.listen(path, () => console.log('ready'));
process.on('SIGTERM', () => {
  fs.rmSync(path, { force: true });
  process.exit();
});
(function turn() {
  let sum = 0;
  for (let i = 0; i < 1e6; i++) sum += i;
  setImmediate(turn);
})();
