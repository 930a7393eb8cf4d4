// What stat counts, against programs that make known numbers of events and against perf.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type StatReport, startStat } from '../../src/index.ts';
import { findPerf, perfTs, scratchDirectory, startPerfTs } from '../helpers/cli.ts';
import { compileWorkload } from '../helpers/compile.ts';
import { describeLive } from '../helpers/live.ts';
import { AS_NOBODY, canRecordAsNobody } from '../helpers/nobody.ts';

const scratch = scratchDirectory();

type Row = {
  readonly part?: string;
  readonly event: string;
  readonly group: number | null;
  readonly count: number | null;
  readonly runningShare: number | null;
  readonly reason?: string;
  readonly spread?: { readonly min: number; readonly runs: number };
};

/** Runs stat and hands back its document and its exit status. */
function stat(args: readonly string[], under: readonly string[] = []) {
  const outcome = perfTs(['stat', '--json', '-o', '-', ...args], { under });
  expect(outcome.stderr).not.toMatch(/^ +at /m);
  const document = outcome.stdout === '' ? null : JSON.parse(outcome.stdout);
  return { ...outcome, document, rows: (document?.events ?? []) as Row[] };
}

const countOf = (rows: readonly Row[], event: string): number =>
  rows.find((row) => row.event === event)?.count as number;

