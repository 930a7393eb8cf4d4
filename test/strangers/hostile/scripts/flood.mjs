// Connects to a port over and over, from many sockets at once: flood.mjs PORT
import net from 'node:net';

const port = Number(process.argv[2]);
function again() {
  const socket = net.connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.on('close', () => setImmediate(again));
}
for (let i = 0; i < 200; i++) again();
console.log('ready');
