import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot, scratchDirectory } from '../helpers/cli.ts';

// The built preload in a Node of its own, as `record` and `--import perf-ts/register` load it.

const PRELOAD = join(projectRoot, 'dist/register/preload.cjs');
const scratch = scratchDirectory();

function script(name: string, text: string): string {
  const path = join(scratch, name);
  writeFileSync(path, text);
  return path;
}

type Note = Readonly<Record<string, unknown>>;

/** Runs Node with the preload as `record` has it, but without a map; its output and its notes. */
function preloaded(words: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const options = {
    PERF_TS_RECORDING: 'test',
    NODE_OPTIONS: `--perf-basic-prof --no-perf-basic-prof --require=${PRELOAD}`,
  };
  return noted(words, { ...options, ...env });
}

function noted(words: readonly string[], env: NodeJS.ProcessEnv) {
  const { pid, status, stdout, stderr } = spawnSync(process.execPath, words, {
    cwd: scratch,
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '', ...env },
  });
  const path = `/tmp/perf-ts-${pid}.notes`;
  const lines = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  for (const left of [path, `/tmp/perf-${pid}.map`]) rmSync(left, { force: true });
  return { status, stdout, stderr, notes: lines.map((line) => JSON.parse(line) as Note) };
}

/** Code with a map inside whose only source is `name`. */
function withMap(code: string, name: string): string {
  const map = { version: 3, sources: [name], names: [], mappings: 'AAAA' };
  const data = Buffer.from(JSON.stringify(map)).toString('base64');
  // Split, so that this file itself has no map.
  return `${code}\n//# source${'MappingURL'}=data:application/json;base64,${data}`;
}

function mapsOf(notes: readonly Note[]): unknown[] {
  const maps = notes.filter((note) => note.kind === 'sourceMap');
  return maps.map(({ url, map }) => [url, (map as { sources: unknown }).sources]);
}

test('source maps of code compiled through node:vm are noted, once for a file', () => {
  const path = script(
    'vm.cjs',
    `const vm = require('node:vm');
     const codes = ${JSON.stringify(Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, withMap('1', `${name}.ts`)])))};
     vm.runInThisContext(codes.a, '/srv/a.ts');
     vm.runInThisContext(codes.a, '/srv/a.ts');
     vm.runInContext(codes.b, vm.createContext({}), { filename: '/srv/b.ts' });
     vm.runInNewContext(codes.c, {}, '/srv/c.ts');
     vm.compileFunction(codes.d, [], { filename: 'file:///srv/d.ts' });
     new (class extends vm.Script {})(codes.e, { filename: '/srv/e.ts' });
     vm.runInThisContext(codes.f);
     console.log(new vm.Script('6 * 7') instanceof vm.Script, vm.runInThisContext('6 * 7'));`,
  );
  const { stdout, notes } = preloaded([path]);
  expect(stdout).toBe('true 42\n');
  expect(mapsOf(notes)).toEqual([
    ['/srv/a.ts', ['a.ts']],
    ['/srv/b.ts', ['b.ts']],
    ['/srv/c.ts', ['c.ts']],
    ['file:///srv/d.ts', ['d.ts']],
    ['/srv/e.ts', ['e.ts']],
  ]);
});

test('stack traces and the functions of node:vm are as without the preload', () => {
  const path = script(
    'stacks.cjs',
    `const vm = require('node:vm');
     const { Module } = require('node:module');
     const stackOf = (f) => { try { return f(); } catch (error) { return error.stack; } };
     console.log(new Error('here').stack);
     console.log(stackOf(() => new vm.Script('1 +', { filename: '/x.js' })));
     console.log(stackOf(() => vm.compileFunction('1 +', [], { filename: '/y.js' })));
     console.log(stackOf(() => vm.runInThisContext('throw new Error("in")', '/z.js')));
     const { name, length } = vm.compileFunction;
     console.log(name, length, vm.Script.name, vm.Script.length, Object.keys(vm).join());
     console.log(Object.getOwnPropertyDescriptor(Module.prototype, '_compile').writable);`,
  );
  const other = `--perf-basic-prof --no-perf-basic-prof --require=${script('empty.cjs', '')}`;
  const plain = noted([path], { NODE_OPTIONS: other });
  const { stdout } = preloaded([path]);
  expect(stdout).toContain('Error: in');
  expect(stdout).toBe(plain.stdout);
});

