// Recordings over several files, and recordings that others control.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  closeSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { Profile } from '../../src/profile/types.ts';
import { readKernelSymbols, readProvenance } from '../../src/read/facts/provenance.ts';
import { openProfile } from '../../src/read/open-profile.ts';
import { withRecording } from '../../src/read/open-recording.ts';
import { CLI, cleanEnvironment, infoOf, perfTs, scratchDirectory } from '../helpers/cli.ts';
import { compileWorkload } from '../helpers/compile.ts';
import { describeLive } from '../helpers/live.ts';
import { childrenOf, cpuSecondsOf, until } from '../helpers/tasks.ts';

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

const scratch = scratchDirectory();

type Started = {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  reported(): string;
  /** Resolves when `condition` holds; throws where the recorder or its command has ended before. */
  progress(condition: () => boolean): Promise<void>;
};

function start(options: readonly string[], command: readonly string[]): Started {
  const child = spawn(process.execPath, [CLI, 'record', ...options, '--', ...command], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: cleanEnvironment(),
  });
  running.push(child);
  let text = '';
  child.stderr?.on('data', (bytes) => {
    text += String(bytes);
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  return {
    child,
    ended,
    reported: () => text,
    progress: (condition) =>
      until(() => {
        if (condition()) return true;
        if (child.exitCode !== null) throw new Error(`perf-ts ended: ${text}`);
        return false;
      }),
  };
}

/** Where a recording of several files goes: a place without any of an earlier try. */
function newPlace(): string {
  return join(mkdtempSync(join(scratch, 'place-')), 'perf.data');
}

/** The files of a recording, the oldest first, the one that was written last at the end. */
function filesOf(file: string): string[] {
  const folder = dirname(file);
  const earlier = readdirSync(folder).map((name) => join(folder, name));
  return [...earlier.filter((path) => path !== file).sort(), file];
}

/** Names of functions with samples of their own in JIT code, and how many of these have none. */
function jitNames({ samples, stacks, frames, funcs, strings, dsos }: Profile) {
  const names = new Set<string>();
  let unnamed = 0;
  for (let sample = 0; sample < samples.length; sample++) {
    const frame = stacks.frame[samples.stack[sample]];
    if (dsos[frames.dso[frame]]?.kind !== 'jit') continue;
    const func = frames.func[frame];
    if (func < 0) unnamed++;
    else names.add(strings[funcs.name[func]]);
  }
  return { names, unnamed };
}

const samplesIn = (file: string) => infoOf(file).records.SAMPLE ?? 0;

describeLive('a recording over several files', () => {
  const workload = compileWorkload();

  it('--switch-output has every sample once, in self-contained files', async () => {
    const file = newPlace();
    const loop = `while :; do '${workload}' faults-pinned 1000; done`;
    const options = ['-e', 'page-faults:u', '-c', '1', '--switch-output=300K'];
    const { child, ended, reported, progress } = start(
      ['-o', file, ...options],
      // On one CPU: what two of them write while the file changes may lie on either side.
      ['taskset', '-c', '0', 'sh', '-c', loop],
    );
    await progress(() => reported().split('recorded so far is in').length > 2);
    child.kill('SIGINT');
    await ended;
    const files = filesOf(file);
    const closing = /([\d ]+) samples of page-faults/.exec(reported())?.[1] ?? '';
    const total = Number(closing.replaceAll(' ', ''));
    expect(files.map(samplesIn).reduce((sum, count) => sum + count)).toBe(total);
    for (const file of files) {
      expect(infoOf(file)).toMatchObject({ truncatedAt: null, skippedBytes: 0 });
    }
    for (const file of [files[0], files.at(-1)!]) {
      const { stdout } = perfTs(['report', file]);
      expect(stdout).not.toContain('after the last samples');
      // A few may be of the shell alone.
      if (samplesIn(file) > 1000) expect(stdout).toContain('page_faults');
    }
    // Times do not overlap.
    const times = files.map((file) => {
      const { stdout } = perfTs(['script', '-F', 'time', '--ns', file]);
      return stdout
        .split('\n')
        .filter((line) => line !== '')
        .map(Number.parseFloat);
    });
    const filled = times.filter((list) => list.length > 0);
    for (let i = 1; i < filled.length; i++) {
      expect(filled[i][0]).toBeGreaterThanOrEqual(filled[i - 1].at(-1)!);
    }
  });

  it('each file of --switch-output has its own losses', async () => {
    const file = newPlace();
    const loop = `while :; do '${workload}' faults-pinned 20000; done`;
    const options = ['-e', 'page-faults:u', '-c', '1', '-m', '1', '--switch-output=300K'];
    const { child, ended, reported, progress } = start(
      ['-o', file, ...options],
      ['taskset', '-c', '0', 'sh', '-c', loop],
    );
    await progress(() => reported().split('recorded so far is in').length > 2);
    child.kill('SIGINT');
    await ended;
    const total = Number((/lost ([\d ]+)/.exec(reported())?.[1] ?? '').replaceAll(' ', ''));
    const lost = filesOf(file).map((file) => infoOf(file).loss.lostSamples);
    expect(lost.reduce((sum, count) => sum + count)).toBe(total);
    // Not all of it in the one that was written last.
    expect(lost[0]).toBeGreaterThan(0);
  });

  it('--switch-output names the code of a JIT in each of them, and has the names of its kernel', async () => {
    const file = newPlace();
    const script = join(scratch, 'hot.cjs');
    writeFileSync(
      script,
      `const { statSync, writeFileSync } = require('node:fs');
       function hot(n) { let s = 0; for (let i = 0; i < n; i++) s += Math.sqrt(i) % 7; return s; }
       function work() { hot(300_000); for (let i = 0; i < 300; i++) statSync('/proc/self/maps'); }
       while (process.cpuUsage().user < 500_000) work();
       writeFileSync(process.argv[2], '');
       for (;;) work();`,
    );
    const begun = join(dirname(file), 'begun');
    const options = ['-g', '-e', 'cpu-clock', '-F', '2000', '--switch-output', '-o', file];
    const { child, ended, reported, progress } = start(options, [process.execPath, script, begun]);
    // The first file, too, is of a program whose functions have run and been compiled.
    await progress(() => existsSync(begun));
    rmSync(begun);
    const hasSamples = (path: string) =>
      (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 450_000;
    for (let complete = 1; complete <= 2; complete++) {
      await progress(() => hasSamples(file));
      child.kill('SIGUSR2');
      await progress(() => reported().split('recorded so far is in').length > complete);
    }
    await progress(() => hasSamples(file));
    child.kill('SIGINT');
    await ended;
    const files = filesOf(file);
    expect(files).toHaveLength(3);
    for (const path of files) {
      const { profile } = await openProfile(path);
      const { names, unnamed } = jitNames(profile);
      expect([...names].join(), path).toContain('hot');
      expect(unnamed, path).toBeLessThan(profile.samples.length / 20);
      const symbols = withRecording(path, (data) => readKernelSymbols(readProvenance(data)));
      expect(Buffer.from(symbols ?? []).toString(), path).toMatch(/ \w*stat\w*$/m);
    }
  });

  it('--switch-max-files keeps that many files', async () => {
    const file = newPlace();
    const loop = `while :; do '${workload}' faults-pinned 1000; done`;
    const options = ['--switch-output=100K', '--switch-max-files', '1', '-o', file];
    const { child, ended, reported, progress } = start(
      ['-e', 'page-faults:u', '-c', '1', ...options],
      ['sh', '-c', loop],
    );
    await progress(() => reported().split('recorded so far is in').length > 2);
    child.kill('SIGINT');
    await ended;
    expect(filesOf(file)).toHaveLength(2);
  });

  it('SIGUSR2 starts a new file with the content of overwritten rings', async () => {
    const file = newPlace();
    const options = ['-e', 'cpu-clock', '-F', '2000', '--overwrite', '-m', '4', '--switch-output'];
    const { child, ended, reported, progress } = start(
      ['-o', file, ...options],
      [workload, 'burn', '1', '300'],
    );
    // By then the rings hold tens of its samples.
    await progress(() => childrenOf(child.pid as number).some((pid) => cpuSecondsOf(pid) >= 0.03));
    child.kill('SIGUSR2');
    await progress(() => reported().includes('recorded so far is in'));
    child.kill('SIGINT');
    await ended;
    const files = filesOf(file);
    expect(files.length).toBeGreaterThanOrEqual(2);
    for (const file of files) expect(infoOf(file)).toMatchObject({ truncatedAt: null });
    expect(samplesIn(files[0])).toBeGreaterThan(0);
  });
});

describeLive('a recording that is overwritten', () => {
  it('--overwrite writes the rings at each SIGUSR2, no sample twice', async () => {
    const file = newPlace();
    const options = ['-e', 'cpu-clock', '-F', '2000', '--overwrite', '-m', '2', '-o', file];
    const { child, ended, reported, progress } = start(options, [
      compileWorkload(),
      'burn',
      '1',
      '300',
    ]);
    await progress(() => reported().includes('--overwrite') && existsSync(file));
    // Two pages hold a hundred samples: more of them than that come from more than one reading.
    let asked = 0;
    await progress(() => {
      if (asked++ % 100 !== 99) return false;
      child.kill('SIGUSR2');
      return samplesIn(file) > 300;
    });
    child.kill('SIGINT');
    await ended;
    const { stdout } = perfTs(['script', '-F', 'cpu,time', '--ns', file]);
    const lines = stdout.split('\n').filter((line) => line !== '');
    expect(new Set(lines).size).toBe(lines.length);
    expect(infoOf(file)).toMatchObject({ truncatedAt: null, skippedBytes: 0 });
  });
});

describeLive('a recording that others control', () => {
  it('--control enables, disables and stops, with acknowledgement', async () => {
    const folder = mkdtempSync(join(scratch, 'control-'));
    const [commands, acks] = [join(folder, 'commands'), join(folder, 'acks')];
    execFileSync('mkfifo', [commands, acks]);
    const file = join(scratch, 'controlled.data');
    const flags = constants.O_RDWR | constants.O_NONBLOCK;
    const [commandFd, ackFd] = [openSync(commands, flags), openSync(acks, flags)];
    const control = ['--control', `fifo:${commands},${acks}`, '-D', '-1'];
    const { ended, reported, progress } = start(
      ['-e', 'cpu-clock', '-F', '2000', ...control, '-o', file],
      [compileWorkload(), 'burn', '1', '300'],
    );
    const acknowledged = async (command: string) => {
      writeSync(commandFd, `${command}\n`);
      const answer = Buffer.alloc(64);
      let text = '';
      await progress(() => {
        try {
          text += answer.toString('utf8', 0, readSync(ackFd, answer));
        } catch {
          // Nothing there yet.
        }
        return text !== '';
      });
      return text;
    };
    expect(await acknowledged('ping')).toBe('ack\n');
    expect(await acknowledged('evlist')).toBe('ack\n');
    expect(await acknowledged('enable')).toBe('ack\n');
    expect(await acknowledged('disable')).toBe('ack\n');
    writeSync(commandFd, 'dance\n');
    await progress(() => reported().includes('unknown command dance'));
    expect(await acknowledged('enable')).toBe('ack\n');
    expect(await acknowledged('stop')).toBe('ack\n');
    await progress(() => reported().includes('samples of cpu-clock'));
    for (const child of running) child.kill('SIGINT');
    await ended;
    closeSync(commandFd);
    closeSync(ackFd);
    expect(reported()).toContain('events: cpu-clock');
    expect(infoOf(file)).toMatchObject({ truncatedAt: null });
  });

  it.each([
    ['file:x', 'expected fd:COMMANDS[,ACK] or fifo:COMMANDS[,ACK]'],
    ['fd:987', 'this descriptor is not open'],
    ['fifo:/etc/passwd', 'this is no FIFO'],
    ['fifo:/none', 'make it first: mkfifo /none'],
  ])('an invalid --control %s is reported', (place, message) => {
    const file = join(scratch, 'wrong.data');
    const marker = join(scratch, 'started');
    const command = ['--', 'touch', marker];
    const { status, stderr } = perfTs(['record', '--control', place, '-o', file, ...command]);
    expect(readdirSync(scratch)).not.toContain('started');
    expect(stderr).toContain(message);
    expect(status).not.toBe(0);
    expect(readdirSync(scratch)).not.toContain('wrong.data');
  });
});
