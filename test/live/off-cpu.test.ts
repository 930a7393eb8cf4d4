// How long threads are off the CPU, beside what a program says of itself by its own clocks.

import { execFileSync, spawn } from 'node:child_process';
import {
  closeSync,
  constants,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Profile } from '../../src/profile/types.ts';
import { type OpenedProfile, openProfile } from '../../src/read/open-profile.ts';
import { perfTs, scratchDirectory, startPerfTs } from '../helpers/cli.ts';
import { compileRunnable, compileWaits, compileWorkload } from '../helpers/compile.ts';
import { describeLive } from '../helpers/live.ts';
import { childrenOf, stateOf, until } from '../helpers/tasks.ts';

const scratch = scratchDirectory();
const TIMES = 20;

/** Records the program that waits. Returns what it says of its thread, and the profile. */
async function record(
  name: string,
  options: readonly string[],
  program: readonly string[] = [compileWaits(), String(TIMES)],
) {
  const file = join(scratch, `${name}.data`);
  const command = ['--', ...program];
  const outcome = perfTs(['record', '-q', '-o', file, ...options, ...command]);
  expect(outcome.stderr).toBe('');
  expect(outcome.status).toBe(0);
  const reported = [...outcome.stdout.matchAll(/(\w+) (-?\d+)/g)].map(([, key, value]) => [
    key,
    +value,
  ]);
  return { reported: Object.fromEntries(reported), opened: await openProfile(file), file };
}

type Wait = { readonly name: string; readonly ns: number };

/** The waits of the thread "waiter", with the names of their leaves. */
function waitsOf({ profile }: OpenedProfile, event: number): Wait[] {
  const { samples, threads } = profile;
  const waits: Wait[] = [];
  for (let row = 0; row < samples.length; row++) {
    if (samples.event[row] !== event) continue;
    if (threads[samples.thread[row]]?.comm !== 'waiter') continue;
    waits.push({ name: leafOf(profile, row), ns: samples.periodEvents[row] });
  }
  return waits;
}

function leafOf({ samples, stacks, frames, funcs, strings }: Profile, row: number): string {
  const frame = stacks.frame[samples.stack[row]];
  return strings[funcs.name[frames.func[frame]]];
}

/** Whether a process is `cat` and waits for its input. */
function isReading(pid: number): boolean {
  try {
    const [comm, wait] = ['comm', 'wchan'].map((name) =>
      readFileSync(`/proc/${pid}/${name}`, 'utf8'),
    );
    return comm === 'cat\n' && /pipe_read/.test(wait ?? '');
  } catch {
    return false;
  }
}

const isWoken = (name: string) => name.startsWith('[woken by ');
const sum = (waits: readonly Wait[]) => waits.reduce((total, { ns }) => total + ns, 0);

