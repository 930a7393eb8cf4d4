// The request that each sample ran for (`record --requests`), against stretches that the program itself times.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openProfile } from '../../src/index.ts';
import { MARK_KINDS } from '../../src/profile/mark-table.ts';
import { requestOfSamples } from '../../src/profile/request-of-sample.ts';
import { readTextOrEmpty } from '../../src/system/small-file.ts';
import { perfTs, projectRoot, scratchDirectory, startPerfTs } from '../helpers/cli.ts';
import { describeLive } from '../helpers/live.ts';
import { findNode, MAJORS } from '../strangers/nodes.ts';

const scratch = scratchDirectory();
const NODES = MAJORS.filter((major) => major >= 20).flatMap((major) => findNode(major) ?? []);
const [, REQUEST, , MEASURE] = MARK_KINDS.keys();

/**
 * Three routes wait by promises, timers, immediates, the pool and callbacks, and burn in one function, where one blocks its thread
 * as well: each stretch is a measure with the name of its route. Eight requests are open at a time, by a client in a process of its own, for as many as are asked for.
 * `serve`: it answers until it is killed, and has no client. `signals`: it handles SIGURG; `late`: when the client has ended.
 */
const PROGRAM = `
const http = require('node:http');
const fs = require('node:fs');
const { spawn } = require('node:child_process');
const [how = '600', port] = process.argv.slice(2);
const paths = ['/promises', '/callbacks', '/pool'];
if (port !== undefined) {
  const agent = new http.Agent({ keepAlive: true });
  let left = Number(how);
  let open = 0;
  const ask = () => {
    if (left === 0) return;
    open++;
    http.get({ port, path: paths[left-- % 3], agent }, (response) => response.resume().on('end', () => {
      if (--open === 0 && left === 0) process.exit();
      ask();
    }));
  };
  for (let i = 0; i < 8; i++) ask();
} else {
  let urgent = 0;
  const handle = () => process.on('SIGURG', () => urgent++);
  if (how === 'signals') handle();
  /** Ends when it has computed for a tenth of a second and got no signal. */
  const quiet = () => {
    const before = urgent;
    const { user } = process.cpuUsage();
    while (process.cpuUsage().user - user < 1e5);
    setTimeout(() => urgent === before ? process.exit() : quiet(), 1);
  };
  const cell = new Int32Array(new SharedArrayBuffer(4));
  const burn = (route, waitMs = 0) => {
    const start = performance.now();
    let x = 0;
    for (let i = 0; i < 4e5; i++) x = (x * 31 + i) | 0;
    if (waitMs > 0) Atomics.wait(cell, 0, 0, waitMs);
    performance.measure(route, { start, end: performance.now() });
    return x;
  };
  const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const deep = async (route) => { await null; burn(route, 5); await new Promise(setImmediate); burn(route); };
  const routes = {
    '/promises': async (route) => { burn(route); await Promise.all([deep(route), sleep(1).then(() => burn(route))]); burn(route); },
    '/callbacks': (route) => new Promise((resolve) => setTimeout(() => {
      burn(route);
      setImmediate(() => { burn(route); process.nextTick(() => { burn(route); resolve(); }); });
    }, 1)),
    '/pool': async (route) => { await fs.promises.stat('.'); burn(route); fs.stat('.', () => burn(route)); await sleep(2); },
  };
  const server = http.createServer(async (request, response) => {
    await routes[request.url](request.url);
    response.end();
  }).listen(0, () => {
    const { port } = server.address();
    if (how === 'serve') return console.log(port);
    spawn(process.execPath, [__filename, Number(how) > 0 ? how : '60', String(port)], { stdio: 'inherit' })
      .on('exit', () => {
        console.log(urgent);
        if (how !== 'late') process.exit();
        handle();
        quiet();
      });
  });
}
`;
/** Two workers that ask themselves, for ever or until the program has had so many seconds of CPU time. */
const WORKERS = `
const { Worker, isMainThread, parentPort } = require('node:worker_threads');
const http = require('node:http');
if (isMainThread) {
  const [, , most = Infinity] = process.argv;
  const answers = [0, 0];
  let areSeen = false;
  answers.forEach((_, i) => new Worker(__filename).on('message', () => {
    answers[i]++;
    if (answers.includes(0)) return;
    if (!areSeen) console.log('both answer');
    areSeen = true;
    if (process.cpuUsage().user > most * 1e6) process.exit();
  }));
} else {
  const burn = () => { let x = 0; for (let i = 0; i < 4e5; i++) x = (x * 31 + i) | 0; return x; };
  http.createServer(async (request, response) => {
    await null;
    response.end(String(burn()));
  }).listen(0, function () {
    const ask = () => http.get({ port: this.address().port }, (response) => response.resume().on('end', () => {
      parentPort.postMessage('answered');
      ask();
    }));
    ask();
  });
}
`;

