// Turns of event loops, against what the program itself measured of its slow callbacks on the same clock.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { perfTs, scratchDirectory } from '../helpers/cli.ts';
import { describeLive } from '../helpers/live.ts';
import { usableCpus } from '../helpers/tasks.ts';

const scratch = scratchDirectory();
const hasTracepoints = existsSync('/sys/kernel/tracing/events/syscalls');

/**
 * Slow callbacks of timers, of immediates and of events, some of which wait: the program prints when each began and ended.
 */
const PROGRAM = `
const { execFileSync } = require('node:child_process');
const http = require('node:http');
const monotonicNs = () => Number(process.hrtime.bigint());
const slow = [];
function spend(kind, work) {
  const fromNs = monotonicNs();
  work();
  slow.push({ kind, fromNs, toNs: monotonicNs() });
}
function spin(ms) { const end = performance.now() + ms; while (performance.now() < end); }
function timer() { spend('timer', () => spin(30)); }
function immediate() { spend('immediate', () => spin(20)); }
function child() { spend('child', () => execFileSync('sleep', ['0.05'])); }
function wait() { spend('wait', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 40)); }
const server = http.createServer(function handle(request, response) {
  spend('request', () => spin(25));
  response.end();
});
const soon = () => setTimeout(next, 30);
const steps = [
  () => { timer(); soon(); },
  () => { setImmediate(immediate); soon(); },
  () => { child(); soon(); },
  () => { wait(); soon(); },
  () => http.get({ port: server.address().port, agent: false }, (response) => response.resume().on('end', soon)),
];
function next() {
  const step = steps.shift();
  if (step !== undefined) step();
  else { server.close(); print(); }
}
// By waits no turn is known before the first one, which a short timer need not take on a busy machine.
server.listen(0, () => setTimeout(next, 300));
function print() { process.stdout.write(JSON.stringify(slow) + '\\n'); spend('last', () => spin(15)); process.exit(); }
`;

type Slow = { readonly kind: string; readonly fromNs: number; readonly toNs: number };
type Turn = {
  readonly pid: number;
  readonly tid: number;
  readonly fromNs: number;
  readonly lengthNs: number;
  readonly eventsNs: number;
  readonly isFirst: boolean;
  readonly isOpen: boolean;
};
type Loop = {
  readonly pid: number;
  readonly tid: number;
  readonly source: string;
  readonly longestNs: number;
};

function turnsOf(recording: string, ...words: string[]) {
  const { stdout } = perfTs(['turns', '--json', ...words, recording]);
  return JSON.parse(stdout) as {
    startTime: string;
    loops: Loop[];
    turns: Turn[];
  };
}

/** The same recording as if nothing of perf-ts had been in the program. */
function fromOutside(recording: string): string {
  const outside = join(scratch, 'outside.data');
  const bytes = readFileSync(recording).toString('latin1').replaceAll('loop-turns/', 'loop-other/');
  writeFileSync(outside, bytes, 'latin1');
  return outside;
}

