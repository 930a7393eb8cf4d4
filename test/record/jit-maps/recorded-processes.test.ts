import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { RecordedProcesses } from '../../../src/record/jit-maps/recorded-processes.ts';
import { newestPid } from '../../../src/system/processes/system-processes.ts';

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

async function sleeper(): Promise<number> {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  started.push(child);
  await once(child, 'spawn');
  return child.pid!;
}

const recorded = (pid: number) => new RecordedProcesses({ kind: 'processes', pids: [pid] }, -1);

test('processes that the recorded process starts are recorded, before and after a look at all processes', async () => {
  // Starts a process for each line, and prints its pid.
  const shell = spawn('sh', ['-c', 'while read line; do sleep 60 >&2 & echo $!; done'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  started.push(shell);
  const start = async () => {
    shell.stdin.write('another\n');
    const [text] = await once(shell.stdout, 'data');
    return Number(String(text));
  };
  const processes = recorded(shell.pid!);
  const before = await start();
  expect(processes.elsewhere(newestPid())).toEqual([]);
  const after = await start();
  processes.elsewhere(newestPid());
  const found = [before, after, shell.pid!].map((pid) => processes.has(pid));
  for (const pid of [before, after]) process.kill(pid, 'SIGKILL');
  expect(found).toEqual([true, true, true]);
});

test('a process with other ancestors is not recorded, however often it is asked for', async () => {
  const [first, second] = [await sleeper(), await sleeper()];
  const processes = recorded(first);
  for (const newest of [newestPid(), newestPid(), null, 1]) {
    expect(processes.has(second)).toBe(false);
    expect(processes.has(process.pid)).toBe(false);
    expect(processes.elsewhere(newest)).toEqual([]);
    expect(processes.has(first)).toBe(true);
  }
});

test('a process that is gone is known as such once a look at all processes has missed it', async () => {
  const [first, second] = [await sleeper(), await sleeper()];
  const processes = recorded(first);
  expect(processes.has(second)).toBe(false);
  const child = started[1];
  child.kill('SIGKILL');
  await once(child, 'exit');
  processes.elsewhere(newestPid());
  expect(processes.has(second)).toBeNull();
});