describeLive('a recording of waits', () => {
  it('--off-cpu has every wait, as long as the thread measured it', async () => {
    const { reported, opened } = await record('only', ['--off-cpu=only']);
    expect(opened.profile.events.map(({ name }) => name)).toEqual(['off-cpu']);
    const waits = waitsOf(opened, 0);
    const switches = waits.filter(({ name }) => !isWoken(name)).length;
    // The kernel counts a switch when it is over: the thread's last one is not in its own count.
    expect(switches - reported.switches).toBeGreaterThanOrEqual(0);
    expect(switches - reported.switches).toBeLessThanOrEqual(1);
    // On the CPU or off it, a thread is always one of them.
    expect((sum(waits) + reported.cpu) / reported.wall).toBeGreaterThan(0.97);
    expect((sum(waits) + reported.cpu) / reported.wall).toBeLessThan(1.03);

    if (reported.ran > 0) {
      expect((sum(waits) + reported.ran) / reported.wall).toBeGreaterThan(0.97);
      expect((sum(waits) + reported.ran) / reported.wall).toBeLessThan(1.03);
      // Ready and without a CPU is a part of each wait.
      expect(reported.delayed).toBeLessThan(sum(waits));
    }

    const sleeping = waits.filter(({ name }) => name.startsWith('[S sleeping in '));
    const ways = { sleep: /nanosleep/, pipe: /pipe_read/, futex: /futex/ };
    for (const [way, pattern] of Object.entries(ways)) {
      const those = sleeping.filter(({ name }) => pattern.test(name));
      expect(those.length, way).toBeGreaterThanOrEqual(TIMES / 2);
      expect(those.length, way).toBeLessThanOrEqual(TIMES);
      // A wait lies within the call that the program measured.
      expect(sum(those), way).toBeLessThanOrEqual(reported[way]);
      expect(sum(those), way).toBeGreaterThan((reported[way] - reported.delayed) * 0.7);
    }
    expect(sleeping.length).toBeLessThanOrEqual(3 * TIMES);
  });

  it('--off-cpu separates waiting from being runnable, and names the waker', async () => {
    const rounds = 20;
    const program = [compileRunnable(), String(rounds), '3'];
    const { reported, opened, file } = await record('runnable', ['--off-cpu=only'], program);
    expect(opened.profile.events.map(({ name }) => name)).toEqual(['off-cpu']);
    const waits = waitsOf(opened, 0);
    const woken = waits.filter(({ name }) => /^\[woken by waker\/\d+\]$/.test(name));
    const blocked = waits.filter(({ name }) => /^\[S sleeping in \w*pipe_read\]$/.test(name));
    // It sleeps in each round but where the waker was faster.
    expect(woken.length).toBeGreaterThan(rounds * 0.8);
    // The waker may also release a lock that the thread waits for when it starts or ends.
    const elsewhere = waits.filter(
      ({ name }) => /^\[[SD] /.test(name) && !name.includes('pipe_read'),
    );
    expect(woken.length).toBeLessThanOrEqual(rounds + elsewhere.length);
    // From the wake-up on it is as late as it says itself; before, nothing was sent. The waker may lose
    // its CPU between reading the clock and writing, which only makes it later.
    expect(sum(woken) / reported.late).toBeGreaterThan(0.3);
    expect(sum(woken) / reported.late).toBeLessThan(1.02);
    expect(sum(blocked)).toBeGreaterThan(rounds * 0.8 * 20e6);
    expect(sum(blocked)).toBeLessThan(reported.wall - sum(woken));
    const folded = ['export', '--format', 'folded', '-o', '-', '--comm', 'waiter', file];
    expect(perfTs(folded).stdout).toMatch(/;\[R runnable\];\[woken by waker\/\d+\] \d+$/m);
    // Without them a wait lasts until the thread has a CPU.
    const less = await record('no-wakes', ['--off-cpu=only', '--no-wake-ups'], program);
    expect(waitsOf(less.opened, 0).filter(({ name }) => isWoken(name))).toEqual([]);
  });

  it('--off-cpu names a waker that is not recorded', async () => {
    const file = join(scratch, 'woken.data');
    const fifo = join(scratch, 'fifo');
    rmSync(fifo, { force: true });
    execFileSync('mkfifo', [fifo]);
    // Both ends: the reader is there before anybody writes.
    const fd = openSync(fifo, constants.O_RDWR);
    const options = ['record', '-q', '--off-cpu=only', '-o', file];
    const { pid, ended } = startPerfTs([...options, '--', 'cat', fifo]);
    await until(() => childrenOf(pid).some(isReading));
    writeSync(fd, 'x');
    closeSync(fd);
    expect((await ended).status).toBe(0);
    const cat = await openProfile(file);
    const ofCat = Array.from(cat.profile.samples.stack, (_, row) => leafOf(cat.profile, row));
    expect(ofCat.join()).toMatch(/\[woken by tid \d+\]/);
  });

  it('--off-cpu recognizes a wake-up by a timer', async () => {
    const file = join(scratch, 'slept.data');
    // On a CPU that is not idle: idle ones of some virtual machines send no samples at all.
    const busy = spawn('taskset', ['-c', '0', 'sh', '-c', 'while :; do :; done']);
    try {
      await until(() => stateOf(busy.pid as number) === 'R');
      const options = ['record', '-q', '--off-cpu=only', '-o', file];
      const command = ['taskset', '-c', '0', 'sleep', '0.1'];
      expect(perfTs([...options, '--', ...command]).status).toBe(0);
    } finally {
      busy.kill();
    }
    const { profile } = await openProfile(file);
    const leaves = Array.from(profile.samples.stack, (_, row) => leafOf(profile, row));
    expect(leaves.join()).toMatch(/\[S sleeping in \w*nanosleep\w*\].*\[woken by an interrupt\]/);
  });

  it('--off-cpu and on-CPU samples have the same unit', async () => {
    const { reported, opened, file } = await record('both', ['--off-cpu', '-g', '-F', '2000']);
    const { events, samples } = opened.profile;
    expect(events.map(({ name, unit }) => [name, unit])).toEqual([
      ['cpu-clock', 'nanoseconds'],
      ['off-cpu', 'nanoseconds'],
    ]);
    for (const weight of ['events', 'time', 'period'] as const) {
      const { values, unit } = opened.weights(weight);
      expect(unit).toBe('nanoseconds');
      for (let row = 0; row < samples.length; row++) {
        if (samples.event[row] === 1) expect(values[row]).toBe(samples.periodEvents[row]);
      }
    }
    const waited = sum(waitsOf(opened, 1));
    expect((waited + reported.cpu) / reported.wall).toBeGreaterThan(0.97);
    expect((waited + reported.cpu) / reported.wall).toBeLessThan(1.03);
    const joined = await openProfile(file, { join: true });
    expect(joined.profile.events.map(({ name }) => name)).toEqual(['cpu-clock + off-cpu']);
    expect(joined.profile.samples.length).toBe(samples.length);
    for (const weight of ['events', 'time'] as const) {
      expect(joined.weights(weight).values).toEqual(opened.weights(weight).values);
    }
    const folded = ['export', '--format', 'folded', '-e', 'off-cpu', '-o', '-', file];
    expect(perfTs(folded).stdout).toMatch(/;\[S sleeping in \w*nanosleep\w*\] \d+$/m);
    expect(perfTs(['report', '--join', file]).stdout).toContain(' · cpu-clock + off-cpu: ');
    const report = perfTs(['report', '-e', 'off-cpu', file]).stdout;
    expect(report).toContain('[S sleeping in ');
    expect(report).toMatch(/ · off-cpu: .* off the CPU, none lost$/m);
  });

  it('--off-cpu -a leaves out idle CPUs', async () => {
    const { opened } = await record('system', ['--off-cpu=only', '-a']);
    const { samples, threads } = opened.profile;
    expect(samples.length).toBeGreaterThan(3 * TIMES);
    for (let row = 0; row < samples.length; row++) {
      expect(threads[samples.thread[row]]?.tid).not.toBe(0);
    }
  });

  it('--off-cpu has threads that sleep during the whole recording', async () => {
    const file = join(scratch, 'asleep.data');
    const program = spawn(compileWorkload(), ['waiting', '3', '600'], { stdio: 'ignore' });
    const pid = program.pid as number;
    try {
      const threads = () => readdirSync(`/proc/${pid}/task`).map(Number);
      // The main thread waits for the others, and two of these sleep.
      await until(
        () =>
          threads().length === 4 && threads().filter((tid) => stateOf(tid) === 'S').length === 3,
      );
      const asleep = threads().filter((tid) => stateOf(tid) === 'S');
      const words = ['record', '--off-cpu=only', '-g', '-o', file, '-p', `${pid}`];
      const { status, stderr } = perfTs([...words, '--duration', '0.2']);
      expect(status).toBe(0);
      expect(stderr).toContain('off-cpu: 3 threads were asleep when the recording began');
      const opened = await openProfile(file);
      const { samples, threads: known } = opened.profile;
      const event = opened.eventIndex('off-cpu');
      const waits = [...opened.samplesOf(event)].filter((row) =>
        asleep.includes(known[samples.thread[row]].tid),
      );
      expect(waits.map((row) => known[samples.thread[row]].tid).sort()).toEqual(asleep.sort());
      // All of them began at one moment, and lasted to the end.
      const weights = new Set(waits.map((row) => samples.periodEvents[row]));
      expect(weights.size).toBe(1);
      expect([...weights][0]).toBeGreaterThan(0);
      for (const row of waits)
        expect(leafOf(opened.profile, row)).toMatch(/^\[S sleeping in \w+\]$/);
    } finally {
      program.kill('SIGKILL');
    }
  });
});