/**
 * Routes whose work is done by libuv's pool, each by functions of its own, and asked for by a function of its own: at once, behind an `await`, in a timer,
 * and in the callback of other work. As many requests are open at a time as there are routes, by a client in a process of its own, until the server
 * has had so many seconds of CPU time.
 */
const POOL = `
const http = require('node:http');
const fs = require('node:fs');
const dns = require('node:dns');
const zlib = require('node:zlib');
const { pbkdf2, scrypt } = require('node:crypto');
const { spawn } = require('node:child_process');
const { promisify } = require('node:util');
const [file, port] = process.argv.slice(2);
const paths = ['/sha1', '/sha512', '/scrypt', '/deflate', '/brotli', '/file', '/lookup'];
if (port !== undefined) {
  const agent = new http.Agent({ keepAlive: true });
  let next = 0;
  const ask = () => http.get({ port, path: paths[next++ % paths.length], agent }, (response) => response.resume().on('end', ask));
  for (let i = 0; i < paths.length; i++) ask();
} else {
  const bytes = Buffer.from(Array.from({ length: 2e5 }, (_, i) => (i * i >> 3) & 255));
  fs.writeFileSync(file, Buffer.alloc(1e7, bytes));
  const hash = promisify(pbkdf2);
  const routes = {
    '/sha1': function askSha1() { return hash('a', 'b', 3000, 32, 'sha1'); },
    '/sha512': async function askSha512() { await null; await hash('a', 'b', 9000, 32, 'sha512'); },
    '/scrypt': () => new Promise((resolve) => setTimeout(function askScrypt() { scrypt('a', 'b', 32, { N: 1024 }, resolve); }, 1)),
    '/deflate': function askDeflate() { return promisify(zlib.gzip)(bytes); },
    '/brotli': () => new Promise((resolve) => fs.stat('.', function askBrotli() {
      zlib.brotliCompress(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 5 } }, resolve);
    })),
    '/file': function askFile() { return promisify(fs.readFile)(file); },
    '/lookup': function askLookup() { return Promise.all(Array.from({ length: 20 }, () => promisify(dns.lookup)('localhost'))); },
  };
  const server = http.createServer(async (request, response) => {
    await routes[request.url]();
    response.end();
    const { user, system } = process.cpuUsage();
    if (user + system > 3.5e6) client.kill();
  }).listen(0);
  let client;
  server.on('listening', () => {
    client = spawn(process.execPath, [__filename, file, String(server.address().port)], { stdio: 'inherit' });
    client.on('exit', () => process.exit());
  });
}
`;
/** Functions that run for one route of it alone, and the function that asks for them. */
const POOL_ROUTES = [
  [/sha1/i, 'GET /sha1', 'askSha1'],
  [/sha512/i, 'GET /sha512', 'askSha512'],
  [/scrypt/i, 'GET /scrypt', 'askScrypt'],
  [/deflate|longest_match|slide_hash/i, 'GET /deflate', 'askDeflate'],
  [/brotli/i, 'GET /brotli', 'askBrotli'],
  [/uv__fs_read|uv__fs_work/, 'GET /file', 'askFile'],
  [/getaddrinfo/, 'GET /lookup', 'askLookup'],
] as const;

const program = join(scratch, 'server.cjs');
writeFileSync(program, PROGRAM);

const running: ChildProcess[] = [];
afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * Samples in the program's own stretches behind the first context: put down to the right route, to another, or to none, as
 * those are of requests that had begun before.
 */
async function judged(file: string) {
  const { profile } = await openProfile(file);
  const { samples, marks } = profile;
  const requestOf = requestOfSamples(profile);
  if (marks?.contexts === undefined || requestOf === null) throw new Error('no contexts');
  const stretches = [...marks.kind.keys()].filter((row) => marks.kind[row] === MEASURE);
  const { thread } = marks.loops[marks.loop[stretches[0]]];
  const [firstNs] = marks.contexts.timeNs;
  const counts = { right: 0, wrong: 0, none: 0 };
  let at = 0;
  for (let row = 0; row < samples.length; row++) {
    const timeNs = samples.timeNs[row];
    if (samples.thread[row] !== thread || timeNs <= firstNs) continue;
    while (at < stretches.length && marks.toNs[stretches[at]] < timeNs) at++;
    if (at === stretches.length || marks.fromNs[stretches[at]] > timeNs) continue;
    const request = requestOf[row];
    const route = marks.names[marks.name[stretches[at]]];
    if (request < 0) counts.none++;
    else if (marks.names[marks.name[request]] === `GET ${route}`) counts.right++;
    else counts.wrong++;
  }
  return counts;
}

