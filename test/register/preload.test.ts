import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { expect, test } from 'vitest';
import { optionsOf, withNodeOptions } from '../../src/system/runtimes/node-session.ts';
import { projectRoot, scratchDirectory } from '../helpers/cli.ts';

// The built files that a program loads, in a Node of its own: `boot` as `record` has it, and `--import perf-ts/register`.

const REGISTER = join(projectRoot, 'dist/register');
const PRELOAD = join(REGISTER, 'preload.cjs');
const BOOT = join(REGISTER, 'boot.cjs');
const NO_MAP = ['--perf-basic-prof', '--no-perf-basic-prof'];
const scratch = scratchDirectory();

function script(name: string, text: string): string {
  const path = join(scratch, name);
  writeFileSync(path, text);
  return path;
}

type Note = Readonly<Record<string, unknown>>;

/** The environment of a recording without a socket, as `record --jitdump` has it. */
function session(changes: Readonly<Record<string, unknown>> = {}, options = '') {
  const words = `${optionsOf({ boot: BOOT })}${options === '' ? '' : ' '}`;
  const program = join(REGISTER, 'recorded.cjs');
  const facts = { boot: BOOT, words, program, owner: process.geteuid?.(), recording: 'test' };
  return {
    NODE_OPTIONS: `${words}${options}`,
    PERF_TS_SESSION: JSON.stringify({ ...facts, ...changes }),
  };
}

/** The same with a preload that watches ours: one of the user's comes behind it. */
function watchedSession(changes: Readonly<Record<string, unknown>>, options: string) {
  const env = session(changes, ' ');
  return { ...env, NODE_OPTIONS: `${options} ${env.NODE_OPTIONS}` };
}

/** Runs Node as `record` does, but without a map; its output and its notes. */
function preloaded(words: readonly string[], env: NodeJS.ProcessEnv = {}) {
  return noted(words, { ...session({}, NO_MAP.join(' ')), ...env });
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
  const other = `${NO_MAP.join(' ')} --require=${script('empty.cjs', '')}`;
  const plain = noted([path], { NODE_OPTIONS: other });
  const { stdout } = preloaded([path]);
  expect(stdout).toContain('Error: in');
  expect(stdout).toBe(plain.stdout);
});

test('functions that a loader makes of a CommonJS file are noted, and one frame of Node stands for it', () => {
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
  expect(stdout).not.toContain(`${projectRoot}/`);
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
  const { notes } =
    option === '--require' ? preloaded([path]) : noted([...NO_MAP, option, PRELOAD, path], {});
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
  const { stdout } = noted(
    [print],
    watchedSession({ socket: '@nobody-listens' }, `--require=${hook}`),
  );
  const loads = JSON.parse(stdout) as string[];
  const before = loads.slice(0, loads.indexOf('the library'));
  expect(before).toContain(BOOT);
  const needed = [BOOT, join(REGISTER, 'recorded.cjs'), 'fs', 'node:fs'];
  expect(before.filter((load) => !needed.includes(load))).toEqual([]);
});

test("a preload of the user's runs behind ours, and sees the options as they are without", () => {
  const show = script(
    'show.cjs',
    'console.log(process.env.NODE_OPTIONS, Object.keys(require.cache))',
  );
  const given = { NODE_OPTIONS: `--require=${show}` };
  const entries = Object.entries(given).map(([name, value]) => `${name}=${value}`);
  const preload = { boot: BOOT, program: join(REGISTER, 'recorded.cjs'), owner: 0 };
  const env = withNodeOptions(entries, [], { ...preload, socket: '@nobody-listens' });
  const recorded = noted(
    ['-e', '0'],
    Object.fromEntries(env.map((entry) => entry.split(/=(.*)/s))),
  );
  expect(recorded.stdout).toContain(show);
  expect(recorded.stdout).toBe(noted(['-e', '0'], given).stdout);
});

test('the first file has nothing that is newer than ECMAScript 5', () => {
  const newer: string[] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(visit);
    if (typeof node !== 'object' || node === null || Array.isArray(node)) return;
    const { type, kind, param, operator } = node as Record<string, unknown>;
    const isNewer =
      /Arrow|Template|Spread|Class|Await|Yield|Chain|Import|Export|ForOf|Assignment?Pattern|Object?Pattern|ArrayPattern/.test(
        `${type}`,
      ) ||
      (type === 'VariableDeclaration' && kind !== 'var') ||
      (type === 'CatchClause' && param === null) ||
      ['??', '**'].includes(`${operator}`);
    if (isNewer) newer.push(`${type}`);
    Object.values(node).forEach(visit);
  };
  const text = readFileSync(BOOT, 'utf8');
  visit(parseAst(text, { sourceType: 'script' }));
  expect(newer).toEqual([]);
  expect(text).not.toContain('node:');
});

