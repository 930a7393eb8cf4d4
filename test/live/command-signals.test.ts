// Signals reach the command once, and its recorder survives whatever stops reading what it prints.

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import {
  CLI,
  cleanEnvironment,
  infoOf,
  projectRoot,
  scratchDirectory,
  startPerfTs,
} from '../helpers/cli.ts';
import { compileEarlySignal, compileWorkload, preloading } from '../helpers/compile.ts';
import { describeLive } from '../helpers/live.ts';
import { childrenOf, findDescendant, isAlive, stateOf, until } from '../helpers/tasks.ts';

const scratch = scratchDirectory();
const counts = join(scratch, 'counts');

/** Writes how many SIGINTs it has got so far; ends at SIGTERM. */
const COUNTER = join(scratch, 'count.sh');
writeFileSync(
  COUNTER,
  `n=0
trap 'n=$((n+1)); echo $n > ${counts}' INT
trap 'exit 0' TERM
echo 0 > ${counts}
while :; do sleep 0.02; done
`,
);

/** `script`(1) gives its command a terminal of its own, and writes what it reads to it. */
const hasScript = spawnSync('script', ['--version']).status === 0;

function startInTerminal(subcommand: readonly string[]) {
  rmSync(counts, { force: true });
  const words = [process.execPath, CLI, ...subcommand, '--', 'sh', COUNTER];
  const line = `${words.map((word) => `'${word}'`).join(' ')} </dev/null 2>${join(scratch, 'log')}`;
  const terminal = spawn('script', ['-qec', `exec ${line}`, '/dev/null'], {
    cwd: scratch,
    env: { ...cleanEnvironment(), SHELL: '/bin/sh' },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  onTestFinished(() => {
    for (const pid of childrenOf(terminal.pid as number)) process.kill(pid, 'SIGKILL');
    terminal.kill('SIGKILL');
  });
  return terminal;
}

const counted = (): number => Number(existsSync(counts) ? readFileSync(counts, 'utf8') : -1);

const SUBCOMMANDS = {
  record: ['record', '-q', '-e', 'cpu-clock', '-o', join(scratch, 'signals.data')],
  stat: ['stat', '-e', 'page-faults', '-o', join(scratch, 'stat.txt')],
  top: ['top', '-q', '--batch', '-e', 'cpu-clock'],
};

/** Ends what a detached program has left behind. */
function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // All of it has ended, as it should.
  }
}

describeLive('signals of the command', () => {
  for (const [name, subcommand] of Object.entries(SUBCOMMANDS)) {
    it.skipIf(!hasScript)(`${name}: Ctrl-C reaches the command once`, async () => {
      const terminal = startInTerminal(subcommand);
      await until(() => counted() === 0);
      terminal.stdin?.write('\x03');
      await until(() => counted() > 0 || terminal.exitCode !== null);
      // perf-ts has handled the signal as well once it prints, or reads /proc no more; a second
      // signal for the command would have been sent by then.
      const shell = findDescendant(terminal.pid as number, 'sh');
      expect(shell, 'perf-ts and its command run on').not.toBeNull();
      process.kill(shell as number, 'SIGTERM');
      await until(() => terminal.exitCode !== null);
      expect(counted()).toBe(1);
    });

    it.skipIf(!hasScript)(
      `${name}: kill -INT of perf-ts in a terminal reaches the command`,
      async () => {
        const terminal = startInTerminal(subcommand);
        await until(() => counted() === 0);
        const recorder = findDescendant(terminal.pid as number, 'node') as number;
        process.kill(recorder, 'SIGINT');
        await until(() => counted() === 1 || terminal.exitCode !== null);
        process.kill(findDescendant(recorder, 'sh') as number, 'SIGTERM');
        await until(() => terminal.exitCode !== null);
        expect(counted()).toBe(1);
      },
    );
  }
});

describeLive('a signal that a process sends to perf-ts alone', () => {
  for (const [name, subcommand] of Object.entries(SUBCOMMANDS)) {
    it(`${name}: kill -INT ends the program for which a shell waits, as Ctrl-C would`, async () => {
      // As npm's shell does: it lives on, and passes nothing on.
      const words = [...subcommand, '--', 'sh', '-c', 'trap : INT; sleep 1000; exit 7'];
      const { pid, ended } = startPerfTs(words, { detached: true });
      onTestFinished(() => killGroup(pid));
      await until(() => findDescendant(pid, 'sleep') !== null);
      process.kill(pid, 'SIGINT');
      expect((await ended).status).toBe(7);
    });
  }
});

