// Marks of programs, against what the programs themselves saw on the same clock.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { type MarkTable, openProfile } from '../../src/index.ts';
import { median } from '../../src/period/distribution.ts';
import { MARK_KINDS } from '../../src/profile/mark-table.ts';
import { perfTs, projectRoot, scratchDirectory } from '../helpers/cli.ts';
import { departures } from '../helpers/json-schema.ts';
import { describeLive } from '../helpers/live.ts';
import { findNode, MAJORS } from '../strangers/nodes.ts';

const scratch = scratchDirectory();
const REGISTER = join(projectRoot, 'dist/register/preload.cjs');
/** Their channels of HTTP/2 end requests from Node 22.18 and 24.3 on. */
const NODES = MAJORS.filter((major) => major >= 22).flatMap((major) => findNode(major) ?? []);
const TOLERANCE_NS = 1e6;

/**
 * A server that asks itself, notes when each request began and ended, by Node's channels and by its own code, and prints
 * that. Beside it: requests to it that are
 * made and one that is given up, measures, a timer of the console, collections.
 */
const SERVER = `
import { subscribe } from 'node:diagnostics_channel';
import http from 'node:http';
import { performance, PerformanceObserver } from 'node:perf_hooks';
const now = () => Number(process.hrtime.bigint());
const offset = now() - performance.now() * 1e6;
const seen = { request: [], handled: [], call: [], measure: [], console: [], gc: [] };
const begun = new Map();
subscribe('http.server.request.start', ({ request }) => begun.set(request, now()));
subscribe('http.server.response.finish', ({ request }) => seen.request.push([begun.get(request), now()]));
new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries()) {
    seen.gc.push([offset + startTime * 1e6, offset + (startTime + duration) * 1e6]);
  }
}).observe({ entryTypes: ['gc'] });
function spin(ms) { const end = performance.now() + ms; while (performance.now() < end); }
let kept = [];
const server = http.createServer((request, response) => {
  const fromNs = now();
  if (request.url === '/never') return setTimeout(giveUp, 10);
  for (let i = 0; i < 20000; i++) kept.push({ i });
  if (kept.length > 100000) kept = [];
  spin(request.url.startsWith('/slow') ? 4 : 1);
  setTimeout(() => {
    seen.handled.push([fromNs, now()]);
    response.end('done');
  }, 1);
});
await new Promise((listens) => server.listen(0, '127.0.0.1', listens));
const { port } = server.address();
async function ask(path) {
  const fromNs = now();
  const headers = { authorization: 'secret' };
  const method = path.startsWith('/slow') ? 'POST' : 'GET';
  const response = await fetch('http://127.0.0.1:' + port + path, { method, headers });
  await response.text();
  seen.call.push([fromNs, now()]);
}
console.time('all');
const from = now();
for (let i = 0; i < 60; i++) await Promise.all([ask('/users/' + i + '?token=secret'), ask('/slow')]);
const before = now();
performance.mark('begin');
spin(3);
performance.measure('spun', 'begin');
seen.measure.push([before, now()]);
console.timeEnd('all');
seen.console.push([from, now()]);
const given = http.get({ port, path: '/never' }).on('error', () => {});
function giveUp() {
  given.destroy();
  setTimeout(() => {
    console.log(JSON.stringify(seen));
    server.closeAllConnections();
    server.close();
  }, 50);
}
`;