test('what a loader makes of a CommonJS file is noted, and one frame of Node stands for it', () => {
  script('made.lang', 'console.log(new Error("made").stack)');
  const path = script(
    'loader.cjs',
    `const { readFileSync } = require('node:fs');
     require.extensions['.lang'] = (module, filename) =>
       module._compile(readFileSync(filename, 'utf8') + ${JSON.stringify(withMap('', 'made.ts'))}, filename);
     require('./made.lang');`,
  );
  const { stdout, notes } = preloaded([path]);
  expect(mapsOf(notes)).toEqual([[join(scratch, 'made.lang'), ['made.ts']]]);
  expect(stdout).not.toContain('preload');
  expect(stdout).not.toContain(projectRoot);
  expect(stdout.match(/perf-ts\/register/g)).toHaveLength(1);
  expect(stdout).toContain('(node:internal/perf-ts/register:');
});

test.each(['--require', '--import'])('workers are noted by their scripts under %s', (option) => {
  const path = script(
    'workers.mjs',
    `import { isMainThread, Worker } from 'node:worker_threads';
     if (isMainThread) {
       new Worker(new URL(import.meta.url), { argv: ['word'] }).on('exit', () => {
         new Worker('1', { eval: true, argv: ['/path'] });
       });
     }`,
  );
  const { notes } = noted([option, PRELOAD, path], { PERF_TS_RECORDING: 'test' });
  const scripts = new Map(notes.map(({ number, script }) => [number, script]));
  expect(scripts.get(1)).toBe(path);
  if (option === '--require') expect(scripts.get(2)).toBe('[eval]');
});

test("a class that extends Node's Module may copy all that Module has, as Jest's does", () => {
  const path = script(
    'module-copy.cjs',
    `const taken = class extends module.constructor {};
     for (const [key, value] of Object.entries(module.constructor)) taken[key] = value;
     taken.register = taken.registerHooks = 'own';
     const { Module } = require('node:module');
     const copy = class extends Module {};
     for (const key of Object.keys(Module)) copy[key] = Module[key];
     console.log(Object.keys(Module).sort().join());
     console.log(typeof copy.register, taken.register, taken.registerHooks);`,
  );
  const { stdout, stderr } = preloaded([path]);
  expect(stderr).toBe('');
  expect(stdout).toBe(noted([path], {}).stdout);
  expect(stdout).toMatch(/^.*,runMain,.*\nfunction own own\n$/);
});

test('a worker of a cluster is noted by its number', () => {
  const path = script(
    'cluster.cjs',
    `const cluster = require('node:cluster');
     const { readFileSync, rmSync } = require('node:fs');
     if (cluster.isPrimary) {
       cluster.fork();
       cluster.on('exit', ({ process: { pid } }) => {
         console.log(readFileSync('/tmp/perf-ts-' + pid + '.notes', 'utf8'));
         for (const left of ['perf-ts-' + pid + '.notes', 'perf-' + pid + '.map']) rmSync('/tmp/' + left, { force: true });
       });
     } else process.disconnect();`,
  );
  const { stdout, notes } = preloaded([path]);
  expect(JSON.parse(stdout)).toMatchObject({ kind: 'process', clusterWorker: 1 });
  expect(notes[0]).not.toHaveProperty('clusterWorker');
});

test("V8's code is reported before the modules are loaded that make Node's loader hot", () => {
  const hook = script(
    'watch-loads.cjs',
    `const nodeModule = require('node:module');
     const { _load } = nodeModule;
     const { dlopen } = process;
     globalThis.loaded = [];
     nodeModule._load = function (request, ...rest) {
       loaded.push(request);
       return Reflect.apply(_load, this, [request, ...rest]);
     };
     process.dlopen = (...given) => {
       loaded.push('the library');
       return Reflect.apply(dlopen, process, given);
     };`,
  );
  const print = script('print.cjs', 'console.log(JSON.stringify(loaded));');
  const { stdout } = noted([`--require=${hook}`, `--require=${PRELOAD}`, print], {
    PERF_TS_RECORDING: 'test',
    PERF_TS_CODE_EVENTS: '@perf-ts-nobody-listens',
  });
  const loads = JSON.parse(stdout) as string[];
  const before = loads.slice(0, loads.indexOf('the library'));
  expect(before).toContain(PRELOAD);
  const needed = [PRELOAD, './code-events.cjs', 'node:fs'];
  expect(before.filter((load) => !needed.includes(load))).toEqual([]);
});

const PERMISSION = process.allowedNodeEnvironmentFlags.has('--permission')
  ? '--permission'
  : '--experimental-permission';

