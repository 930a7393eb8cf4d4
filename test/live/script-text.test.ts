// `perf-ts script` against `perf script` on live recordings: fields, switches and selections, line by
// line. perf 6.1 gives pid and tid fewer columns, so runs of spaces are compared as one.

import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { findPerf, perfTs, scratchDirectory } from '../helpers/cli.ts';
import { describeLive } from '../helpers/live.ts';
import { perfOutput } from '../helpers/perf-output.ts';
import { usableCpus } from '../helpers/tasks.ts';

const perf = findPerf();
const scratch = scratchDirectory();
/** Where the recorded program runs. */
const CPU = String(usableCpus().at(-1));
const file = (name: string) => join(scratch, `${name}.data`);

describeLive('script and perf script', () => {
  beforeAll(() => {
    const record = (name: string, options: readonly string[], command: readonly string[]) =>
      perf !== null &&
      execFileSync(perf, ['record', '-q', '-o', file(name), ...options, '--', ...command], {
        stdio: 'ignore',
      });
    // On one CPU: idle ones of some virtual machines send no samples.
    // The loop is work for tens of samples at 200 Hz, whatever else the machine does.
    const list =
      'for i in 1 2 3; do ls -lR /usr/share >/dev/null; done; ' +
      'i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done';
    const shell = ['taskset', '-c', CPU, 'sh', '-c', list];
    record('clock', ['-e', 'cpu-clock', '-F', '2000', '-a', '--switch-events'], shell);
    record('faults', ['-e', 'page-faults', '-c', '1', '-d'], shell);
    record('registers', ['-e', 'cpu-clock:u', '-F', '2000', '--user-regs=ip,sp'], shell);
    record('trace', ['-e', 'sched:sched_switch,sched:sched_process_exec', '-a'], shell);
    record('tasks', ['-e', 'cpu-clock', '-F', '200'], shell);
  });

  it.skipIf(perf === null).for<[string, string[]]>([
    ['tasks', ['-F', 'comm,pid,tid,time,period,event,ip,sym,symoff,dso']],
    ['clock', ['-F', 'tid,cpu,time', '--ns', '--time', '10%-20%']],
    ['clock', ['-F', 'tid,cpu,time', '--ns', '--time', '10%/2']],
    ['clock', ['-F', 'tid,cpu,time', '--cpu', CPU]],
    ['clock', ['-F', 'comm,tid,time', '-c', 'ls,swapper']],
    ['tasks', ['-F', '+pid,-time']],
    ['tasks', ['-F', 'sw:comm,tid,time']],
    ['faults', ['-F', 'tid,time,addr']],
    ['registers', ['-F', 'tid,ip,uregs']],
    ['trace', []],
    ['trace', ['-F', 'trace:comm,tid,cpu,time,event,trace', '--ns']],
    ['clock', ['--show-switch-events', '--ns', '-F', 'comm,tid,cpu,time']],
    ['tasks', ['--show-task-events', '--show-mmap-events']],
  ])('%s %j', ([name, options], { skip }) => {
    const args = ['script', '-i', file(name), ...options];
    const theirs = perfOutput(skip, args).toString();
    const samples = options.some((option) => option.startsWith('--show')) ? [] : ['--samples'];
    const ours = linesOf(perfTs([...args, ...samples]).stdout);
    expect(ours.length).toBeGreaterThan(10);
    const forgotten = options.includes('-c') ? namesForgotten(name) : new Set();
    const named = ours.filter((line) => !forgotten.has(line.replace(/^\S+ /, '')));
    expect(named).toEqual(withNamesOf(ours, linesOf(theirs)));
  });

  it.skipIf(perf === null)(
    'parts of the time are those of perf, and all of them are the whole',
    () => {
      const count = (options: readonly string[]) => {
        const run = ['script', '-i', file('clock'), '-F', 'time', ...options];
        return linesOf(perfTs(run).stdout).length;
      };
      const parts = [1, 2, 3, 4].map((part) => count(['--time', `25%/${part}`]));
      expect(parts.reduce((sum, part) => sum + part, 0)).toBe(count([]));
    },
  );

  it.skipIf(perf === null)('a field that was not recorded is refused', () => {
    const run = perfTs(['script', '-i', file('clock'), '-F', 'comm,phys_addr']);
    expect(run.status).toBe(2);
    expect(run.stderr).toContain('phys_addr');
    expect(
      spawnSync(perf as string, ['script', '-i', file('clock'), '-F', 'phys_addr']).status,
    ).not.toBe(0);
  });
});

/**
 * The lines of perf with the names that it lacks and our line has: perf 6.12 forgets a thread's name at
 * its end, although it still runs for a while (`:12 12 …`), and perf 6.1 names no stub of `.plt.got`.
 */
function withNamesOf(ours: readonly string[], theirs: readonly string[]): string[] {
  return theirs.map((line, index) => {
    const [, tid, rest] = FORGOTTEN.exec(line) ?? [];
    const other = ours[index] ?? '';
    if (tid !== undefined && other.endsWith(` ${tid}${rest}`)) return other;
    return line === other.replace(STUB, ' [unknown] ') ? other : line;
  });
}

/** A stub's name and offset, as `linesOf` leaves it. */
const STUB = / @plt(\+0x[0-9a-f]+)? /;
const FORGOTTEN = /^:(\d+) \1( .*)$/;

/** `TID TIME:` of samples whose thread's name perf has forgotten, and which it selects by none. */
function namesForgotten(name: string): Set<string> {
  const args = ['script', '-i', file(name), '-F', 'comm,tid,time'];
  const text = execFileSync(perf as string, args, { encoding: 'utf8', maxBuffer: 2 ** 30 });
  return new Set(
    linesOf(text).flatMap((line) => {
      const [, tid, rest] = FORGOTTEN.exec(line) ?? [];
      return tid === undefined ? [] : [`${tid}${rest}`];
    }),
  );
}

/**
 * Where perf differs on purpose: it names the stubs of relocations without addend `@plt` alone, and
 * the records that it made up before the recording after the recorder, which has the tid 0.
 */
function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) =>
      line
        .replace(/\s+/g, ' ')
        .trim()
        .replace(/ \S*@plt\b/g, ' @plt'),
    )
    .filter((line) => line !== '' && !/ 0\.0{6,9}: PERF_RECORD/.test(line));
}