/** A program that waits for a name, a connection, and children, one of which is not there, and has the global of an SDK of OpenTelemetry. */
const WAITS = `
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const dns = require('node:dns');
const http = require('node:http');
class Span { constructor(name) { this.name = name; } isRecording() { return true; } updateName(name) { this.name = name; } end() {} }
class Tracer { startSpan(name) { return new Span(name); } }
const provider = { getTracer: () => new Tracer() };
globalThis[Symbol.for('opentelemetry.js.api.1')] = { trace: { getDelegate: () => provider } };
const server = http.createServer((request, response) => {
  const span = new Tracer().startSpan('GET');
  span.updateName('GET /users/:id');
  response.end(() => span.end());
}).listen(0, '127.0.0.1', async () => {
  const { port } = server.address();
  http.get({ port, host: '127.0.0.1', path: '/users/1', agent: false }, async (response) => {
    await once(response.resume(), 'end');
    await dns.promises.lookup('localhost');
    const before = performance.now();
    await once(spawn(process.execPath, ['-e', '']), 'exit');
    const ms = performance.now() - before;
    await once(spawn('/none'), 'error').catch(() => {});
    await new Promise(setImmediate);
    console.log(JSON.stringify({ port, ms }));
    server.close();
  });
});
`;

/** A server of HTTP/2 that asks itself and pushes what nobody asked for; one request is given up. Prints what its own code saw. */
const HTTP2 = `
const http2 = require('node:http2');
const now = () => Number(process.hrtime.bigint());
const seen = { handled: {}, call: {} };
let onAsked;
let onGivenUp;
const givenUp = new Promise((resolve) => (onGivenUp = resolve));
const server = http2.createServer((request, response) => {
  if (request.url.startsWith('/never')) {
    request.on('aborted', () => setImmediate(onGivenUp));
    return onAsked();
  }
  const fromNs = now();
  response.stream.pushStream({ ':path': '/pushed' }, (error, pushed) => pushed.on('error', () => {}).end());
  setTimeout(() => {
    response.statusCode = 201;
    seen.handled[request.method + ' ' + request.url.split('?')[0]] = [fromNs, now()];
    response.end('done');
  }, 2);
}).listen(0, async () => {
  const host = 'localhost:' + server.address().port;
  const client = http2.connect('http://' + host).on('stream', (pushed) => pushed.on('error', () => {}).resume());
  const ask = (path, giveUp = () => {}) => new Promise((resolve) => {
    const fromNs = now();
    const stream = client.request({ ':path': path + '?token=secret', authorization: 'secret' }).resume();
    stream.on('close', () => {
      seen.call['GET ' + host + path] = [fromNs, now()];
      resolve();
    });
    giveUp(stream);
  });
  for (let i = 0; i < 10; i++) await Promise.all([ask('/users/' + i), ask('/slow/a' + i)]);
  await ask('/never', (stream) => {
    stream.on('error', () => {});
    onAsked = () => stream.close(8);
  });
  await givenUp;
  console.log(JSON.stringify({ host, ...seen }));
  process.exit();
});
`;

type Span = readonly [fromNs: number, toNs: number];
type Seen = Readonly<
  Record<'request' | 'handled' | 'call' | 'measure' | 'console' | 'gc', readonly Span[]>
>;

function rowsOf(marks: MarkTable, kind: (typeof MARK_KINDS)[number]): number[] {
  return [...marks.kind.keys()].filter((row) => MARK_KINDS[marks.kind[row]] === kind);
}

async function marksOf(recording: string) {
  const opened = await openProfile(recording);
  const { marks, meta } = opened.profile;
  if (marks === undefined) throw new Error('no marks');
  return { opened, marks, startNs: Number(meta.startTime) };
}

