// A recorded program that speaks the recorder's own protocol: events.mjs names|sockets|garbage|notes|maps|pieces|code
import fs from 'node:fs';
import net from 'node:net';
import { printCpuOfParent } from './cpu-of-recorder.mjs';

const [how] = process.argv.slice(2);
// The preload has taken it from process.env; the kernel has what the program was started with.
const given = fs.readFileSync('/proc/self/environ', 'latin1');
const name = /@(perf-ts-[0-9a-f]+)/.exec(given)?.[1];
const head = Buffer.alloc(32);
head.write('PTSCODE1');
head.writeUInt32LE(process.pid, 8);
head.writeUInt32LE(process.pid, 12);
function record(type, body) {
  const bytes = Buffer.alloc((16 + body.length + 7) & ~7);
  bytes.writeUInt32LE(bytes.length, 0);
  bytes.writeUInt16LE(type, 4);
  bytes.writeUInt16LE(1, 6);
  body.copy(bytes, 16);
  return bytes;
}
function added(text) {
  const body = Buffer.alloc(24 + text.length);
  body.writeBigUInt64LE(0x10000n, 0);
  body.writeBigUInt64LE(64n, 8);
  body.writeBigUInt64LE(BigInt(text.length), 16);
  body.write(text, 24);
  return record(1, body);
}
function sourceMap(url) {
  const body = Buffer.alloc(8 + url.length);
  body.writeUInt32LE(1, 0);
  body.writeUInt32LE(url.length, 4);
  body.write(url, 8);
  return record(10, body);
}
const open = () =>
  new Promise((resolve) => {
    const socket = net.connect(`\0${name}`);
    socket.on('error', () => resolve(null));
    socket.on('connect', () => resolve(socket));
  });
const send = (socket, bytes) => new Promise((resolve) => socket.write(bytes, resolve));
if (name !== undefined) {
  const first = await open();
  if (first !== null) {
    console.log('connected');
    await send(first, how === 'garbage' ? Buffer.alloc(1 << 20, 0xff) : head);
    if (how === 'names') {
      await send(first, added(`JS:~f /${'a'.repeat(4 << 20)}.js:1:1`));
      for (let i = 0; i < 300; i++) await send(first, sourceMap('data:application/json,{}'));
    }
    // The recorder takes 256 MiB in all.
    const small = {
      notes: record(7, Buffer.alloc(0)),
      maps: sourceMap(''),
      code: added('JS:~work /srv/app.js:1:1'),
    }[how];
    if (small !== undefined) {
      const many = Buffer.concat(Array.from({ length: 1 << 16 }, () => small));
      for (let sent = 0; sent < 254 << 20; sent += many.length) await send(first, many);
    }
    if (how === 'pieces') {
      const one = Buffer.concat([
        head,
        ...Array.from({ length: 200 }, () => record(99, Buffer.alloc(0))),
      ]);
      const all = [first, ...(await Promise.all(Array.from({ length: 200 }, open)))];
      for (let at = 32; at < one.length; at++)
        for (const socket of all) socket?.write(one.subarray(at, at + 1));
      await new Promise((done) => setTimeout(done, 500));
    }
    if (how === 'sockets') for (let i = 0; i < 2000; i++) await open();
    first.end();
  }
}
const end = Date.now() + 300;
while (Date.now() < end);
printCpuOfParent();
process.exit(7);
