// Ways to record call stacks, by how many stacks are whole and what they cost: completeness, bytes
// written while recording and bytes of the finished file, and CPU time of recorder and command beyond
// that of the command alone. docs/decisions/0009-call-graph-auto.md has a table of one run.
//
//   node bench/call-graph.mjs [-F HZ] [WAY…]     e.g. node bench/call-graph.mjs fp auto,2048 dwarf

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openProfile } from '../dist/index.js';

const WAYS = ['none', 'fp']
  .concat([1024, 2048, 4096, 8192, 16384, 32768, 65528].map((bytes) => `dwarf,${bytes}`))
  .concat([1024, 2048, 4096, 8192, 16384].map((bytes) => `auto,${bytes}`));

const MAIN = fileURLToPath(new URL('../dist/bin/main.js', import.meta.url));

/** C++ without frame pointers: recursion, sorting, containers, exceptions, a signal handler. */
const CXX = `
#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <map>
#include <string>
#include <sys/time.h>
#include <vector>
volatile double sink;
#define APART __attribute__((noinline))
APART double leaf(double x) { for (int i = 0; i < 2000; i++) x = std::sqrt(x + i); return x; }
APART double deep(int n, double x) { volatile char pad[100]; pad[n % 100] = 1; return n == 0 ? leaf(x) + pad[0] : deep(n - 1, x + 1) * 1.0001; }
APART void sorts() { std::vector<std::string> v; for (int i = 0; i < 300; i++) v.push_back(std::to_string(rand())); std::sort(v.begin(), v.end()); sink += v[0].size(); }
APART void maps() { std::map<int, int> m; for (int i = 0; i < 500; i++) m[rand()] = i; sink += m.size(); }
APART void throws(int n) { if (n == 0) throw n; throws(n - 1); sink += 1; }
void onAlarm(int) { sink += leaf(1); }
int main(int, char **argv) {
  std::signal(SIGVTALRM, onAlarm);
  struct itimerval timer = {{0, 3000}, {0, 3000}};
  setitimer(ITIMER_VIRTUAL, &timer, nullptr);
  for (int i = std::atoi(argv[1]); i > 0; i--) {
    sink += deep(10, 1) + deep(60, 1);
    sorts();
    maps();
    for (int j = 0; j < 10; j++) try { throws(5); } catch (int) {}
  }
}
`;

/** A server under load: JavaScript, built-in functions, compression and hashing in native code. */
const SERVER = `
const http = require('node:http');
const zlib = require('node:zlib');
const { createHash } = require('node:crypto');
const fib = (n) => (n < 2 ? n : fib(n - 1) + fib(n - 2));
const nest = (value, depth) => (depth === 0 ? JSON.stringify(value) : nest({ value, depth }, depth - 1));
const server = http.createServer((request, response) => {
  const packed = zlib.gzipSync(nest({ x: fib(15) }, 50));
  const hash = createHash('sha256').update(packed).digest('hex');
  const rows = Array.from({ length: 300 }, (_, i) => hash + i).sort((a, b) => (a < b ? 1 : -1));
  response.end(rows[0]);
});
server.listen(0, () => {
  const agent = new http.Agent({ keepAlive: true });
  const { port } = server.address();
  let left = Number(process.argv[2]);
  const next = () => {
    if (left-- <= 0) process.exit(0);
    http.get({ port, agent }, (response) => response.resume().on('end', next));
  };
  for (let i = 0; i < 8; i++) next();
});
`;

const args = process.argv.slice(2);
const hz = args[0] === '-F' ? args.splice(0, 2)[1] : '4000';
const ways = args.length > 0 ? args : WAYS;
const scratch = mkdtempSync(join(tmpdir(), 'perf-ts-call-graph-'));
try {
  const program = join(scratch, 'program');
  writeFileSync(join(scratch, 'program.cc'), CXX);
  execFileSync('g++', ['-O2', '-fomit-frame-pointer', '-o', program, join(scratch, 'program.cc')]);
  writeFileSync(join(scratch, 'server.cjs'), SERVER);
  await table('C++ -O2 -fomit-frame-pointer', [program, '4000']);
  await table('Node server', ['node', join(scratch, 'server.cjs'), '4000']);
} finally {
  rmSync(scratch, { recursive: true });
}

async function table(title, command) {
  const alone = cpuSeconds(command);
  console.log(`\n${title}, ${hz} Hz; alone ${alone.toFixed(2)} s of CPU`);
  console.log('way          samples    whole  lost  MB written  MB finished  CPU beyond, s');
  for (const way of ways) console.log(await measure(way, command, alone));
}

async function measure(way, command, alone) {
  const data = join(scratch, 'perf.data');
  const record = ['record', '--json', '-e', 'cpu-clock', '-F', hz, '--call-graph', way, '-o', data];
  const { seconds, stderr } = timed([process.execPath, MAIN, ...record, '--', ...command]);
  const summary = JSON.parse(stderr.split('\n').find((line) => line.startsWith('{')));
  const { completeness, profile } = await openProfile(data);
  const whole = completeness === null ? Number.NaN : completeness.complete / completeness.samples;
  return [
    way.padEnd(12),
    String(profile.samples.length).padStart(7),
    `${(100 * whole).toFixed(2)}%`.padStart(8),
    String(summary.lost.records).padStart(5),
    (summary.recordedBytes / 1e6).toFixed(1).padStart(11),
    (statSync(data).size / 1e6).toFixed(1).padStart(12),
    (seconds - alone).toFixed(2).padStart(14),
  ].join(' ');
}

function cpuSeconds(command) {
  return timed(command).seconds;
}

/** User and system time of a command and its children. */
function timed(command) {
  const script = 'TIMEFORMAT=\'cpu %U %S\'; time "$@" >/dev/null';
  const stderr = execFileSync('bash', ['-c', `{ ${script}; } 2>&1`, 'bash', ...command], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  const [, user, system] = /^cpu (\S+) (\S+)$/m.exec(stderr);
  return { seconds: Number(user) + Number(system), stderr };
}
