// Recordings of programs that answer, send and wait as they like: each ends in time, and is complete.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { openProfile } from '../../src/read/open-profile.ts';
import { startRecording } from '../../src/record/recorder.ts';
import { hasEnded } from '../../src/system/processes/living-thread.ts';
import { CLI, scratchDirectory, startPerfTs } from '../helpers/cli.ts';
import { describeLive } from '../helpers/live.ts';
import { canServeSilently, startSilent } from '../helpers/silent-files.ts';
import { until } from '../helpers/tasks.ts';

const scratch = scratchDirectory();
const events = ['cpu-clock:u'];
const running: ChildProcess[] = [];
afterEach(async () => {
  for (const child of running.splice(0)) {
    const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : null;
    child.kill('SIGKILL');
    await ended;
    rmSync(`/tmp/perf-ts-${process.getuid?.()}/${child.pid}.sock`, { force: true });
  }
});

/** Listens where `perf-ts/register` would, answers with its argument, a byte at a time where that is empty. */
const REGISTERED = `
const { mkdirSync } = require('node:fs');
const folder = '/tmp/perf-ts-' + process.getuid();
require('node:net').createServer((socket) => {
  socket.on('error', () => {});
  socket.once('data', () => {
    if (process.argv[2] !== '') socket.end(process.argv[2]);
    else setInterval(() => socket.write(' '), 50);
  });
}).listen(folder + '/' + process.pid + '.sock', () => console.log('begun'));
setInterval(() => { const end = Date.now() + 20; while (Date.now() < end); }, 40);
`;

/** Announces one function with a long name, and many source maps of it. */
const NAMES = `
const { connect } = require('node:net');
const environment = require('node:fs').readFileSync('/proc/self/environ', 'utf8').split('\\0');
const [, session] = /^PERF_TS_SESSION=(.*)/.exec(environment.find((entry) => /^PERF_TS_SESSION=/.test(entry)));
const socket = connect(JSON.parse(session).socket.replace('@', '\\0'));
const record = (type, body) => {
  const bytes = Buffer.alloc((16 + body.length + 7) & ~7);
  bytes.writeUInt32LE(bytes.length, 0);
  bytes.writeUInt16LE(type, 4);
  bytes.writeUInt16LE(1, 6);
  body.copy(bytes, 16);
  return bytes;
};
const head = Buffer.alloc(32);
head.write('PTSCODE1');
const name = Buffer.from('JS:~f /' + 'a'.repeat(4 << 20) + '.js:1:1');
const added = Buffer.alloc(24);
added.writeBigUInt64LE(65536n, 0);
added.writeBigUInt64LE(64n, 8);
added.writeBigUInt64LE(BigInt(name.length), 16);
const url = Buffer.from('data:application/json,{}');
const map = Buffer.alloc(8);
map.writeUInt32LE(url.length, 4);
const maps = Array.from({ length: 200 }, () => record(10, Buffer.concat([map, url])));
socket.on('connect', () =>
  socket.end(Buffer.concat([head, record(1, Buffer.concat([added, name])), ...maps])));
const end = Date.now() + 200;
while (Date.now() < end);
`;

/** Turns of JavaScript, then a call that blocks until a file is there. */
const BLOCKS = `
const { execFileSync } = require('node:child_process');
console.log('begun');
execFileSync('sh', ['-c', 'while [ ! -e "$0" ]; do sleep 0.05; done', process.argv[2]]);
setInterval(() => {}, 1000);
`;

function write(name: string, text: string): string {
  const path = join(scratch, name);
  writeFileSync(path, text);
  return path;
}

