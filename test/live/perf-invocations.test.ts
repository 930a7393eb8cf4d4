// Invocations of perf that record or count, typed to perf-ts as tutorials have them. Those that read a
// recording are in test/cli/habits/perf-invocations.test.ts.

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { infoOf, perfTs, scratchDirectory } from '../helpers/cli.ts';
import { compileWorkload } from '../helpers/compile.ts';
import { describeLive } from '../helpers/live.ts';
import { commOf, until } from '../helpers/tasks.ts';

const scratch = scratchDirectory();

/** Shell that ends when process $0 has used half a second of CPU more, however busy the machine is. */
const UNTIL_USED = `
  used() { awk '{ print $14 + $15 }' /proc/$0/stat; }
  end=$(( $(used) + 50 ))
  while [ $(used) -lt $end ]; do sleep 0.1; done`;

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

describeLive('invocations of perf', () => {
  const workload = compileWorkload();

  async function startWorkload(): Promise<string> {
    const child = spawn(workload, ['threads', '2', '600'], { stdio: 'ignore' });
    running.push(child);
    const pid = child.pid as number;
    await until(() => commOf(pid)?.startsWith('workload') === true);
    return String(pid);
  }

  it.each([
    ['record -e cpu-clock -- true', 0],
    ['record -e cpu-clock -F 99 -a -g -- sleep 0.1', 0],
    ['record -e cpu-clock -c 1000000 -- true', 0],
    ['record -e cpu-clock --call-graph dwarf -- true', 0],
    ['record -e sched:sched_switch -a -- sleep 0.1', 0],
    ['record -e page-faults -c 1 -g -- true', 0],
    ['record -e cpu-clock -T -P --sample-cpu --timestamp-boundary -- true', 0],
    ['record -e cpu-clock -z true', 0],
    ['record -e cpu-clock -I --user-regs true', 0],
    ['record -e cpu-clock --switch-output true', 0],
    ['stat -e task-clock -- true', 0],
    ['stat -e task-clock -r 2 -x , true', 0],
    ['stat -e cpu-clock -a --timeout 100', 0],
    ['top -e cpu-clock -a --stdio -ns comm --duration 0.3', 0],
    ['top -e cpu-clock -a --batch -E 3 --duration 0.3', 0],
    ['list sw', 0],
  ])('%s works', (line, status) => {
    expect(perfTs(line.split(' '), { cwd: scratch }).status).toBe(status);
  });

  describe('with -p PID the command says how long, and is not recorded', () => {
    it('record ends with the command, and takes its status', async () => {
      const pid = await startWorkload();
      const file = join(scratch, 'bound.data');
      const words = ['record', '-F', '99', '-e', 'cpu-clock', '-g', '-p', pid, '-o', file, '--'];
      expect(perfTs([...words, 'sh', '-c', UNTIL_USED, pid]).status).toBe(0);
      expect(infoOf(file).events[0].samples).toBeGreaterThan(0);
      const { stdout } = perfTs(['script', '-F', 'comm', file]);
      expect(stdout).not.toMatch(/sh|sleep|awk/);
      expect(perfTs([...words, 'sh', '-c', 'exit 7']).status).toBe(7);
    });

    it('a command that can not be run fails before anything is recorded', async () => {
      const pid = await startWorkload();
      const file = join(scratch, 'never.data');
      const { status } = perfTs([
        'record',
        '-e',
        'cpu-clock',
        '-p',
        pid,
        '-o',
        file,
        '--',
        './none',
      ]);
      expect(status).toBe(127);
      expect(existsSync(file)).toBe(false);
    });

    it('a recording that ends earlier ends the command, and counts as success', async () => {
      const pid = await startWorkload();
      const file = join(scratch, 'early.data');
      const words = ['record', '-e', 'cpu-clock', '-p', pid, '-o', file, '--duration', '0.2'];
      expect(perfTs([...words, '--', 'sleep', '1000']).status).toBe(0);
    });

    it('stat counts the process for as long as the command runs', async () => {
      const pid = await startWorkload();
      const words = ['stat', '--json', '-e', 'task-clock', '-p', pid];
      const { status, stderr } = perfTs([...words, 'sleep', '0.3']);
      expect(status).toBe(0);
      const { events } = JSON.parse(stderr) as { events: { count: number }[] };
      expect(events[0].count).toBeGreaterThan(0);
      expect(perfTs([...words, 'sh', '-c', 'exit 3']).status).toBe(3);
    });
  });

  it('record -u names one target, and a user that exists', () => {
    expect(perfTs(['record', '-u', 'root', '-a']).status).toBe(2);
    const { status, stderr } = perfTs(['record', '-u', 'nobody-of-this-name', '--', 'true']);
    expect(status).toBe(2);
    expect(stderr).toContain('no such user');
  });
});