describeLive('marks of programs', () => {
  it('requests, calls, measures, timers and collections are when the program saw them', async () => {
    const recording = join(scratch, 'marks.data');
    const program = join(scratch, 'server.mjs');
    writeFileSync(program, SERVER);
    const record = ['record', '--clockid', 'monotonic', '-o', recording];
    const { stdout } = perfTs([...record, '--', process.execPath, program]);
    const [timer, line] = stdout.trim().split('\n');
    expect(timer).toMatch(/^all: /);
    const seen = JSON.parse(line) as Seen;
    const { marks, startNs } = await marksOf(recording);

    expect(seen.request).toHaveLength(120);
    /** Spans of a kind that ended; the call that was given up has. */
    const marked = (kind: (typeof MARK_KINDS)[number]): Span[] =>
      rowsOf(marks, kind)
        .filter((row) => marks.isOpen[row] === 0)
        .filter((row) => !marks.names[marks.text[row]].endsWith('/never'))
        .map((row) => [startNs + marks.fromNs[row], startNs + marks.toNs[row]]);
    // Both are what two listeners of one channel saw. Others may have the CPU between the looks of the two at the clock.
    for (const kind of ['request', 'gc'] as const) {
      const spans = marked(kind);
      const apart = seen[kind].map(([fromNs, toNs]) =>
        spans
          .filter(([from, to]) => from < toNs + TOLERANCE_NS && to > fromNs - TOLERANCE_NS)
          .map(([from, to]) => Math.max(Math.abs(from - fromNs), Math.abs(to - toNs)))
          .reduce((least, ns) => Math.min(least, ns), Number.POSITIVE_INFINITY),
      );
      expect(apart, kind).not.toContain(Number.POSITIVE_INFINITY);
      expect(median(apart), kind).toBeLessThan(TOLERANCE_NS);
    }
    const isWithin = ([from, to]: Span, [fromNs, toNs]: Span) => from >= fromNs && to <= toNs;
    const requests = marked('request');
    expect(requests).toHaveLength(120);
    for (const own of seen.handled) expect(requests.some((each) => isWithin(own, each))).toBe(true);
    for (const kind of ['call', 'measure', 'console'] as const) {
      const spans = marked(kind);
      expect(spans, kind).toHaveLength(seen[kind].length);
      // The timer of the console begins before the program looks at the clock.
      for (const [from, to] of spans) {
        const isSeen = seen[kind].some((own) =>
          kind === 'console' ? isWithin(own, [from, own[1]]) : isWithin([from, to], own),
        );
        expect(isSeen, kind).toBe(true);
      }
    }
  });

  it('a name has the method and the path, and neither queries nor headers', async () => {
    const { opened, marks } = await marksOf(join(scratch, 'marks.data'));
    const requests = opened.programMarks().filter(({ kind }) => kind === 'request');
    expect(requests.map(({ name, count, open }) => [name, count, open]).sort()).toEqual([
      ['GET /never', 1, 1],
      ['GET /users/*', 60, 0],
      ['POST /slow', 60, 0],
    ]);
    expect(marks.names.join()).not.toContain('secret');
    expect(rowsOf(marks, 'request').map((row) => marks.status[row])).toContain(200);
    const calls = opened.programMarks().filter(({ kind }) => kind === 'call');
    expect(calls.map(({ name }) => name.replace(/:\d+/, '')).sort()).toEqual([
      'GET 127.0.0.1/users/*',
      'GET localhost/never',
      'POST 127.0.0.1/slow',
    ]);
  });

  it('the command, SQL and exports have them', () => {
    const recording = join(scratch, 'marks.data');
    expect(perfTs(['report', '--marks', recording]).stdout).toMatch(/ request +GET \/users\/\*/);
    const document = (...words: string[]) =>
      perfTs(['report', ...words, '--json', recording]).stdout;
    expect(departures('marks', document('--marks'))).toEqual([]);
    expect(departures('requests', document('--by', 'request'))).toEqual([]);
    const sql = "select count(*) as n from marks where kind = 'request' and status = 200";
    expect(perfTs(['query', '--sql', sql, '--json', recording]).stdout).toContain('120');
    const out = join(scratch, 'marks.firefox.json');
    perfTs(['export', '-o', out, recording]);
    const marker = '{"type":"ProgramMark","kind":"request","name":"POST /slow"';
    expect(readFileSync(out, 'utf8').split(marker)).toHaveLength(61);
    expect(perfTs(['report', '--in-mark', 'POST /slow', recording]).stdout).toContain('spin');
    const none = perfTs(['report', '--in-mark', 'GET /none', recording]);
    expect([none.status, none.stderr]).toEqual([2, expect.stringContaining('no mark is called')]);
  });

  it('lookups of names, connections, child processes and spans of OpenTelemetry are marks', async () => {
    const recording = join(scratch, 'waits.data');
    const program = join(scratch, 'waits.cjs');
    writeFileSync(program, WAITS);
    const { stdout } = perfTs(['record', '-o', recording, '--', process.execPath, program]);
    const { marks } = await marksOf(recording);
    const named = (kind: (typeof MARK_KINDS)[number]) =>
      rowsOf(marks, kind).map((row) => marks.names[marks.name[row]]);
    const { port, ms } = JSON.parse(stdout) as { port: number; ms: number };
    expect(named('dns')).toContain('lookup localhost');
    expect(named('connection')).toContain(`127.0.0.1:${port}`);
    expect(named('child')).toEqual([process.execPath, '/none']);
    expect(named('span')).toEqual(['GET /users/:id']);
    const [child] = rowsOf(marks, 'child');
    const [span] = rowsOf(marks, 'span');
    expect([...marks.isOpen].filter((_, row) => [child, child + 1, span].includes(row))).toEqual([
      ...[0, 0, 0],
    ]);
    // The program heard of its end later, and began to wait before.
    expect(marks.toNs[child] - marks.fromNs[child]).toBeLessThanOrEqual(ms * 1e6 + TOLERANCE_NS);
    expect(marks.toNs[child] - marks.fromNs[child]).toBeGreaterThan(5e6);
  });

  it.each(NODES)(
    'requests of HTTP/2 are marks of both sides, and what a server pushes is none, on Node $major',
    async ({ path, major }) => {
      const recording = join(scratch, `http2-${major}.data`);
      const program = join(scratch, 'http2.cjs');
      writeFileSync(program, HTTP2);
      const record = ['record', '--clockid', 'monotonic', '-o', recording];
      const { stdout } = perfTs([...record, '--', path, program]);
      const seen = JSON.parse(stdout) as Record<'handled' | 'call', Record<string, Span>>;
      const { marks, opened, startNs } = await marksOf(recording);
      const { host } = seen as unknown as { host: string };
      const of = (kind: (typeof MARK_KINDS)[number]) =>
        opened
          .programMarks()
          .flatMap((mark) => (mark.kind === kind ? [[mark.name, mark.count]] : []));
      const each = Array.from({ length: 10 }, (_, i) => [`/slow/a${i}`, 1]);
      const paths = [['/never', 1], ...each, ['/users/*', 10]];
      expect(of('request').sort()).toEqual(paths.map(([name, count]) => [`GET ${name}`, count]));
      expect(of('call').sort()).toEqual(
        paths.map(([name, count]) => [`GET ${host}${name}`, count]),
      );
      for (const row of [...rowsOf(marks, 'request'), ...rowsOf(marks, 'call')]) {
        const text = marks.names[marks.text[row]];
        const isGivenUp = text.endsWith('/never');
        expect([text, marks.isOpen[row], marks.status[row]]).toEqual([
          text,
          0,
          isGivenUp ? 0 : 201,
        ]);
        const [fromNs, toNs] = [startNs + marks.fromNs[row], startNs + marks.toNs[row]];
        const call = seen.call[text];
        if (call !== undefined) expect([call[0] <= fromNs, toNs <= call[1]]).toEqual([true, true]);
        const handled = seen.handled[text];
        if (handled !== undefined)
          expect([fromNs <= handled[0], handled[1] <= toNs]).toEqual([true, true]);
        expect([call, handled].filter(Boolean)).toHaveLength(
          isGivenUp && call === undefined ? 0 : 1,
        );
      }
      expect(marks.names.join()).not.toContain('secret');
    },
  );

  it('a worker has marks of its own thread', async () => {
    const recording = join(scratch, 'workers.data');
    const program = join(scratch, 'workers.cjs');
    writeFileSync(
      program,
      `const { Worker, isMainThread } = require('node:worker_threads');
if (isMainThread) { new Worker(__filename); new Worker(__filename, { env: {} }); }
else { performance.mark('a'); performance.measure('in a worker', 'a'); }`,
    );
    perfTs(['record', '-o', recording, '--', process.execPath, program]);
    const { marks } = await marksOf(recording);
    const measures = rowsOf(marks, 'measure').map((row) => marks.loops[marks.loop[row]]);
    expect(new Set(measures.map(({ tid }) => tid)).size).toBe(2);
    expect(measures.every(({ pid, tid }) => tid !== pid)).toBe(true);
  });

  it.each([
    ['its inspector', []],
    ['perf-ts/register', ['--import', REGISTER]],
  ])('a program that runs has them from when it was reached through %s', async (_, options) => {
    const recording = join(scratch, 'attached.data');
    const program = join(scratch, 'attached.mjs');
    writeFileSync(
      program,
      `import http from 'node:http';
const server = http.createServer((request, response) => response.end()).listen(0, () => {
  console.log('begun');
  setInterval(() => http.get({ port: server.address().port, path: '/here' }, (r) => r.resume()), 5);
});`,
    );
    const child = spawn(process.execPath, [...options, program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      await once(child.stdout as Readable, 'data');
      const attach = ['record', '-p', `${child.pid}`, '--attach-js', '--duration', '1'];
      perfTs([...attach, '-o', recording]);
      const { opened } = await marksOf(recording);
      const [here] = opened.programMarks().filter(({ kind }) => kind === 'request');
      expect(here.name).toBe('GET /here');
      expect(here.count).toBeGreaterThan(5);
      expect(child.exitCode).toBeNull();
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('a program sees the same errors and functions as without', () => {
    const program = join(scratch, 'same.cjs');
    writeFileSync(
      program,
      `const { performance } = require('node:perf_hooks');
const request = require('node:http').get({ port: 1 }).on('error', () => {});
console.log(performance.mark.name, performance.measure.length, Object.keys(console).length);
try { performance.measure('x', 'none'); } catch (error) { console.log(error.stack); }
Error.stackTraceLimit = 2;
try { performance.measure('x', 'none'); } catch (error) { console.log(error.stack); }
console.log(Error.stackTraceLimit, Object.getOwnPropertySymbols(request).length);
process.on('exit', () => console.log(process.listenerCount('exit'), request.listenerCount('error')));`,
    );
    const recorded = perfTs([
      'record',
      '-q',
      '-o',
      join(scratch, 'same.data'),
      '--',
      process.execPath,
      program,
    ]);
    expect(recorded.stdout).toBe(execFileSync(process.execPath, [program], { encoding: 'utf8' }));
  });

  it("a program loads Node's workers and times where it does so itself, and lists the same modules", () => {
    const program = join(scratch, 'lists.cjs');
    writeFileSync(
      program,
      `const list = process.moduleLoadList;
const loaded = () => ['worker_threads', 'perf_hooks'].map((name) => list.includes('NativeModule ' + name));
const shape = () => [Array.isArray(list), list instanceof Array, Object.keys(list).length === list.length];
console.log(loaded(), shape());
performance.mark('once');
console.log(loaded(), shape());
require('node:worker_threads');
console.log(loaded(), shape(), Object.getPrototypeOf(list) === Array.prototype, list.lastIndexOf('NativeModule worker_threads') === list.indexOf('NativeModule worker_threads'));`,
    );
    const recording = join(scratch, 'lists.data');
    const recorded = perfTs(['record', '-q', '-o', recording, '--', process.execPath, program]);
    expect(recorded.stdout).toBe(execFileSync(process.execPath, [program], { encoding: 'utf8' }));
  });
});