const SHOW_ENVIRONMENT = `JSON.stringify([process.env.NODE_OPTIONS, process.env.PERF_TS_SESSION,
  process._preload_modules, process.execArgv.length, Object.keys(require.cache).length])`;

test.each([
  ['no NODE_OPTIONS', undefined],
  ['an empty NODE_OPTIONS', ''],
  ['NODE_OPTIONS of its own', '--no-warnings  --no-deprecation'],
])('a program with %s finds its environment as it is alone', (_, options) => {
  const words = `${optionsOf({ boot: BOOT })}${options === undefined ? '' : ' '}`;
  const socket = '@perf-ts-nobody-listens';
  const env = { ...session({ words, socket }), NODE_OPTIONS: `${words}${options ?? ''}` };
  const { stdout } = noted(['-p', SHOW_ENVIRONMENT], env);
  const alone = spawnSync(process.execPath, ['-p', SHOW_ENVIRONMENT], {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: options },
  });
  expect(JSON.parse(stdout)).toEqual(JSON.parse(alone.stdout));
});

test('workers with options or an environment of their own run the preload, and do not see it', () => {
  const path = script(
    'own-workers.cjs',
    `const { Worker, SHARE_ENV } = require('node:worker_threads');
     const code = 'require("node:worker_threads").parentPort.postMessage([Object.keys(process.env).length, process.env.NODE_OPTIONS, process.execArgv, process._preload_modules])';
     const all = [{}, { env: {} }, { env: { NODE_OPTIONS: '--no-warnings' } }, { execArgv: [] }, { env: SHARE_ENV, execArgv: ['--no-warnings'] }];
     (async () => {
       for (const options of all) await new Promise((resolve) => {
         new Worker(code, { eval: true, ...options }).on('message', (seen) => console.log(JSON.stringify(seen))).on('exit', resolve);
       });
       console.log(Worker.name, Worker.length, Worker.prototype.constructor === Worker);
       try { new Worker('x', { env: 3 }); } catch (error) { console.log(error.stack); }
     })();`,
  );
  const { stdout, notes } = preloaded([path]);
  const env = { ...process.env, NODE_OPTIONS: NO_MAP.join(' ') };
  const alone = spawnSync(process.execPath, [path], { encoding: 'utf8', env });
  expect(stdout).toBe(alone.stdout);
  expect(notes.filter(({ kind }) => kind === 'worker')).toHaveLength(5);
});

test('a program whose recorder has ended passes nothing on and notes nothing', () => {
  const ended = `${spawnSync('true').pid}-1-${/\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0]}-00000000`;
  const show = `require('child_process').execSync('echo "$NODE_OPTIONS$PERF_TS_SESSION"').toString()`;
  const { stdout, notes } = noted(['-p', show], session({ recorder: ended }));
  expect({ stdout: stdout.trim(), notes }).toEqual({ stdout: '', notes: [] });
});

test("a process that has taken the name of a recorder's socket gets nothing, and nothing is done instead", async () => {
  const name = `perf-ts-squat-${process.pid}`;
  const received: Buffer[] = [];
  const squatter = createServer((socket) => socket.on('data', (bytes) => received.push(bytes)));
  await once(squatter.listen(`\0${name}`), 'listening');
  // A recorder that runs, and is another process than the one that listens.
  const recorder = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  try {
    const stat = readFileSync(`/proc/${recorder.pid}/stat`, 'latin1');
    const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    const namespace = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0];
    const mark = `${recorder.pid}-${started}-${namespace}-00000000`;
    const child = spawn(
      process.execPath,
      ['-e', `console.log(require('child_process').execSync('echo "$NODE_OPTIONS"') + '')`],
      { env: { ...process.env, ...session({ recorder: mark, socket: `@${name}` }) } },
    );
    const [output] = (await once(child.stdout, 'data')) as [Buffer];
    await once(child, 'exit');
    expect(`${output}`.trim()).toBe('');
    expect(received).toEqual([]);
    expect(existsSync(`/tmp/perf-ts-${child.pid}.notes`)).toBe(false);
  } finally {
    recorder.kill('SIGKILL');
    squatter.close();
  }
});

const PERMISSION = process.allowedNodeEnvironmentFlags.has('--permission')
  ? '--permission'
  : '--experimental-permission';

