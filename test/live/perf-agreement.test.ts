// The same file read by perf and by perf-ts: the same records, and the same samples and periods in
// the same symbols. Not the ten largest only: every symbol.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import {
  CLI,
  cleanEnvironment,
  findPerf,
  type Info,
  infoOf,
  perfStats,
  perfTs,
  scratchDirectory,
} from '../helpers/cli.ts';
import { compileWorkload } from '../helpers/compile.ts';
import { describeLive } from '../helpers/live.ts';
import { differences, ourTables, perfTables } from '../helpers/perf-reference.ts';
import { removeProgramMaps } from '../helpers/program-maps.ts';
import { hasForeignRoots, until } from '../helpers/tasks.ts';

const scratch = scratchDirectory();
const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

const CLOCK = ['-e', 'cpu-clock', '-F', '5000', '-g'];

/** Recursion, sorting and text for a second of CPU time: interpreted, compiled and built-in code. */
const SCRIPT = `
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
function sortMany() {
  const values = Array.from({ length: 20000 }, (_, i) => (i * 7919) % 10007);
  return values.sort((a, b) => a - b)[5];
}
function roundTrip() { return JSON.stringify(JSON.parse(JSON.stringify({ a: 'x'.repeat(3000) }))).length; }
let sum = 0;
while (process.cpuUsage().user < 1e6) sum += fib(18) + sortMany() + roundTrip();
if (sum < 0) console.log(sum);
`;

const has = (tool: string) => spawnSync('sh', ['-c', `command -v ${tool}`]).status === 0;

function record(name: string, flags: readonly string[], command: readonly string[] = []): string {
  const file = join(scratch, `${name}.data`);
  const words = command.length > 0 ? ['--', ...command] : [];
  const outcome = perfTs(['record', '-q', '-o', file, ...flags, ...words]);
  expect(outcome).toMatchObject({ status: 0 });
  return file;
}

/**
 * Expects that both tools count the same records and the same samples and periods by symbol.
 * `pipe`: the recording as a stream; `file` is `-` then. Returns the counts.
 */
function expectAgreement(file: string, eventsWithSamples: number, pipe?: Buffer): Info {
  const info = infoOf(file, pipe);
  const { TOTAL, ...counts } = perfStats(file, pipe);
  expect(withoutPrefix(info.records)).toEqual(counts);
  expect(Object.values(info.records).reduce((sum, count) => sum + count, 0)).toBe(TOTAL);
  expect(info).toMatchObject({ truncatedAt: null, skippedBytes: 0 });

  const ours = ourTables(file, pipe);
  const theirs = perfTables(file, pipe);
  expect(ours.length).toBe(eventsWithSamples);
  expect(sumsOf(ours)).toEqual(sumsOf(theirs));
  for (let i = 0; i < ours.length; i++) expect(differences(theirs[i], ours[i])).toEqual([]);
  const samples = ours.reduce((sum, table) => sum + table.samples, 0);
  expect(samples).toBe(info.records.SAMPLE);

  const script = spawnSync('perf', ['script', '-i', file], {
    stdio: [pipe ? 'pipe' : 'ignore', 'ignore', 'ignore'],
    ...(pipe && { input: pipe }),
  });
  expect(script.status).toBe(0);
  return info;
}

/** perf's shorter names of the records that describe a pipe: ATTR for HEADER_ATTR. */
function withoutPrefix(records: Info['records']): Record<string, number> {
  const entries = Object.entries(records);
  return Object.fromEntries(entries.map(([name, count]) => [name.replace(/^HEADER_/, ''), count]));
}

function sumsOf(tables: ReturnType<typeof ourTables>) {
  return tables.map(({ event, samples, period }) => ({ event, samples, period }));
}