describeLive('turns of an event loop', () => {
  it('each slow callback is in one turn, with what it waited for', () => {
    const recording = join(scratch, 'turns.data');
    const program = join(scratch, 'slow.cjs');
    writeFileSync(program, PROGRAM);
    const record = ['record', '--clockid', 'monotonic', '-o', recording];
    const recorded = perfTs([...record, '--', process.execPath, program]);
    const slow = JSON.parse(recorded.stdout.trim()) as Slow[];
    const { turns, loops, startTime } = turnsOf(recording);
    const startNs = Number(startTime);
    expect(loops).toHaveLength(1);

    for (const { kind, fromNs, toNs } of slow) {
      const around = turns.filter(
        (turn) => startNs + turn.fromNs <= toNs && startNs + turn.fromNs + turn.lengthNs >= fromNs,
      );
      expect(around, kind).toHaveLength(1);
      const [{ fromNs: from, lengthNs, eventsNs }] = around;
      expect(startNs + from, kind).toBeLessThanOrEqual(fromNs);
      expect(startNs + from + lengthNs, kind).toBeGreaterThanOrEqual(toNs);
      // Requests alone are called while the loop looks for events.
      const isOfEvents = startNs + from + eventsNs >= toNs;
      expect(isOfEvents, kind).toBe(kind === 'request');
    }
    expect(slow.map(({ kind }) => kind)).toEqual([
      'timer',
      'immediate',
      'child',
      'wait',
      'request',
    ]);
    expect(loops[0].longestNs).toBe(
      Math.max(...turns.filter(({ isFirst }) => !isFirst).map(({ lengthNs }) => lengthNs)),
    );
    // The program ends within its last turn.
    expect(turns.filter(({ isOpen }) => isOpen)).toHaveLength(1);
    expect(turns.filter(({ isFirst }) => isFirst)).toHaveLength(1);
  });

  it('samples of what ran in slow ones are selected', () => {
    const recording = join(scratch, 'turns.data');
    const report = perfTs(['report', '--json', '--in-turns-over', '20ms', recording]);
    const { events } = JSON.parse(report.stdout) as { events: { rows: { name: string }[] }[] };
    expect(events[0].rows.map(({ name }) => name).join()).toContain('spin');
    expect(turnsOf(recording, '--over', '100s').turns).toEqual([]);
  });

  it('all commands that select samples select the same ones by turns', () => {
    const recording = join(scratch, 'turns.data');
    const part = join(scratch, 'part.data');
    const select = ['--in-turns-over', '20ms'];
    const samplesOf = (command: string, ...words: string[]) =>
      JSON.parse(perfTs([command, '--json', ...words]).stdout);
    const { events } = samplesOf('report', ...select, recording);
    const { selected } = samplesOf('info', ...select, recording);
    const lines = perfTs(['script', '--samples', '--json', '-q', ...select, recording]).stdout;
    perfTs(['inject', ...select, '-o', part, recording]);
    const ofPart = samplesOf('info', part).events[0].samples;
    expect(selected.samples).toBeGreaterThan(0);
    expect(selected.samples).toBeLessThan(selected.of);
    expect([events[0].samples, lines.trim().split('\n').length, ofPart]).toEqual(
      Array(3).fill(selected.samples),
    );
    // The part has the turns still.
    expect(turnsOf(part).loops).toEqual(turnsOf(recording).loops);
  });

  it.skipIf(!hasTracepoints).each([
    ['system calls', ['--turns']],
    ['waits', ['--off-cpu']],
  ])(
    'without the library, a slow callback is in one turn by %s, with what it waited for',
    (source, words) => {
      const recording = join(scratch, 'inside.data');
      const program = join(scratch, 'slow.cjs');
      writeFileSync(program, PROGRAM);
      const record = ['record', ...words, '--clockid', 'monotonic', '-o', recording];
      const recorded = perfTs([...record, '--', process.execPath, program]);
      const slow = JSON.parse(recorded.stdout.trim()) as Slow[];
      const { turns, startTime, loops } = turnsOf(fromOutside(recording));
      const startNs = Number(startTime);
      const { pid } = turnsOf(recording).loops[0];
      const isMain = (loop: { readonly tid: number }) => loop.tid === pid;
      expect(loops.filter(isMain)).toMatchObject([{ source }]);
      const own = turns.filter(isMain);
      for (const { kind, fromNs, toNs } of slow) {
        const around = own.filter(
          (turn) =>
            startNs + turn.fromNs <= toNs && startNs + turn.fromNs + turn.lengthNs >= fromNs,
        );
        expect(around, kind).toHaveLength(1);
        const [{ fromNs: from, lengthNs }] = around;
        expect(startNs + from, kind).toBeLessThanOrEqual(fromNs);
        expect(startNs + from + lengthNs, kind).toBeGreaterThanOrEqual(toNs);
      }
    },
  );

  it.skipIf(!hasTracepoints)(
    'the time that others have the CPU between a turn and the next look for events is the turn’s',
    () => {
      const recording = join(scratch, 'crowded.data');
      const program = join(scratch, 'crowded.cjs');
      // Its workers want the only CPU that it may use: the kernel changes over where a thread calls it.
      writeFileSync(
        program,
        `const { Worker } = require('node:worker_threads');
for (let i = 0; i < 2; i++) new Worker('for (;;);', { eval: true });
let turns = 0;
setTimeout(function next() {
  for (let i = 0; i < 1e7; i++);
  if (++turns === 50) process.exit();
  setTimeout(next, 1);
}, 1);`,
      );
      const [cpu] = usableCpus();
      const record = ['record', '--turns', '-o', recording, '--', 'taskset', '-c', `${cpu}`];
      expect(perfTs([...record, process.execPath, program]).status).toBe(0);
      const mainOf = (file: string) =>
        turnsOf(file, '-n', '0').turns.filter(
          ({ pid, tid, isFirst, isOpen }) => tid === pid && !isFirst && !isOpen,
        );
      const byCalls = mainOf(fromOutside(recording));
      const long = mainOf(recording).filter(({ lengthNs }) => lengthNs >= 2e6);
      const alike = long.filter(({ fromNs, lengthNs }) =>
        byCalls.some(
          (turn) =>
            Math.abs(turn.fromNs - fromNs) <= 1e6 &&
            Math.abs(turn.fromNs + turn.lengthNs - fromNs - lengthNs) <= 1e6,
        ),
      );
      expect(long.length).toBeGreaterThan(30);
      expect(alike.length).toBeGreaterThanOrEqual(0.9 * long.length);
    },
  );

  it.skipIf(!hasTracepoints)(
    'the event loop of a program in Python has turns by its system calls',
    () => {
      const recording = join(scratch, 'python.data');
      const program = join(scratch, 'slow.py');
      writeFileSync(
        program,
        `import asyncio, time
async def main():
    for _ in range(4):
        time.sleep(0.03)
        await asyncio.sleep(0.01)
asyncio.run(main())
`,
      );
      perfTs(['record', '--turns', '-o', recording, '--', 'python3', program]);
      const { turns, loops } = turnsOf(recording, '--over', '30ms');
      expect(loops).toMatchObject([{ source: 'system calls' }]);
      expect(turns.length).toBeGreaterThanOrEqual(4);
    },
  );

  it('workers have turns of their own', () => {
    const recording = join(scratch, 'workers.data');
    const program = join(scratch, 'workers.cjs');
    writeFileSync(
      program,
      `const { Worker, isMainThread } = require('node:worker_threads');
if (isMainThread) { new Worker(__filename); new Worker(__filename, { env: {} }); }
else setTimeout(() => { const end = performance.now() + 10; while (performance.now() < end); }, 20);`,
    );
    perfTs(['record', '-o', recording, '--', process.execPath, program]);
    const { turns } = turnsOf(recording, '--over', '10ms');
    const ofWorkers = turns.filter(({ pid, tid }) => tid !== pid);
    expect(new Set(ofWorkers.map(({ tid }) => tid)).size).toBe(2);
  });

  it.each([
    ['SIGCHLD', []],
    ['SIGCHLD or SIGURG', ['--requests']],
  ])('none has the wait that %s interrupted', (_signal, words) => {
    const recording = join(scratch, 'interrupted.data');
    const program = join(scratch, 'interrupted.cjs');
    // Nothing but SIGCHLD ends the wait for a child without pipes, which begins anew with a descriptor that libuv does
    // not know yet.
    writeFileSync(
      program,
      `const { spawn } = require('node:child_process');
const server = require('node:net').createServer();
const now = () => Number(process.hrtime.bigint());
setTimeout(() => {
  const child = spawn('sleep', ['0.5'], { stdio: 'ignore' });
  const fromNs = now();
  setTimeout(() => server.listen(0), 20);
  child.on('exit', () => {
    process.stdout.write(JSON.stringify({ fromNs, toNs: now() }));
    server.close();
  });
}, 20);`,
    );
    const record = ['record', '--clockid', 'monotonic', ...words, '-o', recording];
    const { stdout } = perfTs([...record, '--', process.execPath, program]);
    const wait = JSON.parse(stdout) as { fromNs: number; toNs: number };
    const { turns, startTime } = turnsOf(recording, '-n', '0');
    const within = turns.map(({ fromNs, lengthNs }) => {
      const beginNs = Number(startTime) + fromNs;
      return Math.min(beginNs + lengthNs, wait.toNs) - Math.max(beginNs, wait.fromNs);
    });
    const busyNs = within.reduce((sum, each) => sum + Math.max(each, 0), 0);
    expect(busyNs).toBeLessThan((wait.toNs - wait.fromNs) / 2);
  });

  it('one that goes on behind the end of the recording is there until then', () => {
    const recording = join(scratch, 'busy.data');
    const program = join(scratch, 'busy.cjs');
    const [orders, answers] = ['orders', 'answers'].map((name) => join(scratch, name));
    execFileSync('mkfifo', [orders, answers]);
    // The turn itself ends the recording, and computes for several times as long as the recorder then needs.
    writeFileSync(
      program,
      `const { openSync, readSync, writeFileSync } = require('node:fs');
setTimeout(() => {
  const answers = openSync('${answers}');
  writeFileSync('${orders}', 'stop\\n');
  readSync(answers, Buffer.alloc(4));
  for (let i = 0; i % 1e6 || process.cpuUsage().user < 1e6; i++);
}, 20);`,
    );
    const control = ['--control', `fifo:${orders},${answers}`];
    perfTs(['record', ...control, '-o', recording, '--', process.execPath, program]);
    const { turns } = turnsOf(recording);
    expect(turns.filter(({ isOpen }) => isOpen)).toHaveLength(1);
  });

  it('a recording without any is refused', () => {
    const recording = join(scratch, 'none.data');
    perfTs(['record', '-o', recording, '--', 'true']);
    expect(perfTs(['turns', recording]).status).toBe(125);
    for (const command of ['report', 'script', 'info']) {
      expect(perfTs([command, '--in-turns-over', '1ms', recording]).status, command).toBe(2);
    }
  });
});
