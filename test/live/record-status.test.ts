// `record` tells on a terminal how it goes while it runs, and while it ends.

import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { CLI, cleanEnvironment, scratchDirectory } from '../helpers/cli.ts';
import { describeLive } from '../helpers/live.ts';
import { childrenOf, until } from '../helpers/tasks.ts';

const scratch = scratchDirectory();
const hasScript = spawnSync('script', ['--version']).status === 0;
const STATUS = /\rperf-ts: recording: \d+ s, [\d ]+ samples, [\d.]+ k?B, lost \d+/;

/** A shell on a terminal of its own, and what was written to that so far; `perf-ts` stands for ours. */
function startInTerminal(words: string) {
  const { CI: _ci, ...env } = cleanEnvironment();
  const ours = `'${process.execPath}' '${CLI}' record -e cpu-clock -o '${join(scratch, 'a.data')}'`;
  const line = words.replace('perf-ts record', ours);
  const terminal = spawn('script', ['-qec', line, '/dev/null'], {
    cwd: scratch,
    env: { ...env, SHELL: '/bin/sh', TERM: 'xterm', PERF_TS_PROGRESS_MS: '0' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let written = '';
  terminal.stdout.on('data', (data) => {
    written += data;
  });
  onTestFinished(() => {
    for (const pid of childrenOf(terminal.pid as number)) process.kill(pid, 'SIGKILL');
    terminal.kill('SIGKILL');
  });
  const ended = new Promise<void>((done) => void terminal.on('close', () => done()));
  return { terminal, ended, written: () => written };
}

/** A process that prints nowhere; ends with the test. */
function startQuiet(): number {
  const child = spawn('sleep', ['600'], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child.pid as number;
}

describeLive('status of a recording on a terminal', () => {
  it.skipIf(!hasScript)('attached, time, samples, size and losses are shown', async () => {
    const { ended, written } = startInTerminal(`perf-ts record -p ${startQuiet()} --duration 3`);
    await ended;
    expect(written()).toMatch(STATUS);
    // The closing lines take its place.
    expect(written()).toMatch(
      /\[Kperf-ts: on a CPU for .*\r\nperf-ts: [\d ]+ samples of cpu-clock/,
    );
    expect(written()).toMatch(/perf-ts view \S*a\.data +the same as a flame graph\r\n$/);
  });

  it.skipIf(!hasScript)('nothing is drawn where the process prints on that terminal', async () => {
    const { ended, written } = startInTerminal(
      'sleep 600 & perf-ts record -p $! --duration 2; kill $!',
    );
    await ended;
    expect(written()).toMatch(/samples of cpu-clock/);
    expect(written()).not.toContain('\u{1b}[K');
  });

  it.skipIf(!hasScript)('a Node process that does not answer is named meanwhile', async () => {
    const node = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000); console.log()'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const pid = node.pid as number;
    onTestFinished(() => void node.kill('SIGKILL'));
    await new Promise((done) => node.stdout.once('data', done));
    node.kill('SIGSTOP');
    const words = `stty cols 80; perf-ts record --attach-js -p ${pid} --duration 600`;
    const { ended, written } = startInTerminal(words);
    const waiting = `no names from process ${pid} yet`;
    await until(() => written().includes(waiting));
    await until(() =>
      written().includes(`functions of JavaScript in process ${pid} have no names`),
    );
    node.kill('SIGKILL');
    await ended;
    expect(written()).toMatch(/samples of cpu-clock/);
  });

  it.skipIf(!hasScript)('the first Ctrl-C says that it waits for the command', async () => {
    const command = join(scratch, 'deaf.sh');
    const go = join(scratch, 'go');
    writeFileSync(command, `trap : INT\necho up\nwhile [ ! -e '${go}' ]; do sleep 0.05; done\n`);
    const { terminal, ended, written } = startInTerminal(`perf-ts record -- sh '${command}'`);
    await until(() => written().includes('up'));
    terminal.stdin.write('\x03');
    await until(() => written().includes('Ctrl-C again quits without it'));
    expect(written()).toMatch(/perf-ts: waiting for the command \(process \d+\) to end; /);
    expect(written()).not.toMatch(STATUS);
    writeFileSync(go, '');
    await ended;
  });

  it.skipIf(!hasScript)(
    'a recording of many events ends with a short line, then waits',
    async () => {
      const { ended, written } = startInTerminal("perf-ts record -e 'sched:*' -- true");
      await ended;
      const text = written();
      expect(text).toMatch(/samples of cpu-clock, (sched:\w+, ){5}sched:\w+ and /);
      const closing = /sched:\w+ and (\d+) more events, (?:none )?lost/.exec(text);
      const waits = /the kernel closes (\d+) events/.exec(text);
      expect(Number(waits?.[1])).toBe(Number(closing?.[1]) + 7);
      expect(waits?.index).toBeGreaterThan(closing?.index as number);
    },
  );
});
