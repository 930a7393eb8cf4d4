import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startStat } from '../../src/counting/stat/stat.ts';
import { openProfile } from '../../src/read/open-profile.ts';
import { live } from '../../src/record/live.ts';
import { record } from '../../src/record/record.ts';
import { startRecording } from '../../src/record/recorder.ts';
import { startTop } from '../../src/tools/top/top.ts';
import { describeLive } from '../helpers/live.ts';
import { scratchDirectory } from '../helpers/scratch.ts';

const scratch = scratchDirectory();
const ABORTED = { name: 'AbortError', code: 'ABORT_ERR' };
/** It never ends by itself. */
const command = ['tail', '-f', '/dev/null'];
const events = ['cpu-clock:u'];

/** The batches that came before the signal are handed out first. */
async function readAll(batches: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of batches);
}

describeLive('an abort signal', () => {
  test('aborted before anything runs rejects, and nothing is started', async () => {
    const signal = AbortSignal.abort(new Error('why'));
    const output = join(scratch, 'never.data');
    await expect(record({ command, events, signal, output })).rejects.toMatchObject({
      ...ABORTED,
      cause: new Error('why'),
    });
    await expect(live({ pids: [process.pid], events, signal }).next()).rejects.toMatchObject(
      ABORTED,
    );
    expect(() => startTop({ command, events, signal })).toThrow(expect.objectContaining(ABORTED));
    await expect(startStat({ command, events, signal }).finished).rejects.toMatchObject(ABORTED);
    await expect(openProfile(output)).rejects.toThrow();
  });

  test('aborted while it records ends the command, and leaves a complete file', async () => {
    const controller = new AbortController();
    const output = join(scratch, 'aborted.data');
    const running = await startRecording({ command, events, output, signal: controller.signal });
    controller.abort();
    await expect(running.finished).rejects.toMatchObject(ABORTED);
    expect(await running.exited).toEqual({ status: 0, signal: 15 });
    const codes = (await openProfile(output)).diagnostics.entries().map(({ code }) => code);
    expect(codes).not.toContain('recording-unfinished');
  });

  test('aborted while the command is waited for, rejects record()', async () => {
    const signal = AbortSignal.timeout(300);
    const output = join(scratch, 'waited.data');
    await expect(record({ command, events, output, durationMs: 1, signal })).rejects.toMatchObject(
      ABORTED,
    );
  });

  test('aborted while batches, tables or counts are waited for', async () => {
    await expect(
      readAll(live({ command, events, signal: AbortSignal.timeout(300) })),
    ).rejects.toMatchObject(ABORTED);
    const tables = new AbortController();
    const top = startTop({ command, events, signal: tables.signal, intervalMs: 600_000 });
    const report = top.reports().next();
    tables.abort();
    await expect(report).rejects.toMatchObject(ABORTED);
    expect(await top.exited).toEqual({ status: 0, signal: 15 });
    const counts = new AbortController();
    const stat = startStat({ command, events: ['page-faults'], signal: counts.signal });
    counts.abort();
    await expect(stat.finished).rejects.toMatchObject(ABORTED);
  });
});

describeLive('await using', () => {
  test('`await using` stops a recording, a count and tables at the end of the block', async () => {
    const output = join(scratch, 'disposed.data');
    const running = await startRecording({ pids: [process.pid], events, output });
    await running[Symbol.asyncDispose]();
    expect((await running.finished).endReason).toBe('stopped');
    const top = startTop({ pids: [process.pid], events });
    await top[Symbol.asyncDispose]();
    expect(top.wasStopped).toBe(true);
    const stat = startStat({ pids: [process.pid], events: ['page-faults'] });
    await stat[Symbol.asyncDispose]();
    expect((await stat.finished).runs).toBe(1);
  });

  /** A shell that takes no notice of SIGTERM, and makes a file once it does not. */
  const deaf = ['sh', '-c', `trap '' TERM; : > ${scratch}/deaf.$$; while :; do sleep 0.1; done`];
  const deafShells = () => readdirSync(scratch).filter((name) => name.startsWith('deaf.')).length;

  test('disposal ends the command of a recording, a count and tables', async () => {
    for (const started of [command, deaf]) {
      const output = join(scratch, 'disposed.data');
      const running = await startRecording({ command: started, events, output });
      const top = startTop({ command: started, events });
      const stat = startStat({ command: started, events: ['page-faults'] });
      if (started === deaf) await expect.poll(deafShells).toBe(3);
      const ends = await Promise.all(
        [running, top, stat].map(async (each) => {
          await each[Symbol.asyncDispose]();
          // It has ended by now: nothing is waited for.
          return Promise.race([each.exited, 'still there']);
        }),
      );
      const signal = started === deaf ? 9 : 15;
      expect(ends).toEqual(Array(3).fill(expect.objectContaining({ signal })));
    }
  });

  test('a loop over live samples that is left ends the command', async () => {
    const mark = `left-${process.pid}`;
    const program = [process.execPath, '-e', 'for (;;);', mark];
    for await (const _ of live({ command: program, events })) break;
    const { stdout } = spawnSync('pgrep', ['-f', mark], { encoding: 'utf8' });
    expect(stdout).toBe('');
  });

  test('errors have a code, and name options of the library', async () => {
    const output = join(scratch, 'failed.data');
    await expect(record({ command: ['/nonexistent'], output })).rejects.toMatchObject({
      name: 'FailedError',
      code: 'ENOENT',
    });
    await expect(record({ command: [scratch], output })).rejects.toMatchObject({ code: 'EACCES' });
    await expect(record({ pids: [4194303], events, output })).rejects.toMatchObject({
      code: 'ESRCH',
    });
    const nowhere = join(scratch, 'nowhere', 'x.data');
    await expect(record({ command, events, output: nowhere })).rejects.toMatchObject({
      code: 'ENOENT',
    });
    await expect(openProfile(nowhere)).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(record({ command, freq: -1, output })).rejects.toMatchObject({
      code: 'ERR_INVALID_ARG_VALUE',
      message: expect.stringMatching(/^freq -1/) as string,
    });
  });
});