test('children that may not read the preload start without it', () => {
  const child = script(
    'child.cjs',
    `const isPreloaded = /preload/.test(process.env.NODE_OPTIONS);
     console.log(isPreloaded);
     if (isPreloaded) require('node:fs').unlinkSync('/tmp/perf-ts-' + process.pid + '.notes');`,
  );
  const words = JSON.stringify([PERMISSION, `--allow-fs-read=${child}`, '--no-warnings', child]);
  const path = script(
    'parent.cjs',
    `const { execFileSync, execSync, spawn, spawnSync } = require('node:child_process');
     const words = ${words};
     process.stdout.write(spawnSync(process.execPath, words).stdout);
     process.stdout.write(execFileSync(process.execPath, words, { env: { ...process.env } }));
     process.stdout.write(execSync([process.execPath, ...words].join(' ')));
     process.stdout.write(spawnSync(process.execPath, [words.at(-1)]).stdout);
     const uid = process.getuid() + 1;
     const { status } = spawnSync('/bin/sh', ['-c', 'case "$NODE_OPTIONS" in *preload*) exit 1; esac'], { uid });
     console.log(process.getuid() === 0 ? status : 0);
     spawn(process.execPath, words, { stdio: 'inherit' });`,
  );
  const { stdout, stderr } = preloaded([path]);
  expect(stderr).toBe('');
  expect(stdout).toBe('false\nfalse\nfalse\ntrue\n0\nfalse\n');
});

test('a program that imports perf-ts/register listens as its own user, and prints nothing', () => {
  const look = `const fs = require('node:fs');
    const path = '/tmp/perf-ts-' + process.geteuid() + '/' + process.pid + '.sock';
    (function look() {
      if (!fs.existsSync(path)) return setImmediate(look);
      const socket = fs.statSync(path);
      const folder = fs.statSync(require('node:path').dirname(path));
      console.log((socket.mode & 0o777).toString(8), (folder.mode & 0o777).toString(8), process.env.NODE_OPTIONS);
      fs.rmSync('/tmp/perf-ts-' + process.pid + '.notes', { force: true });
    })();`;
  const { status, stdout, stderr } = noted(['--import', PRELOAD, '-e', look], {});
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toBe('700 700 \n');
});

test('a program that nobody records takes its notes with it', () => {
  const path = script(
    'exits.cjs',
    `const { existsSync } = require('node:fs');
     const { Worker } = require('node:worker_threads');
     const mine = '/tmp/perf-ts-' + process.pid + '.notes';
     console.log(existsSync(mine));
     new Worker('', { eval: true });
     setImmediate(() => process.exit(3));`,
  );
  expect(noted(['--import', PRELOAD, path], {})).toMatchObject({
    status: 3,
    stdout: 'true\n',
    notes: [],
  });
  const ended = { PERF_TS_RECORDING: 'test', PERF_TS_CODE_EVENTS: '@perf-ts-nobody-listens' };
  expect(noted(['--require', PRELOAD, path], ended)).toMatchObject({ status: 3, notes: [] });
});

test('a program that writes a jitdump has baseline code of all functions, which tells what was inlined', () => {
  const spy = script(
    'spy.cjs',
    `const v8 = require('node:v8');
     const set = v8.setFlagsFromString;
     v8.setFlagsFromString = (flag) => (console.log(flag), set(flag));`,
  );
  const flagsOf = (dump: string, env: NodeJS.ProcessEnv) =>
    noted(['-e', '0'], { NODE_OPTIONS: `${dump} --require=${spy} --require=${PRELOAD}`, ...env });
  // The last of two counts, so that no dump is written.
  const dump = '--perf-prof --no-perf-prof';
  const recorded = { PERF_TS_RECORDING: 'test' };
  const flag = '--no-baseline-batch-compilation';
  expect(flagsOf(dump, recorded).stdout).toContain(flag);
  // V8 works as it does alone where it writes none, or nobody records.
  expect(flagsOf('', recorded).stdout).not.toContain(flag);
  expect(flagsOf(dump, {}).stdout).not.toContain(flag);
});

test("a program with V8's map leaves its notes beside it", () => {
  const words = [
    '--perf-basic-prof',
    '--logfile=+',
    '--no-logfile-per-isolate',
    '--import',
    PRELOAD,
  ];
  const { notes } = noted([...words, script('empty.cjs', '')], {});
  expect(notes).toEqual([expect.objectContaining({ kind: 'process' })]);
});

test('a program that was killed is cleaned up behind by the next one', async () => {
  const words = ['--import', PRELOAD, '-e', 'console.log(1); setInterval(() => {}, 1000)'];
  const env = { ...process.env, NODE_OPTIONS: '' };
  const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  const left = [
    `/tmp/perf-ts-${child.pid}.notes`,
    `/tmp/perf-ts-${process.geteuid?.()}/${child.pid}.sock`,
  ];
  expect(left.map((path) => existsSync(path))).toEqual([true, true]);
  child.kill('SIGKILL');
  await once(child, 'exit');
  noted(['--import', PRELOAD, script('next.cjs', '')], {});
  expect(left.map((path) => existsSync(path))).toEqual([false, false]);
});
