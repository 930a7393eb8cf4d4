// Cost of `perf-ts agent` on this machine: `node bench/agent.mjs [--seconds N] [--starts N]`. Two CPUs are kept busy, by a
// Node and a C program, or processes are started; windows go to an OpenTelemetry Collector where there is one, and from there
// to this program, which adds up what arrives. README.md has what came out.

import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { homedir, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '300' },
    /** Processes a second, in place of the busy programs. */
    starts: { type: 'string', default: '0' },
    every: { type: 'string', default: '30' },
  },
});
const SECONDS = Number(values.seconds);
const STARTS = Number(values.starts);
const ROOT = new URL('..', import.meta.url).pathname;
const COLLECTOR =
  process.env.PERF_TS_OTELCOL ?? join(homedir(), '.cache/perf-ts/otel-collector/otel-collector');
const TICKS_A_SECOND = 100;

const BUSY_NODE = `
function parse() { return JSON.parse(JSON.stringify(Array.from({ length: 300 }, (_, i) => ({ i, text: 'x' + i })))).length; }
function sort() { return Array.from({ length: 2000 }, (_, i) => (i * 7919) % 2003).sort((a, b) => a - b)[5]; }
function turn() { for (const end = Date.now() + 50; Date.now() < end; ) parse() + sort(); setImmediate(turn); }
turn();`;
const BUSY_C = `
#include <stdlib.h>
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void) {
  static int numbers[5000];
  for (;;) {
    for (int i = 0; i < 5000; i++) numbers[i] = rand();
    qsort(numbers, 5000, sizeof(int), compare);
  }
}`;

/** Starts as many programs a second as it is told, also after it had to wait for a CPU. */
const STARTER_C = `
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
int main(int count, char **words) {
  char *command[] = {"/bin/true", 0}, *none[] = {0};
  const double each = 1 / atof(words[count - 1]);
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  for (double due = now.tv_sec + now.tv_nsec / 1e9;; due += each) {
    const struct timespec until = {(time_t)due, (long)((due - (time_t)due) * 1e9)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, 0);
    pid_t pid;
    posix_spawn(&pid, command[0], 0, 0, command, none);
    while (waitpid(-1, 0, WNOHANG) > 0) continue;
  }
}`;

const folder = mkdtempSync(join(tmpdir(), 'perf-ts-bench-agent-'));
const children = [];
const start = (program, args, options = {}) => {
  const child = spawn(program, args, { stdio: 'ignore', ...options });
  children.push(child);
  return child;
};
try {
  await run();
} finally {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

async function run() {
  const received = await startReceiver();
  const sink = await startCollector(received.url);
  startLoad();
  mkdirSync(join(folder, 'spool'), { mode: 0o700 });
  const config = join(folder, 'agent.json');
  writeFileSync(
    config,
    JSON.stringify({
      services: { idle: true },
      sinks: [{ type: 'otlp', url: sink }],
      spool: { directory: join(folder, 'spool') },
    }),
    { mode: 0o600 },
  );
  const args = [join(ROOT, 'dist/bin/main.js'), 'agent', '--config', config];
  const agent = start(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let reported = '';
  agent.stderr.setEncoding('utf8').on('data', (text) => {
    reported += text;
  });
  const ended = new Promise((resolve) => {
    agent.once('exit', resolve);
  });
  const costs = [];
  const startsBefore = startsOfMachine();
  for (let second = 0; second < SECONDS; ) {
    const wait = Math.min(Number(values.every), SECONDS - second);
    await new Promise((resolve) => {
      setTimeout(resolve, wait * 1000);
    });
    second += wait;
    costs.push({ second, ...costOf(agent.pid), load: loadavg()[0] });
    const { rss, peak, cpuS, load } = costs.at(-1);
    console.log(
      `${String(second).padStart(5)} s  resident ${rss} MiB, at most ${peak}  CPU ${cpuS.toFixed(2)} s  load ${load.toFixed(1)}  windows ${received.windows.size}`,
    );
  }
  const starts = (startsOfMachine() - startsBefore) / SECONDS;
  agent.kill('SIGTERM');
  await ended;
  summarize(costs, received, reported);
  console.log(
    `starts       ${starts.toFixed(0)} processes and threads a second on the whole machine`,
  );
}

function summarize(costs, { windows, ids, weight, profiles, bytes }, reported) {
  const last = costs.at(-1);
  const [, samples, lost, weighed, counted] =
    /(\d+) samples, lost (\d+); weights add up to (\d+), the counters to (\d+)/.exec(reported) ??
    [];
  const loads = costs.map(({ load }) => load);
  console.log(`
CPU          ${((100 * last.cpuS) / last.second).toFixed(2)} % of one CPU in ${last.second} s, ${(100 * laterShare(costs)).toFixed(2)} % after the first minute
memory       at most ${last.peak} MiB, in the end ${last.rss} MiB
windows      ${windows.size} arrived, ${profiles} profiles in them, ${profiles - ids.size} of these twice; ${Math.round(bytes / windows.size / 1000)} kB a window before compression
samples      ${samples}, lost ${lost}
weights      ${weight} arrived, ${weighed} in windows, ${counted} counted
load         ${Math.min(...loads).toFixed(1)} to ${Math.max(...loads).toFixed(1)}
the agent    ${reported.trim().replaceAll('\n', '\n             ')}`);
}

function laterShare(costs) {
  const first = costs.find(({ second }) => second >= 60) ?? costs[0];
  const last = costs.at(-1);
  return (last.cpuS - first.cpuS) / Math.max(1, last.second - first.second);
}

function startsOfMachine() {
  return Number(/^processes (\d+)$/m.exec(readFileSync('/proc/stat', 'utf8'))[1]);
}

function costOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kib = (name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)[1]);
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return {
    rss: Math.round(kib('VmRSS') / 1024),
    peak: Math.round(kib('VmHWM') / 1024),
    cpuS: (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND,
  };
}

/** Two busy CPUs, or so many processes a second. */
function startLoad() {
  if (STARTS > 0) {
    start(compile('starter', STARTER_C), [String(STARTS)]);
    return;
  }
  start(process.execPath, ['-e', BUSY_NODE]);
  start(compile('busy', BUSY_C), []);
}

function compile(name, text) {
  const source = join(folder, `${name}.c`);
  writeFileSync(source, text);
  const program = join(folder, name);
  execFileSync('cc', ['-O2', '-g', '-fno-omit-frame-pointer', '-o', program, source]);
  return program;
}

/** The address that the agent sends to: a Collector that hands on, or the receiver itself. */
async function startCollector(target) {
  if (!existsSync(COLLECTOR)) {
    console.log(
      'no Collector (node test/rigs/otel-collector.mjs makes one): windows go straight here',
    );
    return target;
  }
  const endpoint = `127.0.0.1:${24_000 + (process.pid % 8000)}`;
  const file = join(folder, 'collector.json');
  const exporter = {
    profiles_endpoint: `${target}/handed-on`,
    compression: 'none',
    sending_queue: { enabled: false },
    retry_on_failure: { enabled: false },
  };
  writeFileSync(
    file,
    JSON.stringify({
      receivers: { otlp: { protocols: { http: { endpoint } } } },
      exporters: { otlp_http: exporter },
      service: {
        telemetry: { metrics: { level: 'none' } },
        pipelines: { profiles: { receivers: ['otlp'], exporters: ['otlp_http'] } },
      },
    }),
  );
  start(COLLECTOR, ['--config', file, '--feature-gates=service.profilesSupport']);
  const [host, port] = endpoint.split(':');
  while (!(await answers(host, Number(port)))) {
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
  }
  console.log('windows go through an OpenTelemetry Collector');
  return `http://${endpoint}`;
}

function answers(host, port) {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    const end = (isThere) => () => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once('connect', end(true)).once('error', end(false));
  });
}