/**
 * Samples of threads without an event loop whose functions run for one route alone: put down to it, to another, or to none; and below the function that
 * asked for it, below another's, or none's.
 */
async function judgedInPool(file: string) {
  const opened = await openProfile(file);
  const { samples, stacks, frames, funcs, strings, marks } = opened.profileAt('all');
  const requestOf = requestOfSamples(opened.profile);
  if (marks?.contexts === undefined || requestOf === null) throw new Error('no contexts');
  const loops = new Set([...marks.loop].map((row) => marks.loops[row].thread));
  const [firstNs] = marks.contexts.timeNs;
  const namesOf = (stack: number): string[] => {
    const names: string[] = [];
    for (let row = stack; row >= 0; row = stacks.prefix[row]) {
      names.push(strings[funcs.name[frames.func[stacks.frame[row]]]]);
    }
    return names;
  };
  const isAsker = (name: string) => /^ask[A-Z]/.test(name);
  const routes = { right: 0, wrong: 0, none: 0 };
  const askers = { right: 0, wrong: 0, none: 0 };
  for (let row = 0; row < samples.length; row++) {
    if (loops.has(samples.thread[row]) || samples.timeNs[row] <= firstNs) continue;
    const names = namesOf(samples.stack[row]);
    const own = names.filter((name) => !isAsker(name));
    const found = POOL_ROUTES.find(([pattern]) => own.some((name) => pattern.test(name)));
    if (found === undefined) continue;
    const [, route, function_] = found;
    const request = requestOf[row];
    if (request < 0) routes.none++;
    else routes[marks.names[marks.name[request]] === route ? 'right' : 'wrong']++;
    const asking = names.filter(isAsker);
    if (asking.length === 0) askers.none++;
    else askers[asking.every((name) => name.split(' ')[0] === function_) ? 'right' : 'wrong']++;
  }
  return { routes, askers };
}

