// A program of another user that answers an agent in a way that harms it, and runs JavaScript so that it is sampled:
//
//   node hostile-program.mjs HOW      calm | flood | names | trickle | junk | sockets | map | churn
//
//   calm     does nothing of that
//   flood    announces code without an end, names of 60 KiB
//   names    announces 300 000 pieces of code with usual names, again and again
//   trickle  answers a byte every 100 ms
//   junk     answers JSON of other shapes
//   sockets  connects as often as it is let
//   map      has a perf map of 60 MB
//   churn    starts processes of other service names

import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';

const how = process.argv[2];
const folder = `/tmp/perf-ts-${process.getuid()}`;
const path = `${folder}/${process.pid}.sock`;
const map = `/tmp/perf-${process.pid}.map`;
process.on('exit', () => {
  rmSync(path, { force: true });
  rmSync(map, { force: true });
});
process.on('SIGTERM', () => process.exit());

const head = Buffer.alloc(32);
head.write('PTSCODE1');
function added(start, name) {
  const size = (40 + name.length + 7) & ~7;
  const bytes = Buffer.alloc(size);
  bytes.writeUInt32LE(size, 0);
  bytes.writeUInt16LE(1, 4);
  bytes.writeUInt16LE(1, 6);
  bytes.writeBigUInt64LE(BigInt(start), 16);
  bytes.writeBigUInt64LE(64n, 24);
  bytes.writeBigUInt64LE(BigInt(name.length), 32);
  bytes.write(name, 40);
  return bytes;
}

async function announce(socket) {
  const connection = connect(socket.replace('@', '\0'));
  let isOpen = true;
  connection.on('error', () => {});
  connection.on('close', () => {
    isOpen = false;
  });
  connection.write(head);
  const long = 'x'.repeat(60 << 10);
  for (let i = 0; isOpen; i++) {
    const name = how === 'flood' ? `${i}${long}` : `JS:*f${i % 300_000} /app/${i % 1000}.js:1:1`;
    await new Promise((done) => {
      if (!connection.write(added(0x10_0000 + (i % 300_000) * 64, name)))
        connection.once('drain', done);
      else setImmediate(done);
      connection.once('close', done);
      connection.setMaxListeners(0);
    });
    connection.removeAllListeners('drain');
    if (i % 1000 === 0)
      connection
        .listeners('close')
        .slice(1)
        .forEach((each) => void connection.off('close', each));
  }
}

function answer(connection, request) {
  const { socket } = JSON.parse(request);
  if (how === 'trickle') {
    const timer = setInterval(() => connection.write(' '), 100);
    connection.on('close', () => clearInterval(timer));
    return;
  }
  if (how === 'junk') {
    const answers = [
      '{}',
      '"x"',
      '[[[[',
      '{"taken":null}',
      '{"taken":{"version":7}}',
      'x'.repeat(1 << 20),
    ];
    connection.end(answers[Math.floor(Math.random() * answers.length)]);
    return;
  }
  connection.end(JSON.stringify({ taken: { pid: process.pid, version: 'v20.0.0', pauseMs: 1 } }));
  if (how === 'sockets')
    for (let i = 0; i < 2000; i++) connect(socket.replace('@', '\0')).on('error', () => {});
  else void announce(socket);
}

if (how === 'map') {
  const lines = Array.from(
    { length: 100_000 },
    (_, i) => `${(0x7f0000000000 + i * 64).toString(16)} 40 LazyCompile:*f${i} /app/x.js:1`,
  );
  writeFileSync(map, '');
  for (let i = 0; i < 12; i++) appendFileSync(map, `${lines.join('\n')}\n`);
} else if (how === 'churn') {
  let n = 0;
  setInterval(() => {
    const env = { ...process.env, OTEL_SERVICE_NAME: `s${n++}${'y'.repeat(1000)}` };
    spawn('sh', ['-c', 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done'], {
      env,
      stdio: 'ignore',
    });
  }, 200);
} else if (how !== 'calm') {
  mkdirSync(folder, { mode: 0o700, recursive: true });
  rmSync(path, { force: true });
  createServer((connection) => {
    connection.on('error', () => {});
    connection.once('data', (request) => answer(connection, request));
  }).listen(path);
}
/** A tenth of a CPU: what is sampled is JavaScript. */
function work() {
  const end = performance.now() + 10;
  let sum = 0;
  while (performance.now() < end) for (let i = 0; i < 1e4; i++) sum += Math.sqrt(i);
  return sum;
}
setInterval(work, 100);
