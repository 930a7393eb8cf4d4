// Functions of Node processes that run already, named through their inspector or by perf-ts/register.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { afterEach, expect, it } from 'vitest';
import { openProfile } from '../../src/index.ts';
import { notesPath } from '../../src/read/jit/node-notes.ts';
import { listeningPorts } from '../../src/record/code-events/listening-ports.ts';
import { codeEventsModule } from '../../src/system/runtimes/register-modules.ts';
import { readTextOrEmpty } from '../../src/system/small-file.ts';
import { perfTs, projectRoot, scratchDirectory, startPerfTs } from '../helpers/cli.ts';
import { describeLive } from '../helpers/live.ts';
import { until } from '../helpers/tasks.ts';
import { findNode, MAJORS } from '../strangers/nodes.ts';

const scratch = scratchDirectory();
const REGISTER = join(projectRoot, 'dist/register/preload.cjs');
const running: ChildProcess[] = [];
afterEach(async () => {
  for (const child of running.splice(0)) {
    const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : null;
    child.kill('SIGKILL');
    await ended;
    // It may have been killed before it took them with it.
    rmSync(notesPath(child.pid as number), { force: true });
  }
});

/**
 * A program that works in turns of its event loop, and prints that it has begun; with a worker, which has begun
 * too, also that this one has the library and works on.
 */
const TURNS = `
const { createHook } = require('node:async_hooks');
const { Worker, isMainThread, parentPort } = require('node:worker_threads');
const isTakenIn = () =>
  Object.getOwnPropertySymbols(createHook).some(({ description }) => description.startsWith('perf-ts '));
function warm(n) { let sum = 0; for (let i = 0; i < n; i++) sum += Math.sqrt(i) * (i % 7); return sum; }
function turn() { for (let i = 0; i < 20; i++) warm(20000); setImmediate(turn); }
if (isMainThread) {
  const begin = () => {
    turn();
    setTimeout(() => console.log('begun'), 300);
  };
  if (process.argv.includes('worker')) {
    const worker = new Worker(__filename, { name: 'other', argv: [] });
    worker.on('message', (message) => message === 'runs' ? begin() : console.log(message));
  } else {
    begin();
  }
} else {
  parentPort.postMessage('runs');
  turn();
  const wait = setInterval(() => {
    if (!isTakenIn()) return;
    clearInterval(wait);
    setTimeout(() => parentPort.postMessage('taken in'), 300);
  }, 10);
}
`;

/**
 * A program that starts workers once it is told to, one in the middle of the other's start. Each works until it has the library,
 * or for so long that it will not get it; the program ends with the number of those that have none.
 */
const POOL = `
const { createHook } = require('node:async_hooks');
const { Worker, isMainThread } = require('node:worker_threads');
function warm(n) { let sum = 0; for (let i = 0; i < n; i++) sum += Math.sqrt(i) * (i % 7); return sum; }
const isTakenIn = () =>
  Object.getOwnPropertySymbols(createHook).some(({ description }) => description.startsWith('perf-ts '));
if (isMainThread) {
  let without = 0;
  let left = 12;
  const start = () => {
    const worker = new Worker(__filename);
    worker.on('message', (has) => { if (!has) without++; });
    worker.on('exit', () => { if (--left === 0) process.exit(without); });
  };
  const wait = setInterval(() => {
    if (!isTakenIn()) return;
    clearInterval(wait);
    for (let i = 0; i < 12; i++) setTimeout(start, 7 * i);
  }, 10);
  console.log('begun');
} else {
  let turns = 0;
  const { parentPort } = require('node:worker_threads');
  const turn = () => {
    if (isTakenIn() || turns++ === 2000) return parentPort.postMessage(isTakenIn());
    for (let i = 0; i < 10; i++) warm(20000);
    setImmediate(turn);
  };
  turn();
}
`;

/**
 * A program whose worker is asked while it starts, and then works for 700 ms in one turn of its event loop. It prints whether the
 * worker had the library within that turn, and once it has it behind it.
 */