describeLive('agreement with perf report on the same file', () => {
  const workload = compileWorkload();
  const itWithPerf = (title: string, test: () => void | Promise<void>, tool = 'perf') =>
    it.skipIf(!findPerf() || !has(tool))(title, test);

  itWithPerf('perf agrees about a C program that computes', () => {
    const file = record('burn', CLOCK, [workload, 'burn', '2', '0.5']);
    expectAgreement(file, 1);
    const { lines, period } = ourTables(file)[0];
    expect(lines.get(`${basename(workload)} leaf`)!.period).toBeGreaterThan(period / 2);
  });

  itWithPerf(
    'perf agrees about a C program that makes page faults, by frequency and by count',
    () => {
      const faults = [workload, 'pf', '20000'];
      expectAgreement(record('pf-freq', ['-e', 'page-faults', '-F', '5000', '-g'], faults), 1);
      const counted = record('pf-count', ['-e', 'page-faults', '-c', '10', '-g'], faults);
      const { records } = expectAgreement(counted, 1);
      expect(records.SAMPLE).toBeGreaterThanOrEqual(2000);
    },
  );

  itWithPerf('perf agrees about node with its compiled functions', () => {
    const script = join(scratch, 'script.mjs');
    writeFileSync(script, SCRIPT);
    const file = record('node', CLOCK, [process.execPath, '--perf-basic-prof', script]);
    expectAgreement(file, 1);
    const names = [...ourTables(file)[0].lines.keys()];
    expect(names.some((name) => /JS:o?[~^+*]'?fib .*script\.mjs/.test(name))).toBe(true);
    removeProgramMaps(file);
  });

  itWithPerf(
    'perf agrees about gzip',
    () => {
      const command = ['sh', '-c', `gzip -c ${process.execPath} | head -c 4000000 >/dev/null`];
      expectAgreement(record('gzip', CLOCK, command), 1);
    },
    'gzip',
  );

  itWithPerf(
    'perf agrees about openssl speed',
    () => {
      const speed = 'openssl speed -seconds 1 -bytes 16384 sha256 >/dev/null 2>&1';
      expectAgreement(record('openssl', CLOCK, ['sh', '-c', speed]), 1);
    },
    'openssl',
  );

  itWithPerf('perf agrees about a shell script that forks and runs programs', () => {
    const loop = 'i=0; while [ $i -lt 200 ]; do ls / >/dev/null; i=$((i+1)); done';
    const { records } = expectAgreement(record('forks', CLOCK, ['sh', '-c', loop]), 1);
    expect(records).toMatchObject({ FORK: 200, EXIT: 201 });
  });

  itWithPerf('perf agrees about a program with 64 threads', () => {
    const file = record('threads', CLOCK, [workload, 'threads', '64', '0.5']);
    const { records } = expectAgreement(file, 1);
    expect(records).toMatchObject({ FORK: 64, EXIT: 65 });
  });

  itWithPerf('perf agrees about a process attached while it runs', async () => {
    const target = spawn(workload, ['burn', '2', '30'], { stdio: 'ignore' });
    running.push(target);
    const tasks = `/proc/${target.pid}/task`;
    await until(() => readdirSync(tasks).length === 3);
    const flags = [...CLOCK, '-p', String(target.pid), '--duration', '0.5'];
    const { records } = expectAgreement(record('attached', flags), 1);
    // Synthesized: one COMM per thread that ran already.
    expect(records).toMatchObject({ COMM: 3 });
  });

  // Files of processes in other roots are other files, for perf and for us.
  it.skipIf(!findPerf() || hasForeignRoots())('the whole system agrees with perf report', () => {
    const file = record('system', [...CLOCK, '-a'], [workload, 'burn', '2', '0.5']);
    expectAgreement(file, 1);
  });

  itWithPerf(
    'perf agrees about a clock, faults, a tracepoint and a group in one file, by frequency and by count',
    () => {
      const counted = 'page-faults,raw_syscalls:sys_enter';
      const group = ['-e', '{context-switches,raw_syscalls:sys_exit}'];
      const command = [workload, 'forks', '200'];
      const byFrequency = record(
        'events-freq',
        ['-e', `cpu-clock,${counted}`, ...group, '-F', '3000'],
        command,
      );
      expectAgreement(byFrequency, 5);
      // A clock that fires as often as the kernel lets it, each 10 µs, leaves slow machines no time to work; one of
      // 1 ms may not fire at all, since no child runs for so long.
      const events = ['-e', `cpu-clock/period=100000/,${counted}`];
      const byCount = record('events-count', [...events, ...group, '-c', '1'], command);
      expectAgreement(byCount, 5);
    },
  );

  itWithPerf('perf agrees about a recording that comes through a pipe', () => {
    const pipe = join(scratch, 'pipe.data');
    const stages = [
      `'${process.execPath}' '${CLI}' record -q ${CLOCK.join(' ')} -o - -- '${workload}' burn 2 0.5`,
      `tee ${pipe}`,
      'perf report --stats -i -',
    ];
    const shell = spawnSync('bash', ['-o', 'pipefail', '-c', stages.join(' | ')], {
      encoding: 'utf8',
      env: cleanEnvironment(),
    });
    expect(shell).toMatchObject({ status: 0 });
    expect(shell.stdout).toContain('SAMPLE events');
    const { records } = expectAgreement('-', 1, readFileSync(pipe));
    expect(records.SAMPLE).toBeGreaterThan(0);
  });
});