/** Whether a process handles SIGURG, whose bit is 22. */
function handlesSignal(pid: number | undefined): boolean {
  const caught = /SigCgt:\s*(\w+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return (BigInt(`0x${caught}`) & (1n << 22n)) !== 0n;
}

/** Threads of perf-ts in a process. */
function threadsOf(pid: number | undefined): number {
  const tids = readdirSync(`/proc/${pid}/task`);
  return tids.filter((tid) => readTextOrEmpty(`/proc/${pid}/task/${tid}/comm`) === 'perf-ts\n')
    .length;
}

/** CPU time of a process, in the kernel's hundredths of a second. */
function cpuTicks(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describeLive('requests of samples', () => {
  it.each(NODES)(
    'the request of a sample is the one whose code ran, on Node $major',
    async ({ path, major }) => {
      const file = join(scratch, `node-${major}.data`);
      const run = perfTs(['record', '-q', '--requests', '-o', file, '--', path, program]);
      expect(run.status).toBe(0);
      const { right, wrong, none } = await judged(file);
      const all = right + wrong + none;
      expect(right).toBeGreaterThan(300);
      expect(wrong / all).toBeLessThanOrEqual(0.002);
      expect(right / all).toBeGreaterThanOrEqual(0.98);
    },
  );

  it.each(NODES)(
    'work of libuv’s pool is of the request that gave it, below the function that asked for it, on Node $major',
    async ({ path, major }) => {
      const source = join(scratch, 'pool.cjs');
      writeFileSync(source, POOL);
      const file = join(scratch, `pool-${major}.data`);
      const words = ['record', '-q', '--requests', '-F', '499', '-o', file, '--', path, source];
      expect(perfTs([...words, join(scratch, 'read.bin')]).status).toBe(0);
      for (const { right, wrong, none } of Object.values(await judgedInPool(file))) {
        expect(right).toBeGreaterThan(100);
        expect(wrong / (right + wrong)).toBeLessThanOrEqual(0.002);
        // Node 26 reads files by a function that has 8 kB on its stack, which no copy reaches behind.
        if (major < 26) expect(right / (right + none)).toBeGreaterThanOrEqual(0.9);
      }
    },
  );

  it('a process that is attached to, by recorders that end and one that is killed, has them, and nothing is left in it', async () => {
    const register = join(projectRoot, 'dist/register/preload.cjs');
    const server = spawn(process.execPath, ['--require', register, program, 'serve']);
    running.push(server);
    const [port] = (await once(server.stdout, 'data')) as [Buffer];
    for (const end of ['SIGKILL', 'SIGINT', 'SIGINT'] as const) {
      const file = join(scratch, `attached-${end}.data`);
      const words = ['record', '-q', '--requests', '-o', file, '-p', `${server.pid}`];
      const before = threadsOf(server.pid);
      const recorder = startPerfTs(words);
      // A thread of it sends to the recorder: now it is asked nothing any more, and may be busy.
      await until(() => threadsOf(server.pid) > before);
      const client = spawn(process.execPath, [program, '6000000', `${port}`.trim()]);
      running.push(client);
      await until(() => handlesSignal(server.pid));
      // It has that CPU time with its handler in place: some hundred samples.
      const enough = cpuTicks(server.pid) + 30;
      await until(() => cpuTicks(server.pid) >= enough);
      recorder.child.kill(end);
      await recorder.ended;
      client.kill();
      await until(() => !handlesSignal(server.pid) && threadsOf(server.pid) === before);
      if (end === 'SIGKILL') continue;
      const { marks } = (await openProfile(file)).profile;
      expect(marks?.kind).toContain(REQUEST);
      const { right, wrong } = await judged(file);
      expect(right).toBeGreaterThan(0);
      expect(wrong / (right + wrong)).toBeLessThanOrEqual(0.002);
    }
    expect(server.exitCode).toBeNull();
  });

  it('each worker of a process that is attached to has requests, and a notice reports that those of a command have not', async () => {
    const workers = join(scratch, 'workers.cjs');
    writeFileSync(workers, WORKERS);
    const register = join(projectRoot, 'dist/register/preload.cjs');
    const server = spawn(process.execPath, ['--require', register, workers]);
    running.push(server);
    await once(server.stdout, 'data');
    const file = join(scratch, 'workers.data');
    const before = threadsOf(server.pid);
    const recorder = startPerfTs(['record', '-q', '--requests', '-o', file, '-p', `${server.pid}`]);
    // The main thread's code is sent, and that of both workers.
    await until(() => threadsOf(server.pid) >= before + 3);
    await until(() => handlesSignal(server.pid));
    const enough = cpuTicks(server.pid) + 60;
    await until(() => cpuTicks(server.pid) >= enough);
    recorder.child.kill('SIGINT');
    await recorder.ended;
    const { marks } = (await openProfile(file)).profile;
    const { loop, request } = marks?.contexts ?? { loop: [], request: [] };
    const tids = [...loop]
      .filter((_, i) => request[i] >= 0)
      .map((row) => marks?.loops[row].tid)
      .filter((tid) => tid !== server.pid);
    expect(new Set(tids).size).toBe(2);

    const words = ['record', '--requests', '-o', file, '--', process.execPath, workers, '0.3'];
    expect(perfTs(words).stderr).toContain('several threads answer requests');
  });

  it('a program that handles the signal itself gets none', async () => {
    const file = join(scratch, 'signals.data');
    const words = ['record', '-q', '--requests', '-o', file, '--', process.execPath];
    const { stdout } = perfTs([...words, program, 'signals']);
    expect(stdout.trim()).toBe('0');
    expect((await openProfile(file)).profile.marks?.contexts).toBeUndefined();
  });

  it('a program that handles the signal from some time on gets none when that is seen', () => {
    const file = join(scratch, 'late.data');
    const words = ['record', '-q', '--requests', '-o', file, '--', process.execPath];
    expect(perfTs([...words, program, 'late']).status).toBe(0);
  });

  it('the report by route is certain of what ran', () => {
    const [{ major }] = NODES;
    const file = join(scratch, `node-${major}.data`);
    const { stdout } = perfTs(['report', '--by', 'request', '--json', file]);
    const { routes } = JSON.parse(stdout) as { routes: { weight: number; inHandler: number }[] };
    const sum = (of: (row: (typeof routes)[number]) => number) =>
      routes.reduce((all, row) => all + of(row), 0);
    expect(sum(({ inHandler }) => inHandler)).toBeGreaterThan(0.9 * sum(({ weight }) => weight));
  });

  it('the time that a route ran and waited in its turns is that of its stretches', async () => {
    const [{ major }] = NODES;
    const opened = await openProfile(join(scratch, `node-${major}.data`));
    const { routes } = opened.requests() ?? { routes: [] };
    const stretches = opened.programMarks().filter(({ kind }) => kind === 'measure');
    expect(stretches).toHaveLength(3);
    for (const { name, totalNs } of stretches) {
      const { times } = routes.find((route) => route.name === `GET ${name}`) ?? {};
      if (!times) throw new Error(`${name} has no times`);
      const own = times.cpuNs + times.gcNs + times.waitsNs;
      // A wait for a CPU between samples of two requests is not told: with others on the machine that is much.
      expect(own + times.untoldNs).toBeGreaterThan(0.95 * totalNs);
      if (name === '/promises') expect(own).toBeGreaterThan(0.5 * totalNs);
    }
  });
});