const ONE_TURN = `
const { createHook } = require('node:async_hooks');
const { Worker, isMainThread, parentPort } = require('node:worker_threads');
const isTakenIn = () =>
  Object.getOwnPropertySymbols(createHook).some(({ description }) => description.startsWith('perf-ts '));
if (isMainThread) {
  const wait = setInterval(() => {
    if (!isTakenIn()) return;
    clearInterval(wait);
    new Worker(__filename).on('message', (text) => console.log(text));
  }, 10);
  console.log('begun');
} else {
  const end = performance.now() + 700;
  let within = false;
  while (performance.now() < end) within ||= isTakenIn();
  const wait = setInterval(() => {
    if (!isTakenIn()) return;
    clearInterval(wait);
    parentPort.postMessage('within its turn: ' + within);
  }, 10);
}
`;

/** A program with a worker of a `data:` URL, which prints that it has the library, and works on. */
const DATA_WORKER = `
const { Worker } = require('node:worker_threads');
const text = \`
import { createHook } from 'node:async_hooks';
import { parentPort } from 'node:worker_threads';
const isTakenIn = () =>
  Object.getOwnPropertySymbols(createHook).some(({ description }) => description.startsWith('perf-ts '));
let isTold = false;
function turn() {
  const end = performance.now() + 100;
  while (performance.now() < end);
  if (isTold) parentPort.postMessage('works');
  isTold = isTakenIn();
  setImmediate(turn);
}
turn();
\`;
const worker = new Worker(new URL('data:text/javascript,' + encodeURIComponent(text)));
worker.once('message', () => console.log('taken in'));
worker.once('online', () => console.log('begun'));
`;

/** A program that compiles scripts, and on SIGUSR2 makes a code cache of each and ends. */
const CACHES = `
const { Script } = require('node:vm');
const scripts = [];
function turn() {
  const script = new Script('(function made' + scripts.length + '() { return [1].map((x) => x + 1); })');
  script.runInThisContext()();
  scripts.push(script);
  setTimeout(turn, 2);
}
turn();
process.on('SIGUSR2', () => {
  for (const script of scripts) script.createCachedData();
  process.exit(0);
});
console.log('begun');
`;

/** A program that listens on a port of its own. */
const SERVER = `
require('node:http').createServer((request, response) => response.end('{}')).listen(0, '127.0.0.1', () =>
  console.log('begun'));
`;

/**
 * A server's turns: in each it calls a method with a loop, which V8 replaces while it runs (OSR). The next call enters
 * that code again, so no other is made of it.
 */
const LOOPS = `
class Service { heavy() { let s = 0; for (let i = 0; i < 300_000; i++) s = (s * 31 + i) | 0; return s; } }
const service = new Service();
let turns = 0;
setInterval(function tick() {
  service.heavy();
  if (++turns === 60) console.log('begun');
}, 10);
`;

/** A program whose event loop never turns. */
const BUSY = `
function warm(n) { let sum = 0; for (let i = 0; i < n; i++) sum += Math.sqrt(i) * (i % 7); return sum; }
require('node:fs').writeSync(1, 'begun\\n');
for (;;) warm(20000);
`;

/** Versions of Node whose code is named after an attach, as far as they are here. */
const NODES = MAJORS.filter((major) => major >= 18).flatMap((major) => findNode(major) ?? []);

const WAYS = [
  ['through its inspector', [], '--attach-js'],
  ['by perf-ts/register', ['--require', REGISTER], '-q'],
] as const;

/** Whichever of them V8 has put into the other. */
const WORK = /^(?:warm|turn|\(anonymous\)) \S*program-0\.cjs:\d$/;

type Program = { readonly child: ChildProcess; readonly pid: number; stderr: string };

async function start(
  text: string,
  words: readonly string[] = [],
  flags: readonly string[] = [],
  node = process.execPath,
) {
  const script = join(scratch, `program-${running.length}.cjs`);
  writeFileSync(script, text);
  const env = { ...process.env, NODE_OPTIONS: '' };
  const child = spawn(node, [...flags, script, ...words], { env });
  running.push(child);
  const program: Program = { child, pid: child.pid as number, stderr: '' };
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    program.stderr += text;
  });
  if (child.stdout !== null) await once(child.stdout, 'data');
  return program;
}