const hasTimeout = spawnSync('timeout', ['--version']).status === 0;

describeLive('a signal that timeout(1) sends to perf-ts and to its group', () => {
  for (const [name, subcommand] of Object.entries(SUBCOMMANDS)) {
    it.skipIf(!hasTimeout)(`${name}: the command gets it once`, async () => {
      rmSync(counts, { force: true });
      const under = ['timeout', '--signal', 'INT', '1000'];
      const { child, pid, ended } = startPerfTs([...subcommand, '--', 'sh', COUNTER], { under });
      onTestFinished(() => killGroup(pid));
      await until(() => counted() === 0 || child.exitCode !== null);
      // timeout(1) does the same to itself when its time is over.
      process.kill(pid, 'SIGINT');
      await until(() => counted() > 0 || child.exitCode !== null);
      process.kill(findDescendant(pid, 'sh') as number, 'SIGTERM');
      await ended;
      expect(counted()).toBe(1);
    });
  }
});

describeLive('a signal at the moment when the command is let run', () => {
  const shim = compileEarlySignal();

  for (const [name, subcommand] of Object.entries(SUBCOMMANDS)) {
    it(`${name} ends perf-ts in order, and its command`, async () => {
      const env = { ...cleanEnvironment(), ...preloading(shim), EARLY_SIGNAL: '2' };
      const words = [...subcommand, '--', 'sleep', '1000'];
      const { pid, ended } = startPerfTs(words, { env, detached: true });
      onTestFinished(() => killGroup(pid));
      const { status, signal, stderr } = await ended;
      // `top` is ended by Ctrl-C as by `q`.
      expect({ status, signal, stderr }).toEqual({
        status: name === 'top' ? 0 : 130,
        signal: null,
        stderr: '',
      });
    });
  }
});

describeLive('a recorder whose messages nobody reads', () => {
  const workload = compileWorkload();
  const file = join(scratch, 'unread.data');

  it('records to the end and exits with the status of the command', async () => {
    // Without -e the first message, on the default event, comes before the command starts.
    const words = [
      CLI,
      'record',
      '-v',
      '-o',
      file,
      '--',
      'sh',
      '-c',
      `'${workload}' burn 1 0.3; exit 7`,
    ];
    const child = spawn(process.execPath, words, {
      cwd: scratch,
      env: cleanEnvironment(),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child.stderr.destroy();
    const status = await new Promise((done) => child.on('exit', done));
    expect(status).toBe(7);
    expect(infoOf(file).records.SAMPLE).toBeGreaterThan(10);
    expect(infoOf(file).truncatedAt).toBeNull();
  });
});

describeLive('a loop over live samples of a time', () => {
  it('the end of the loop by durationMs lets the command run on, and leaves no zombie when that ends', async () => {
    const program = join(scratch, 'leave.mjs');
    writeFileSync(
      program,
      `import { live } from '${join(projectRoot, 'dist/index.js')}';
for (let i = 0; i < 3; i++) {
  for await (const _ of live({ command: ['sh', '-c', 'while :; do :; done'], events: ['cpu-clock'], durationMs: 50 }));
}
console.log('left');
process.stdin.resume();
`,
    );
    const host = spawn(process.execPath, [program], {
      env: cleanEnvironment(),
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => void host.kill('SIGKILL'));
    let output = '';
    host.stdout.on('data', (data) => {
      output += data;
    });
    await until(() => output !== '' || host.exitCode !== null);
    const commands = childrenOf(host.pid as number);
    expect(commands).toHaveLength(3);
    for (const pid of commands) {
      expect(stateOf(pid)).toBe('R');
      process.kill(pid, 'SIGKILL');
    }
    await until(() => childrenOf(host.pid as number).length === 0);
    // What is left keeps the process alive no longer than its own work does.
    host.stdin.end();
    await until(() => host.exitCode !== null);
    for (const pid of commands) expect(isAlive(pid)).toBe(false);
  });
});