async function start(path: string, ...words: string[]): Promise<number> {
  const child = spawn(process.execPath, [path, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  running.push(child);
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  return child.pid as number;
}

describeLive('a recording of a program that is hostile', () => {
  it.each([
    ['an empty object', '{}', 'answers with nothing that is understood'],
    ['a text', '"x"', 'answers with nothing that is understood'],
    [
      'other types',
      '{"taken":{"pid":"x","version":[]}}',
      'answers with nothing that is understood',
    ],
    ['a byte now and then', '', 'does not answer'],
  ])('ends with its samples where the program answers with %s', async (_, answer, reported) => {
    mkdirSync(`/tmp/perf-ts-${process.getuid?.()}`, { mode: 0o700, recursive: true });
    const pid = await start(write('registered.cjs', REGISTERED), answer);
    const notices: string[] = [];
    const output = join(scratch, 'registered.data');
    const recording = await startRecording({
      ...{ pids: [pid], events, output, durationMs: 500 },
      onNotice: (notice) => notices.push(notice),
    });
    const { totals } = await recording.finished;
    expect(totals.samples).toBeGreaterThan(0);
    expect(notices.filter((notice) => notice.includes(`process ${pid}`)).join()).toMatch(
      reported === 'does not answer' ? /does not answer|had not answered/ : reported,
    );
    const profile = await openProfile(output);
    expect(profile.profile.samples.length).toBe(totals.samples);
  });

  it('the recording is complete where the program names one function in many source maps', async () => {
    const output = join(scratch, 'names.data');
    const notices: string[] = [];
    const recording = await startRecording({
      ...{ command: [process.execPath, write('names.cjs', NAMES)], events, output },
      onNotice: (notice) => notices.push(notice),
    });
    const { totals, fileBytes } = await recording.finished;
    expect(notices.filter((notice) => notice.includes('names may be missing'))).toEqual([]);
    expect(fileBytes).toBeLessThan(4 << 20);
    expect((await openProfile(output)).profile.samples.length).toBe(totals.samples);
  });

  it('record ends without the names of a program that blocks, and its inspector is closed behind it', async () => {
    const go = join(scratch, 'go');
    const pid = await start(write('blocks.cjs', BLOCKS), go);
    const notices: string[] = [];
    const recording = await startRecording({
      ...{ pids: [pid], events, output: join(scratch, 'blocks.data'), attachJs: true },
      durationMs: 1500,
      onNotice: (notice) => notices.push(notice),
    });
    await recording.finished;
    expect(hasEnded(pid)).toBe(false);
    expect(notices.join('\n')).toContain(`process ${pid} may have no names: it had not answered`);
    writeFileSync(go, '');
    const { listeningPorts } = await import('../../src/record/code-events/listening-ports.ts');
    const { childrenOf } = await import('../helpers/tasks.ts');
    await until(() => listeningPorts(pid).size === 0 && childrenOf(pid).length === 0);
  });

  it.skipIf(!canServeSilently || [CLI, process.execPath].some((path) => path.startsWith('/tmp/')))(
    'record ends with its samples where the file system over /tmp answers nobody',
    async () => {
      const folder = mkdtempSync('/var/tmp/perf-ts-test-');
      const silent = await startSilent('/tmp', 'name');
      const output = join(folder, 'silent.data');
      const work = 'const end = Date.now() + 300; while (Date.now() < end);';
      const words = [
        'record',
        '-e',
        'cpu-clock:u',
        '-o',
        output,
        '--',
        process.execPath,
        '-e',
        work,
      ];
      const under = ['nsenter', '-t', `${silent.pid}`, '-m', `--wd=${folder}`];
      // The tests' own home is below /tmp.
      const env = { PATH: process.env.PATH, HOME: folder, TMPDIR: folder };
      const { ended } = startPerfTs(words, { under, env });
      try {
        const { status, stderr } = await ended;
        expect(stderr).toContain('/tmp does not answer');
        expect(status).toBe(0);
        expect((await openProfile(output)).profile.samples.length).toBeGreaterThan(0);
      } finally {
        // Frees who hangs in there.
        await silent.end();
        rmSync(folder, { recursive: true });
      }
    },
  );

  it.skipIf(!canServeSilently)(
    'record and report go without folders of the user whose file system answers nobody',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'silent-home-'));
      const home = join(folder, 'home');
      mkdirSync(home);
      const silent = await startSilent(home, 'name');
      const output = join(folder, 'home.data');
      const work =
        'const end = process.cpuUsage().user + 3e5; while (process.cpuUsage().user < end);';
      const words = [
        'record',
        '-e',
        'cpu-clock:u',
        '-o',
        output,
        '--',
        process.execPath,
        '-e',
        work,
      ];
      const under = ['nsenter', '-t', `${silent.pid}`, '-m', `--wd=${folder}`];
      const { ended } = startPerfTs(words, { under, env: { PATH: process.env.PATH, HOME: home } });
      try {
        const { status, stderr } = await ended;
        expect(stderr).toContain(
          `${home}/.config/perf-ts/config.json is not read: its file system does not answer`,
        );
        expect(status).toBe(0);
        expect((await openProfile(output)).profile.samples.length).toBeGreaterThan(0);
        // So are folders of debug files and of Deno's modules.
        const files = { DEBUGINFOD_CACHE_PATH: home, PERF_BUILDID_DIR: home, DENO_DIR: home };
        const env = { PATH: process.env.PATH, HOME: folder, ...files };
        const report = await startPerfTs(['report', '-i', output], { under, env }).ended;
        expect(report.status).toBe(0);
        expect(report.stdout).toContain('next: perf-ts report');
      } finally {
        // Frees who hangs in there.
        await silent.end();
        rmSync(folder, { recursive: true });
      }
    },
  );

  it('a recording that is disposed of ends its command, and has a complete file', async () => {
    const output = join(scratch, 'disposed.data');
    const recording = await startRecording({
      ...{ command: ['tail', '-f', '/dev/null'], events, output },
    });
    await recording[Symbol.asyncDispose]();
    expect(await recording.exited).toEqual({ status: 0, signal: 15 });
    await openProfile(output);
  });
});
