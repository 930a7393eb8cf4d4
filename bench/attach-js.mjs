// Measures `record -p PID --attach-js` on a server under load: how soon names come, for how long the
// server stands still, what requests cost meanwhile, and what is left after many of them, a third of
// which are killed.
//
//     node bench/attach-js.mjs [cycles] [node …]       default 30 and this one

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from './measure.mjs';

const [cycles = '30', ...nodes] = process.argv.slice(2);
const CLI = join(root, 'dist/bin/main.js');
const CONNECTIONS = 4;
const ROUND_MS = 3000;
const ROUNDS = 5;
const ATTACHES = 9;
const scratch = mkdtempSync(join(tmpdir(), 'perf-ts-attach-'));

class Server {
  #agent = new http.Agent({ keepAlive: true });
  #isLoaded = true;
  answered = 0;
  stderr = '';

  static async start(node) {
    const child = spawn(node, [join(root, 'bench/attach-server.cjs')], {
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    const server = new Server(child);
    const [port] = await once(child.stdout, 'data');
    server.port = Number(port);
    for (let i = 0; i < CONNECTIONS; i++) void server.#load();
    await sleep(1500);
    return server;
  }

  constructor(child) {
    this.child = child;
    this.pid = child.pid;
    child.stderr.on('data', (text) => {
      this.stderr = `${this.stderr}${text}`.slice(-2000);
    });
  }

  async #load() {
    while (this.#isLoaded) {
      await this.get(`/${this.answered}`).catch(() => sleep(10));
      this.answered++;
    }
  }

  get(path) {
    return new Promise((resolve, reject) => {
      const request = http.get({ port: this.port, agent: this.#agent, path }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part) => {
          text += part;
        });
        response.on('end', () => resolve(text));
      });
      request.on('error', reject);
    });
  }

  /** Answers per second over a while. */
  async rate(ms) {
    const before = this.answered;
    const begun = performance.now();
    await sleep(ms);
    return ((this.answered - before) / (performance.now() - begun)) * 1000;
  }

  facts() {
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    return {
      rssMiB: Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1024),
      threads: Number(/Threads:\s+(\d+)/.exec(status)[1]),
      files: readdirSync(`/proc/${this.pid}/fd`).length,
    };
  }

  stop() {
    this.#isLoaded = false;
    this.#agent.destroy();
    this.child.kill();
  }
}

/** A recording of the server; `named` is when it has said that names come, null if it never did. */
function record(server, seconds, options = ['--attach-js', '-g']) {
  const file = join(scratch, 'attach.data');
  const begun = performance.now();
  const child = spawn(process.execPath, [
    ...[CLI, 'record', '-e', 'cpu-clock', '-F', '999', '-o', file, ...options],
    ...['-p', `${server.pid}`, '--duration', `${seconds}`],
  ]);
  const recording = { child, named: null, reported: '', ended: once(child, 'exit') };
  child.stderr.on('data', (text) => {
    recording.reported += text;
    if (/reports its JavaScript/.test(recording.reported))
      recording.named ??= performance.now() - begun;
  });
  return recording;
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

async function measure(node) {
  const server = await Server.start(node);
  const named = [];
  const pauses = [];
  const usual = [];
  const listed = [];
  for (let i = 0; i < ATTACHES; i++) {
    await server.get('/pause');
    await sleep(500);
    usual.push(Number(await server.get('/pause')));
    const recording = record(server, 0.5);
    await recording.ended;
    named.push(recording.named ?? Number.NaN);
    listed.push(Number(/in (\d+) ms/.exec(recording.reported)?.[1]));
    pauses.push(Number(await server.get('/pause')));
  }
  const ratios = [];
  for (let i = 0; i < ROUNDS; i++) {
    const alone = await server.rate(ROUND_MS);
    const recording = record(server, ROUND_MS / 1000 + 2);
    await sleep(1500);
    ratios.push((await server.rate(ROUND_MS)) / alone);
    await recording.ended;
  }
  console.log(
    `${node}: ${named.length} attaches; first names after ${median(named).toFixed(0)} ms (median); ` +
      `event loop stands still for ${median(pauses).toFixed(0)} ms (most ${Math.max(...pauses).toFixed(0)}; ` +
      `without attach ${median(usual).toFixed(0)}), V8's list ${median(listed)} ms; ` +
      `requests with 999 Hz / without: ${median(ratios).toFixed(3)} (${ratios.map((r) => r.toFixed(2)).join(' ')})`,
  );
  if (Number(cycles) > 0) await repeat(server);
  server.stop();
}

async function repeat(server) {
  let random = 7;
  const nextRandom = () => {
    random = (random * 1103515245 + 12345) & 0x7fffffff;
    return random / 0x7fffffff;
  };
  let killed = 0;
  let failed = 0;
  const log = [];
  for (let i = 0; i < Number(cycles) && server.child.exitCode === null; i++) {
    const recording = record(server, 0.2);
    const isKilled = i % 3 === 2;
    if (isKilled) {
      killed++;
      await sleep(50 + nextRandom() * 700);
      recording.child.kill('SIGKILL');
    }
    await recording.ended;
    if (!isKilled && recording.named === null) failed++;
    if (i === 9 || i === Number(cycles) - 1) log.push(server.facts());
  }
  await sleep(3000);
  const isOpen = await fetch('http://127.0.0.1:9229/json/version').then(
    () => true,
    () => false,
  );
  const state = server.child.signalCode ?? server.child.exitCode ?? 'runs';
  console.log(
    `  ${cycles} more, ${killed} of them killed: the server ${state}, ${failed} failed, inspector ` +
      `${isOpen ? 'OPEN' : 'closed'}; after the tenth ${JSON.stringify(log[0])}, at the end ${JSON.stringify(log[1] ?? log[0])}`,
  );
}

for (const node of nodes.length > 0 ? nodes : [process.execPath]) await measure(node);
rmSync(scratch, { recursive: true, force: true });