/** Adds up the requests that it gets. */
async function startReceiver() {
  const received = {
    url: '',
    windows: new Set(),
    ids: new Set(),
    profiles: 0,
    weight: 0n,
    bytes: 0,
  };
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const isPacked = request.headers['content-encoding'] === 'gzip';
      addRequest(received, isPacked ? gunzipSync(body) : body);
      response.writeHead(200).end();
    });
  });
  await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  server.unref();
  received.url = `http://127.0.0.1:${server.address().port}`;
  return received;
}

/** `ProfilesData`: resources (1) of scopes (2) of profiles (2) of samples (2) with packed values (4). */
function addRequest(received, bytes) {
  received.bytes += bytes.length;
  for (const resource of fieldsOf(bytes, 1)) {
    for (const scope of fieldsOf(resource, 2)) {
      for (const profile of fieldsOf(scope, 2)) {
        const [start] = fieldsOf(profile, 3);
        received.windows.add(start.readBigUInt64LE(0));
        const [id] = fieldsOf(profile, 7);
        received.ids.add(id.toString('hex'));
        received.profiles++;
        for (const sample of fieldsOf(profile, 2)) {
          for (const packed of fieldsOf(sample, 4)) received.weight += sumOfVarints(packed);
        }
      }
    }
  }
}

/** Bytes of each field of that number whose length is known; those of varints are left out. */
function fieldsOf(bytes, wanted) {
  const found = [];
  for (let at = 0; at < bytes.length; ) {
    const [key, afterKey] = varintAt(bytes, at);
    const [number, wire] = [Number(key >> 3n), Number(key & 7n)];
    let end = afterKey;
    let from = afterKey;
    if (wire === 0) end = varintAt(bytes, afterKey)[1];
    else if (wire === 1) end = afterKey + 8;
    else if (wire === 5) end = afterKey + 4;
    else {
      const [length, afterLength] = varintAt(bytes, afterKey);
      from = afterLength;
      end = afterLength + Number(length);
    }
    if (number === wanted && wire !== 0) found.push(bytes.subarray(from, end));
    at = end;
  }
  return found;
}

function varintAt(bytes, from) {
  let value = 0n;
  for (let at = from, shift = 0n; ; at++, shift += 7n) {
    value |= BigInt(bytes[at] & 127) << shift;
    if (bytes[at] < 128) return [value, at + 1];
  }
}

function sumOfVarints(bytes) {
  let sum = 0n;
  for (let at = 0; at < bytes.length; ) {
    const [value, next] = varintAt(bytes, at);
    sum += value;
    at = next;
  }
  return sum;
}