test('children have the recording whatever their environment, but for those that may not read it', () => {
  const path = script(
    'parent.cjs',
    `const { execFileSync, execSync, spawn, spawnSync } = require('node:child_process');
     const has = (...words) => ['-c', 'case "$NODE_OPTIONS$PERF_TS_SESSION" in *boot.cjs*boot*) echo yes;; *) echo no;; esac', ...words];
     const show = (words, options) => process.stdout.write(spawnSync('/bin/sh', words, options).stdout);
     show(has());
     show(has(), { env: {} });
     show(has(), { env: { NODE_OPTIONS: '--no-warnings' } });
     process.stdout.write(execSync(has()[1]));
     show(has('${PERMISSION}'));
     show(has(), { env: { NODE_OPTIONS: '${PERMISSION}' } });
     if (process.getuid() === 0) show(has(), { uid: 1 });
     else console.log('no');
     spawn('/bin/sh', has(), { stdio: 'inherit', env: {} });`,
  );
  const { stdout, stderr } = preloaded([path]);
  expect(stderr).toBe('');
  expect(stdout.trim().split('\n')).toEqual(['yes', 'yes', 'yes', 'yes', 'no', 'no', 'no', 'yes']);
});

test('a program that throws its deprecations runs as it does alone, and warns of its own', () => {
  const words = [
    '--pending-deprecation',
    '-e',
    'setTimeout(() => console.log(1)); process.binding("fs")',
  ];
  const alone = spawnSync(process.execPath, words, {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: NO_MAP.join(' ') },
  });
  const withoutPid = (text: string): string => text.replace(/\(node:\d+\)/, '');
  expect(withoutPid(preloaded(words).stderr)).toBe(withoutPid(alone.stderr));
  expect(alone.stderr).toContain('DEP0111');
  const thrown = ['--throw-deprecation', '--pending-deprecation', '-p', '1'];
  expect(preloaded(thrown)).toMatchObject({ status: 0, stdout: '1\n', stderr: '' });
});

test('a program that imports perf-ts/register listens as its own user, and prints nothing', () => {
  const look = `const fs = require('node:fs');
    const places = ['/run/user/' + process.geteuid() + '/perf-ts', '/tmp/perf-ts-' + process.geteuid()];
    const path = (fs.existsSync('/run/user/' + process.geteuid()) ? places[0] : places[1]) + '/' + process.pid + '.sock';
    (function look() {
      if (!fs.existsSync(path)) return setImmediate(look);
      const socket = fs.statSync(path);
      const folder = fs.statSync(require('node:path').dirname(path));
      console.log(socket.isSocket(), (folder.mode & 0o777).toString(8), process.env.NODE_OPTIONS);
    })();`;
  const { status, stdout, stderr } = noted(['--import', PRELOAD, '-e', look], {});
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toBe('true 700 \n');
});

test('a program that imports perf-ts/register notes nothing, and ends with its own status', () => {
  const path = script(
    'exits.cjs',
    `const { existsSync } = require('node:fs');
     const { Worker } = require('node:worker_threads');
     console.log(existsSync('/tmp/perf-ts-' + process.pid + '.notes'));
     new Worker('', { eval: true });
     setImmediate(() => process.exit(3));`,
  );
  expect(noted(['--import', PRELOAD, path], {})).toMatchObject({
    status: 3,
    stdout: 'false\n',
    notes: [],
  });
});

test('a program that writes a jitdump has baseline code of all functions, which tells what was inlined', () => {
  const spy = script(
    'spy.cjs',
    `const v8 = require('node:v8');
     const set = v8.setFlagsFromString;
     v8.setFlagsFromString = (flag) => (console.log(flag), set(flag));`,
  );
  const flagsOf = (dump: string) =>
    noted(['-e', '0'], watchedSession({}, `--require=${spy} ${dump}`));
  // The last of two counts, so that no dump is written.
  const dump = '--perf-prof --no-perf-prof';
  const flag = '--no-baseline-batch-compilation';
  expect(flagsOf(dump).stdout).toContain(flag);
  // V8 works as it does alone where it writes none.
  expect(flagsOf('').stdout).not.toContain(flag);
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
  const uid = process.geteuid?.();
  const folder = existsSync(`/run/user/${uid}`)
    ? `/run/user/${uid}/perf-ts`
    : `/tmp/perf-ts-${uid}`;
  const left = `${folder}/${child.pid}.sock`;
  expect(existsSync(left)).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  noted(['--import', PRELOAD, script('next.cjs', '')], {});
  expect(existsSync(left)).toBe(false);
});
