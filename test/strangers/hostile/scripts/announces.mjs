// A program of another user that lets root's agent ask it for its code, and announces names without an end: announces.mjs KIB COUNT
import fs from 'node:fs';
import net from 'node:net';

const [kib, count] = process.argv.slice(2).map(Number);
const folder = `/tmp/perf-ts-${process.getuid()}`;
fs.mkdirSync(folder, { mode: 0o700, recursive: true });
const path = `${folder}/${process.pid}.sock`;
fs.rmSync(path, { force: true });
function flood(name) {
  const socket = net.connect(name.replace('@', '\0'));
  socket.on('error', () => {});
  const head = Buffer.alloc(32);
  head.write('PTSCODE1');
  socket.write(head);
  const size = kib << 10;
  let sent = 0;
  const more = () => {
    while (sent < count && !socket.destroyed) {
      const bytes = Buffer.alloc(40 + size, 97);
      bytes.writeUInt32LE(bytes.length, 0);
      bytes.writeUInt16LE(1, 4);
      bytes.writeUInt16LE(1, 6);
      bytes.writeBigUInt64LE(BigInt(0x10000 + sent * 4096), 16);
      bytes.writeBigUInt64LE(64n, 24);
      bytes.writeBigUInt64LE(BigInt(size), 32);
      sent++;
      if (!socket.write(bytes)) return;
    }
  };
  socket.on('drain', more);
  more();
}
net
  .createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (bytes) => {
      socket.end(
        `${JSON.stringify({ taken: { pid: process.pid, version: 'v20.0.0', pauseMs: 1 } })}\n`,
      );
      console.error('asked');
      flood(JSON.parse(bytes).socket);
    });
  })
  .listen(path, () => console.log('ready'));
process.on('SIGTERM', () => {
  fs.rmSync(folder, { recursive: true, force: true });
  process.exit();
});
(function turn() {
  let sum = 0;
  for (let i = 0; i < 3e6; i++) sum += Math.sqrt(i);
  setImmediate(turn);
})();