describeLive('stat', () => {
  const workload = compileWorkload();

  /**
   * The start of a program makes some sixty faults and up to six more, by where its memory happens to lie: the
   * fewest of several runs differ by two at most.
   */
  const RUNS = 20;
  const fewestFaults = (n: number): number => {
    const { rows } = stat(['-r', `${RUNS}`, '-e', 'page-faults', '--', workload, 'pf', `${n}`]);
    expect(rows[0]?.spread?.runs).toBe(RUNS);
    return rows[0]?.spread?.min ?? Number.NaN;
  };

  it('stat counts page faults: the difference of two sizes is exact', () => {
    const difference = fewestFaults(30_000) - fewestFaults(10_000);
    expect(Math.abs(difference - 20_000)).toBeLessThanOrEqual(2);
  });

  it('stat counts from a program, as a whole and by intervals', async () => {
    const reports: StatReport[] = [];
    const { finished, exited } = startStat(
      { command: [workload, 'pf', '3000'], events: ['page-faults'], intervalMs: 10 },
      (report) => reports.push(report),
    );
    const { rows, exit } = await finished;
    expect(exit?.status).toBe(0);
    expect(await exited).toEqual(exit);
    const [{ value } = { value: null }] = rows;
    expect(value).toBeGreaterThan(3000);
    const parts = reports.map((report) => report.rows[0]?.value ?? 0);
    expect(parts.reduce((sum, part) => sum + part, 0)).toBe(value);
  });

  it.skipIf(findPerf() === null)(
    'stat agrees with perf on the page faults of a fixed program',
    () => {
      const theirs = Array.from({ length: RUNS }, () => {
        const words = ['stat', '-x,', '-e', 'page-faults', '--', workload, 'pf', '1000'];
        const { stderr } = spawnSync('perf', words, { encoding: 'utf8' });
        return Number(/^(\d+),,page-faults/m.exec(stderr)?.[1]);
      });
      expect(Math.abs(fewestFaults(1000) - Math.min(...theirs))).toBeLessThanOrEqual(2);
    },
  );

  it('stat counts system calls by a tracepoint, threads and children included', () => {
    const calls = (n: number) => {
      const flags = ['-e', 'syscalls:sys_enter_getppid'];
      return stat([...flags, '--', workload, 'sys', String(n)]).rows[0]?.count;
    };
    expect(calls(5000)).toBe(5000);
    const forked = stat(['-e', 'sched:sched_process_fork', '--', workload, 'forks', '20']);
    expect(forked.rows[0]?.count).toBe(20);
    const alone = stat(['-i', '-e', 'page-faults', '--', workload, 'forks', '20']);
    const all = stat(['-e', 'page-faults', '--', workload, 'forks', '20']);
    expect(countOf(all.rows, 'page-faults')).toBeGreaterThan(
      countOf(alone.rows, 'page-faults') + 100,
    );
  });

  it('stat does not count how the command is started', () => {
    const calls = stat(['-e', 'syscalls:sys_exit_execve', '--', '/bin/true']).rows[0]?.count;
    // The one that made it /bin/true: the events are enabled in the middle of it.
    expect(calls).toBeLessThanOrEqual(1);
  });

  it('stat ends with the command’s status, and is 125 where nothing can be counted', () => {
    expect(stat(['-e', 'page-faults', '--', workload, 'exit', '7']).status).toBe(7);
    expect(stat(['-e', 'page-faults', '--', workload, 'kill9', '0', '0.01']).status).toBe(137);
    expect(stat(['-e', 'page-faults', '--', '/no/such/program']).status).toBe(127);
    expect(stat(['-e', 'nonsense', '--', 'true']).status).toBe(2);
    expect(stat(['-p', '999999999']).status).toBe(125);
  });

  it('stat prints null with a reason, never 0, for a missing counter', () => {
    const { rows, status } = stat(['-d', '--', '/bin/true']);
    expect(status).toBe(0);
    for (const { count, reason } of rows) expect(count === null).toBe(reason !== undefined);
    expect(countOf(rows, 'page-faults')).toBeGreaterThan(0);
  });

  it("stat leaves the command's output alone, and writes to -o", () => {
    const toError = perfTs(['stat', '-x,', '-e', 'page-faults', '--', 'echo', 'hello']);
    expect(toError.stdout).toBe('hello\n');
    const [header, line] = toError.stderr.trim().split('\n');
    expect(header).toBe('count,unit,event,running_ns,running_percent,metric,metric_unit,reason');
    expect(line).toMatch(/^\d+,,page-faults,\d+,100\.00,[\d.]+,K?\/sec,$/);
    const file = join(scratch, 'counts.json');
    const toFile = perfTs(['stat', '--json', '-o', file, '--', 'true']);
    expect(toFile.stderr).toBe('');
    expect(JSON.parse(readFileSync(file, 'utf8')).schema).toBe('perf-ts/stat@1');
  });

  it('stat -r gives the mean and the spread of several runs', () => {
    const { document, rows } = stat(['-r', '3', '-e', 'page-faults', '--', workload, 'pf', '500']);
    expect(document.runs).toBe(3);
    expect(document.elapsedOfRunsNs).toHaveLength(3);
    expect(rows[0]?.spread?.runs).toBe(3);
    expect(rows[0]?.count).toBeGreaterThan(500);
  });

  it('stat -I intervals sum to the whole', () => {
    const flags = ['-I', '50', '-e', 'page-faults'];
    const outcome = perfTs([
      'stat',
      '--json',
      '-o',
      '-',
      ...flags,
      '--',
      workload,
      'pf',
      '0',
      '0.4',
    ]);
    const documents = outcome.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const whole = documents.pop();
    expect(whole.schema).toBe('perf-ts/stat@1');
    expect(documents.length).toBeGreaterThan(2);
    const sum = documents.reduce((total, { events }) => total + (events[0].count ?? 0), 0);
    expect(sum).toBe(whole.events[0].count);
    const elapsed = documents.reduce((total, { elapsedNs }) => total + elapsedNs, 0);
    expect(elapsed).toBe(whole.elapsedNs);
  });

  it('stat -a counts whole CPUs, each by itself or together', () => {
    const flags = ['-a', '-e', 'cpu-clock', '--', workload, 'burn', '1', '0.1'];
    const cpus = stat(['-A', ...flags]);
    const online = execFileSync('getconf', ['_NPROCESSORS_ONLN'], { encoding: 'utf8' });
    expect(cpus.rows).toHaveLength(Number(online));
    expect(cpus.rows[0]?.part).toMatch(/^CPU\d+$/);
    const together = stat(flags);
    expect(together.rows).toHaveLength(1);
    expect(stat(['--per-socket', ...flags]).rows[0]?.part).toMatch(/^S\d+$/);
  });

  it('stat -p counts the threads of a process each by itself, until it ends', async () => {
    const target = spawn(workload, ['burn', '2', '600'], { stdio: 'ignore' });
    try {
      const exists = () => readdirSync(`/proc/${target.pid}/task`).length === 3;
      while (!exists()) await new Promise((resolve) => setImmediate(resolve));
      const flags = ['--per-thread', '-p', String(target.pid), '-I', '20', '-e', 'task-clock'];
      const running = startPerfTs(['stat', '--json', '-o', '-', ...flags]);
      await new Promise<void>((resolve) => running.child.stdout?.once('data', () => resolve()));
      target.kill('SIGKILL');
      const { status, stdout } = await running.ended;
      expect(status).toBe(0);
      const { events } = JSON.parse(stdout.trim().split('\n').at(-1) as string);
      expect(new Set(events.map(({ part }: Row) => part)).size).toBe(3);
    } finally {
      target.kill('SIGKILL');
    }
  });

  it('an interrupt ends a count without a command, which is printed', async () => {
    const running = startPerfTs(['stat', '-a', '-I', '20', '--json', '-o', '-', '-e', 'cpu-clock']);
    await new Promise<void>((resolve) => running.child.stdout?.once('data', () => resolve()));
    running.child.kill('SIGINT');
    const outcome = await running.ended;
    expect(outcome.status).toBe(0);
    expect(outcome.stdout.trim().split('\n').at(-1)).toContain('"perf-ts/stat@1"');
  });

  it('stat -D does not count a command that ends before the delay', () => {
    const { rows } = stat(['-D', '5000', '-e', 'page-faults', '--', workload, 'pf', '100']);
    expect(rows).toMatchObject([
      { count: null, reason: 'what it counts did not run in this time' },
    ]);
  });

  const itAsNobody = it.skipIf(!canRecordAsNobody(workload));
  itAsNobody('stat counts user code for a user who may see no more, and says so', () => {
    const { rows, stderr } = stat(
      ['-e', 'page-faults,context-switches', '--', workload, 'pf', '100'],
      AS_NOBODY,
    );
    expect(stderr).toContain('user code only (page-faults:u)');
    expect(countOf(rows, 'page-faults:u')).toBeGreaterThan(100);
    expect(rows[1]).toMatchObject({ event: 'context-switches', count: null });
  });

  describe('in a program', () => {
    it('stat leaves as many descriptors open as before, also after an error', async () => {
      const openFds = () => readdirSync('/proc/self/fd').length;
      const run = (events: string[]) =>
        startStat({ command: ['/bin/true'], events }).finished.catch((error) => error);
      await run(['page-faults']);
      const before = openFds();
      const result = await run(['{page-faults,context-switches}', 'cpu-migrations']);
      expect(result.rows).toHaveLength(3);
      expect(await run(['mem:0x0:x'])).toBeDefined();
      expect(openFds()).toBe(before);
    });
  });
});