function record(pid: number, ...options: readonly string[]) {
  const file = join(scratch, 'attached.data');
  const flags = ['-g', '-e', 'cpu-clock:u', '-F', '997', '--duration', '1', '-o', file];
  const run = perfTs(['record', ...flags, '-p', `${pid}`, ...options]);
  expect(run.status).toBe(0);
  return { notices: run.stderr, ...namesOf(file) };
}

type Row = { readonly name: string; readonly samples: number };

/** The functions of a recording, and what its report says besides. */
function namesOf(file: string) {
  const report = perfTs(['report', '--json', '-n', '0', file]);
  const { rows } = (JSON.parse(report.stdout) as { events: { rows: Row[] }[] }).events[0];
  return { reported: report.stderr, names: rows.map(({ name }) => name), rows };
}

/** The command lines of all processes. */
function commandLines(): string[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map((pid) => readTextOrEmpty(`/proc/${pid}/cmdline`).replaceAll('\0', ' '));
}

const threadNames = (pid: number) => readFileSync(`/proc/${pid}/comm`, 'utf8');
const threads = (pid: number) =>
  /Threads:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];

describeLive('attaching to a running Node', () => {
  it('--attach-js names its functions and those of its workers, and leaves it as it was', async () => {
    const { pid, child } = await start(TURNS, ['worker']);
    const before = { threads: threads(pid), comm: threadNames(pid) };
    const file = join(scratch, 'attached.data');
    const flags = ['-g', '-e', 'cpu-clock:u', '-F', '997', '-o', file];
    const recorder = startPerfTs(['record', ...flags, '-p', `${pid}`, '--attach-js']);
    await once(child.stdout as Readable, 'data');
    recorder.child.kill('SIGINT');
    const { status, stderr } = await recorder.ended;
    expect(status).toBe(0);
    expect(stderr).toMatch(
      new RegExp(`process ${pid} \\(Node ${process.version}\\) reports its JavaScript`),
    );
    expect(namesOf(file).names.filter((name) => WORK.test(name))).not.toEqual([]);
    expect(perfTs(['report', '--sort', 'thread', file]).stdout).toMatch(
      /Worker #1 (?:other|\S*program-0\.cjs)/,
    );
    await until(() => listeningPorts(pid).size === 0);
    await until(() => threads(pid) === before.threads);
    expect(threadNames(pid)).toBe(before.comm);
    await until(() => !existsSync(notesPath(pid)));
    expect(child.exitCode).toBeNull();
  });

  it("calls a worker of a data: URL a worker, and none of Node's own", async () => {
    const { pid, child } = await start(DATA_WORKER);
    const file = join(scratch, 'data-worker.data');
    const flags = ['-g', '-e', 'cpu-clock:u', '-F', '997', '-o', file];
    const recorder = startPerfTs(['record', ...flags, '-p', `${pid}`, '--attach-js']);
    await once(child.stdout as Readable, 'data');
    recorder.child.kill('SIGINT');
    expect((await recorder.ended).status).toBe(0);
    const { stdout } = perfTs(['report', '--sort', 'thread', file]);
    expect(stdout).toContain('Worker #1 [eval]');
    expect(stdout).not.toContain('Node loaders');
  });

  it('--attach-js names workers that start during the recording, however early it hears of them', async () => {
    const { pid, child } = await start(POOL);
    const ended = once(child, 'exit');
    const file = join(scratch, 'pool.data');
    const words = ['record', '-q', '-e', 'cpu-clock:u', '-o', file, '-p', `${pid}`, '--attach-js'];
    expect((await startPerfTs(words).ended).status).toBe(0);
    expect(await ended).toEqual([0, null]);
  });

  it.runIf(process.geteuid?.() === 0)(
    '--attach-js names a program with mounts of its own that finds the library in them, and explains one that does not',
    async () => {
      const node = process.execPath;
      const service = await start(TURNS, [], ['--mount', node], 'unshare');
      expect(
        record(service.pid, '--attach-js').names.filter((name) => WORK.test(name)),
      ).not.toEqual([]);
      const there = codeEventsModule().codeEventsLibrary() ?? '';
      const container = await start(
        TURNS,
        [],
        ['--mount', 'sh', '-c', `mount --bind /dev/null '${there}' && exec "$@"`, 'sh', node],
        'unshare',
      );
      expect(record(container.pid, '--attach-js').notices).toContain('it sees other files');
      expect([service.child.exitCode, container.child.exitCode]).toEqual([null, null]);
    },
  );

  // V8's inspector swallows the end of a worker that comes while it evaluates, and the program waits for that worker for ever.
  it('--attach-js takes a worker in between turns of its event loop', async () => {
    const { pid, child } = await start(ONE_TURN);
    const words = ['record', '-q', '-e', 'cpu-clock:u', '-o', join(scratch, 'one-turn.data')];
    const recorder = startPerfTs([...words, '-p', `${pid}`, '--attach-js']);
    const [text] = (await once(child.stdout as Readable, 'data')) as [Buffer];
    recorder.child.kill('SIGINT');
    expect((await recorder.ended).status).toBe(0);
    expect(String(text).trim()).toBe('within its turn: false');
  });

  it('a second attach names the process again, with one library', async () => {
    const { pid } = await start(TURNS);
    const libraries = () =>
      readFileSync(`/proc/${pid}/maps`, 'utf8')
        .split('\n')
        .filter((line) => /code_events/.test(line)).length;
    record(pid, '--attach-js');
    const once = libraries();
    const { names } = record(pid, '--attach-js');
    expect(names.filter((name) => WORK.test(name))).not.toEqual([]);
    expect(libraries()).toBe(once);
  });

  it('recorders that attach to several programs at once take turns at the port of their inspectors', async () => {
    const programs = await Promise.all([1, 2, 3, 4].map(() => start(TURNS)));
    const notices = await Promise.all(
      programs.map(async ({ pid }) => {
        const file = join(scratch, `at-once-${pid}.data`);
        const flags = ['-e', 'cpu-clock:u', '--duration', '3', '-o', file];
        const recorder = startPerfTs(['record', ...flags, '-p', `${pid}`, '--attach-js']);
        return (await recorder.ended).stderr;
      }),
    );
    for (const text of notices) expect(text).toContain('reports its JavaScript');
    for (const { stderr } of programs) expect(stderr).not.toContain('address already in use');
  });

  for (const { major, path } of NODES) {
    for (const [way, flags, option] of WAYS) {
      it(`--attach-js names a loop that Node ${major} replaced while it ran, taken in ${way}`, async () => {
        const { pid } = await start(LOOPS, [], flags, path);
        const { rows } = record(pid, option);
        const samplesOf = (pattern: RegExp) =>
          rows.filter(({ name }) => pattern.test(name)).reduce((sum, row) => sum + row.samples, 0);
        const unnamed = samplesOf(/^\[JIT\]/);
        const named = samplesOf(/^(?:heavy|tick) \S*program-0\.cjs:\d$/);
        expect(unnamed / (named + unnamed)).toBeLessThan(0.02);
      });
    }
  }

  for (const [way, flags, option] of WAYS) {
    it(`--attach-js leaves a program that makes code caches running, taken in ${way}`, async () => {
      const { pid, child } = await start(CACHES, [], flags);
      const before = threads(pid);
      record(pid, option);
      await until(() => threads(pid) === before);
      process.kill(pid, 'SIGUSR2');
      expect(await once(child, 'exit')).toEqual([0, null]);
    });
  }

  it('--attach-js names a process whose event loop never turns, each time, and closes its port', async () => {
    const { pid } = await start(BUSY);
    for (let time = 0; time < 2; time++) {
      const { notices, names } = record(pid, '--attach-js');
      expect(notices).toMatch(/reports its JavaScript/);
      expect(names.filter((name) => WORK.test(name))).not.toEqual([]);
      await until(() => listeningPorts(pid).size === 0);
    }
  });

  it('--attach-js leaves no port open when perf-ts is killed meanwhile', async () => {
    const { pid, child } = await start(TURNS);
    const file = join(scratch, 'killed.data');
    const recorder = startPerfTs(['record', '-p', `${pid}`, '--attach-js', '-o', file]);
    // Its handshake may be over before it is looked at.
    await until(() => listeningPorts(pid).size > 0 || /reports its/.test(recorder.stderr()));
    recorder.child.kill('SIGKILL');
    await until(() => listeningPorts(pid).size === 0);
    expect(child.exitCode).toBeNull();
    // The handshake ended, and another one works.
    expect(record(pid, '--attach-js').notices).toMatch(/reports its JavaScript/);
  });

  it('--attach-js waits for an inspector that may still open, but for no longer than the process is there', async () => {
    const { pid, child } = await start(`process.on('SIGUSR1', () => {}); ${TURNS}`);
    const words = ['record', '-p', `${pid}`, '--attach-js', '-o', join(scratch, 'deaf.data')];
    const recording = startPerfTs(words);
    const waits = () => commandLines().some((words) => words.includes(`handshake.js ${pid} `));
    await until(() => recording.stderr().includes('it opened no inspector on SIGUSR1'));
    expect(waits()).toBe(true);
    child.kill('SIGKILL');
    await recording.ended;
    await until(() => !waits());
  });

  for (const [how, text, flags] of [
    ['by an option', TURNS, ['--inspect=127.0.0.1:0']],
    ['beside a server', SERVER, ['--inspect=127.0.0.1:0']],
    ['by the program beside a server', `require('node:inspector').open(0); ${SERVER}`, []],
  ] as const) {
    it(`uses an inspector that was opened ${how} already, and leaves it open`, async () => {
      const { pid } = await start(text, [], flags);
      const ports = [...listeningPorts(pid).values()].sort();
      const words = [
        'record',
        '-e',
        'cpu-clock:u',
        '-o',
        join(scratch, 'open.data'),
        '-p',
        `${pid}`,
      ];
      const recorder = startPerfTs([...words, '--attach-js']);
      // It takes a part of a second to see that the signal opened nothing, and all ports are asked then.
      await until(() => recorder.stderr().includes('reports its JavaScript'));
      recorder.child.kill('SIGINT');
      expect((await recorder.ended).status).toBe(0);
      expect([...listeningPorts(pid).values()].sort()).toEqual(ports);
    });
  }

  it("the refusal names Node's permission model where it keeps the inspector closed", async () => {
    const flag = ['--permission', '--experimental-permission'].find((name) =>
      process.allowedNodeEnvironmentFlags.has(name),
    ) as string;
    const { pid, child } = await start(TURNS, [], [flag, '--allow-fs-read=*']);
    const { notices, reported } = record(pid, '--attach-js');
    expect(notices).toMatch(/have no names: Node's permission model \(--permission\) keeps it/);
    // The samples that stay unnamed are told with their share.
    const [, share] = /([\d.]+)% of the samples are in code without a name/.exec(reported) ?? [];
    expect(Number(share)).toBeGreaterThan(10);
    expect(child.exitCode).toBeNull();
  });

  it('--attach-js names a process under the permission model that imports perf-ts/register', async () => {
    const flag = ['--permission', '--experimental-permission'].find((name) =>
      process.allowedNodeEnvironmentFlags.has(name),
    ) as string;
    const allowed = ['--allow-fs-read=*', '--allow-fs-write=*', '--allow-addons', '--allow-net'];
    const flags = allowed.filter((name) =>
      process.allowedNodeEnvironmentFlags.has(name.replace(/=.*/, '')),
    );
    const { pid } = await start(TURNS, [], [flag, ...flags, '--require', REGISTER]);
    const { notices, names } = record(pid);
    expect(notices).toMatch(/reports its JavaScript/);
    expect(names.filter((name) => WORK.test(name))).not.toEqual([]);
  });

  it('--attach-js needs no inspector where the program imports perf-ts/register', async () => {
    const program = await start(TURNS, ['worker'], ['--require', REGISTER]);
    const { notices, names } = record(program.pid);
    expect(notices).toMatch(/reports its JavaScript/);
    expect(names.filter((name) => WORK.test(name))).not.toEqual([]);
    expect(program.stderr).toBe('');
  });

  it('the refusal explains a process that is not Node', () => {
    const child = spawn('sleep', ['30'], { stdio: 'ignore' });
    running.push(child);
    const run = perfTs([
      'record',
      '-e',
      'cpu-clock:u',
      '--duration',
      '0.1',
      '-p',
      `${child.pid}`,
      '--attach-js',
      '-o',
      join(scratch, 'sleep.data'),
    ]);
    expect(run).toMatchObject({ status: 0 });
    expect(run.stderr).toMatch(
      /functions of JavaScript in process \d+ have no names: \S*sleep is not Node/,
    );
    expect(child.exitCode).toBeNull();
    expect(child.signalCode).toBeNull();
  });

  it('record -p prints the option that helps where it is not given', async () => {
    const { pid } = await start(TURNS);
    expect(record(pid).notices).toMatch(
      /runs Node: its functions of JavaScript will have no names; .*--attach-js names them/,
    );
  });
});

describeLive('a Node program that perf-ts starts', () => {
  it('a report of one under the permission model advises the one way that names it', () => {
    const flag = ['--permission', '--experimental-permission'].find((name) =>
      process.allowedNodeEnvironmentFlags.has(name),
    ) as string;
    const file = join(scratch, 'restricted.data');
    const script = join(scratch, 'restricted.cjs');
    writeFileSync(
      script,
      'let s = 0; while (process.cpuUsage().user < 1e6) for (let i = 0; i < 1e6; i++) s = (s * 31 + i) | 0;',
    );
    const node = [process.execPath, flag, '--allow-fs-read=*', script];
    const flags = ['record', '-g', '-e', 'cpu-clock:u', '-F', '999', '-o', file, '--'];
    expect(perfTs([...flags, ...node]).status).toBe(0);
    const { stderr } = perfTs(['report', file]);
    expect(stderr).toMatch(/% of the samples are in code without a name .*record --node-flags/);
    expect(stderr).not.toContain('--attach-js');
  });

  it("register names Node's own functions in the workers of a program", async () => {
    const script = join(scratch, 'launched-worker.cjs');
    writeFileSync(
      script,
      `const { Worker, isMainThread } = require('node:worker_threads');
      if (isMainThread) for (let i = 0; i < 4; i++) new Worker(__filename);
      else for (const name of ['crypto', 'http2', 'readline', 'repl', 'zlib', 'dgram', 'tls', 'test']) require("node:" + name);`,
    );
    const file = join(scratch, 'launched-worker.data');
    const flags = ['-g', '-e', 'cpu-clock:u', '-F', '4999', '-o', file];
    expect(perfTs(['record', ...flags, '--', process.execPath, script]).status).toBe(0);
    const { samples, stacks, frames, funcs, strings, dsos, threads } = (await openProfile(file))
      .profile;
    const counts = { named: 0, unnamed: 0 };
    for (let i = 0; i < samples.length; i++) {
      if (!threads[samples.thread[i]].comm.startsWith('Worker ')) continue;
      const seen: string[] = [];
      for (let stack = samples.stack[i]; stack >= 0; stack = stacks.prefix[stack]) {
        const func = frames.func[stacks.frame[stack]];
        if (dsos[funcs.dso[func]]?.kind === 'jit') seen.push(strings[funcs.name[func]]);
      }
      // Functions that ran before the preload have no names anyway.
      if (!seen.some((name) => name.includes('launched-worker.cjs'))) continue;
      for (const name of seen) counts[name === '[unknown]' ? 'unnamed' : 'named']++;
    }
    expect(counts.named).toBeGreaterThan(100);
    expect(counts.unnamed).toBeLessThan(0.02 * counts.named);
  });

  it('a registered program reports its code without a map, a log or a note left behind', () => {
    const script = join(scratch, 'launched.cjs');
    writeFileSync(
      script,
      `${BUSY.replace('for (;;)', 'for (let i = 0; i < 20000; i++)')}
      console.log(process.pid);`,
    );
    const file = join(scratch, 'launched.data');
    const flags = ['-g', '-e', 'cpu-clock:u', '-F', '997', '-o', file];
    const run = perfTs(['record', '-v', ...flags, '--', process.execPath, script], {
      cwd: scratch,
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    expect(run.stderr).toContain("a preload that reports V8's code");
    const pid = run.stdout.trim().split('\n').pop();
    expect(existsSync(`/tmp/perf-${pid}.map`)).toBe(false);
    expect(existsSync(`/tmp/perf-ts-${pid}.notes`)).toBe(false);
    expect(perfTs(['report', file]).stdout).toMatch(/launched\.cjs:2 +warm$/m);
  });
});
