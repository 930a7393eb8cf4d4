// The profiled command and all programs of a pipeline share the open file descriptions of pipes and
// sockets with perf-ts: a flag that perf-ts set there would change everybody's reads and writes.

import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { CLI, cleanEnvironment, scratchDirectory } from '../helpers/cli.ts';
import { describeLiveAsUser } from '../helpers/live.ts';
import { findDescendant, stateOf, until } from '../helpers/tasks.ts';

const scratch = scratchDirectory();
const file = join(scratch, 'stdio.data');

/** The ways that run a command, each quiet on standard output. */
const SUBCOMMANDS = {
  record: ['record', '-q', '-e', 'cpu-clock', '-o', file],
  stat: ['stat', '-e', 'page-faults', '-o', join(scratch, 'stat.txt')],
  // One table at the end.
  top: ['top', '-q', '--batch', '-d', '3600', '-e', 'cpu-clock'],
};

/** How it is connected: Node's `spawn` gives sockets, the shell pipes. */
const WAYS: Record<string, (words: readonly string[]) => readonly string[]> = {
  'sockets of spawn': (words) => words,
  'pipes of a shell': (words) => ['sh', '-c', 'cat | "$@" | cat', 'sh', ...words],
};

function start(subcommand: readonly string[], way: string, command: readonly string[]) {
  const words = WAYS[way]([process.execPath, CLI, ...subcommand, '--', ...command]);
  const child = spawn(words[0], words.slice(1), {
    env: cleanEnvironment(),
    cwd: scratch,
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  });
  onTestFinished(() => {
    try {
      process.kill(-(child.pid as number), 'SIGKILL');
    } catch {
      // All of it has ended, as it should.
    }
  });
  const ended = new Promise<number | null>((done) => child.on('close', done));
  return { child, ended };
}

/** Resolves when the command sleeps in a read or write, or has ended without doing so. */
async function blockedOrGone(child: ChildProcess, comm: string): Promise<void> {
  let wasSeen = false;
  await until(() => {
    if (child.exitCode !== null || child.signalCode !== null) return true;
    const pid = findDescendant(child.pid as number, comm);
    if (pid === null) return wasSeen;
    wasSeen = true;
    return stateOf(pid) === 'S';
  });
}

const LINES = 2_000_000;

describeLiveAsUser('standard input and output of the command', () => {
  for (const [name, subcommand] of Object.entries(SUBCOMMANDS)) {
    for (const way of Object.keys(WAYS)) {
      it(`${name}, ${way}: all lines of a command pass a slow reader`, async () => {
        const { child, ended } = start(subcommand, way, ['seq', '1', `${LINES}`]);
        child.stdin?.end();
        await blockedOrGone(child, 'seq');
        let count = 0;
        let rest = '';
        child.stdout?.on('data', (data: Buffer) => {
          const lines = (rest + data).split('\n');
          rest = lines.pop() as string;
          for (const line of lines) if (/^\d+$/.test(line)) count++;
        });
        expect(await ended).toBe(0);
        expect(count).toBe(LINES);
      });

      it(`${name}, ${way}: the command waits for a slow producer`, async () => {
        const { child, ended } = start(subcommand, way, ['tee', join(scratch, 'copy')]);
        let output = '';
        child.stdout?.on('data', (data) => {
          output += data;
        });
        for (const line of ['first\n', 'second\n', 'third\n']) {
          child.stdin?.write(line);
          await until(() => output.includes(line) || child.exitCode !== null);
          await blockedOrGone(child, 'tee');
        }
        child.stdin?.end();
        expect(await ended).toBe(0);
        expect(output).toMatch(/^first\nsecond\nthird\n/);
      });
    }
  }
});
