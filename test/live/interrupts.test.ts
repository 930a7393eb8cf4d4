// Ctrl-C, once and more often, and targets that take no notice of it.

import { spawn } from 'node:child_process';
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { findPerf, infoOf, perfStats, scratchDirectory, startPerfTs } from '../helpers/cli.ts';
import { compileWorkload } from '../helpers/compile.ts';
import { describeLive } from '../helpers/live.ts';
import { childrenOf, isAlive, stateOf, until } from '../helpers/tasks.ts';

const scratch = scratchDirectory();
const leftovers: number[] = [];
afterEach(() => {
  for (const pid of leftovers.splice(0)) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
});

const FAULTS = ['-e', 'page-faults', '-c', '1'];
const CLOSING_LINE = /perf-ts: .* samples of page-faults, (?:none )?lost/;

/** Expects a file with all its parts: rounds up to the end, and the sections behind them. */
function expectWhole(file: string): void {
  const info = infoOf(file);
  expect(info).toMatchObject({ truncatedAt: null, skippedBytes: 0 });
  expect(info.features).toContain('CMDLINE');
  expect(info.records.SAMPLE).toBeGreaterThan(0);
  if (findPerf()) expect(perfStats(file).SAMPLE).toBe(info.records.SAMPLE);
}

/** Starts a recording in a session of its own; resolves when the file grows. */
async function startRecording(file: string, target: readonly string[]) {
  // An earlier try's would be taken for it.
  rmSync(file, { force: true });
  const running = startPerfTs(['record', ...FAULTS, '-o', file, ...target], { detached: true });
  await until(() => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 100_000);
  leftovers.push(running.pid, ...childrenOf(running.pid));
  return running;
}

describeLive('interrupting a recording', () => {
  const workload = compileWorkload();

  it.each([
    ['once', 1, 0],
    ['twice within 50 ms', 2, 50],
    ['five times at once', 5, 0],
    ['three times within half a second', 3, 200],
    ['every 7 ms to the end of the process', 200, 7],
  ])('%s from a terminal leaves a complete file', async (_name, times, pauseMs) => {
    const file = join(scratch, `int-${times}-${pauseMs}.data`);
    const running = await startRecording(file, ['--', workload, 'pf', '0', '60']);
    for (let i = 0; i < times; i++) {
      try {
        process.kill(-running.pid, 'SIGINT');
      } catch (error) {
        // The group has ended before the last interrupts.
        expect((error as NodeJS.ErrnoException).code).toBe('ESRCH');
      }
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    expect(await running.ended).toMatchObject({ status: 130 });
    expectWhole(file);
  });

  it('an interrupt completes the file while a command that ignores it runs on; a second one quits', async () => {
    const file = join(scratch, 'ignored.data');
    const deaf = ['sh', '-c', `trap '' INT TERM; exec '${workload}' pf 0 60`];
    const running = await startRecording(file, ['--', ...deaf]);
    const command = childrenOf(running.pid)[0];
    running.child.kill('SIGINT');
    await until(() => CLOSING_LINE.test(running.stderr()));
    expectWhole(file);
    expect([isAlive(running.pid), isAlive(command)]).toEqual([true, true]);
    running.child.kill('SIGINT');
    expect(await running.ended).toMatchObject({ status: 130 });
    expect(isAlive(command)).toBe(true);
  });

  it('an interrupt completes the file while a command that is stopped cannot end', async () => {
    const file = join(scratch, 'stopped.data');
    const running = await startRecording(file, ['--', workload, 'pf', '0', '60']);
    const command = childrenOf(running.pid)[0];
    process.kill(command, 'SIGSTOP');
    await until(() => stateOf(command) === 'T');
    running.child.kill('SIGINT');
    await until(() => CLOSING_LINE.test(running.stderr()));
    expectWhole(file);
    process.kill(command, 'SIGCONT');
    expect(await running.ended).toMatchObject({ status: 130 });
  });

  it('an interrupt ends an attached recording of a stopped process, which stays as it is', async () => {
    const file = join(scratch, 'attached.data');
    const target = spawn(workload, ['pf', '0', '60'], { stdio: 'ignore' });
    const pid = target.pid as number;
    leftovers.push(pid);
    const running = await startRecording(file, ['-p', String(pid)]);
    process.kill(pid, 'SIGSTOP');
    await until(() => stateOf(pid) === 'T');
    running.child.kill('SIGINT');
    expect(await running.ended).toMatchObject({ status: 0 });
    expectWhole(file);
    expect(stateOf(pid)).toBe('T');
  });
});
