// Weights by the threads that ran, beside what the records of context switches come to exactly.

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openProfile } from '../../src/read/open-profile.ts';
import { perfTs, scratchDirectory } from '../helpers/cli.ts';
import { compileWorkload } from '../helpers/compile.ts';
import { describeLive } from '../helpers/live.ts';

const scratch = scratchDirectory();
const FREQ = 4000;

/** A line of `script` about a thread that came, went or ended. */
const RECORD = / (\d+) +\[\d+\] (\d+\.\d+): PERF_RECORD_(?:SWITCH (IN|OUT)|EXIT\(\d+:(\d+)\))/;

/**
 * By tid, the seconds that it was on a CPU, each divided among all that were; and the number of records. A thread whose
 * first record says that it left ran from `begin` on.
 */
function divideTime(text: string, begin: number) {
  const records = text.split('\n').flatMap((line) => {
    const [, tid, time, way, ended] = RECORD.exec(line) ?? [];
    return time === undefined
      ? []
      : [{ tid: Number(ended ?? tid), time: Number(time), isOn: way === 'IN' }];
  });
  const firsts = new Map(records.toReversed().map((record) => [record.tid, record]));
  const running = new Set([...firsts.values()].flatMap(({ tid, isOn }) => (isOn ? [] : [tid])));
  const shares = new Map<number, number>();
  let last = begin;
  for (const { tid, time, isOn } of records) {
    for (const each of running) {
      shares.set(each, (shares.get(each) ?? 0) + (time - last) / running.size);
    }
    last = time;
    if (isOn) running.add(tid);
    else running.delete(tid);
  }
  return { shares, records: records.length };
}

describeLive('weights by the threads that run', () => {
  it('wall weighs each thread by the time that it ran, divided among those that ran with it', async () => {
    const file = join(scratch, 'wall.data');
    const load = compileWorkload();
    const program = `${load} burn 1 0.3; ${load} burn 4 0.3`;
    const rate = ['--freq', String(FREQ), '-e', 'cpu-clock', '--switch-events'];
    const recorded = perfTs(['record', '-q', '-o', file, ...rate, '--', 'sh', '-c', program]);
    expect(recorded.status).toBe(0);
    const shown = ['--show-task-events', '--show-switch-events', '--ns'];
    const { stdout } = perfTs(['script', '-i', file, ...shown]);
    const opened = await openProfile(file);
    const { shares, records } = divideTime(stdout, Number(opened.profile.meta.startTime) / 1e9);
    const report = opened.report({ weight: 'wall' });
    const { threads } = opened.profile;
    const weighed = new Map<number, number>();
    for (const { thread, self } of report.byThread) {
      const { tid } = threads[thread];
      weighed.set(tid, (weighed.get(tid) ?? 0) + self / 1e9);
    }
    expect(weighed.size).toBeGreaterThanOrEqual(5);
    // Between two records as many threads run all the time, and each has a sample too much or too little at most.
    const most = (records + 2 * shares.size) / FREQ;
    for (const [tid, seconds] of weighed) {
      expect(Math.abs(seconds - (shares.get(tid) ?? 0)), `${tid}`).toBeLessThan(most);
    }
    const all = [...shares.values()].reduce((sum, seconds) => sum + seconds, 0);
    expect(Math.abs(report.weight / 1e9 - all)).toBeLessThan(most);
    expect(report.weight).toBeLessThan(opened.report().weight);
  });

  it('wall is the CPU time where one CPU runs one thread at a time', async () => {
    const file = join(scratch, 'one.data');
    const pinned = ['taskset', '-c', '0', compileWorkload(), 'burn', '3', '0.2'];
    const options = ['record', '-q', '-o', file, '--switch-events', '-e', 'cpu-clock'];
    expect(perfTs([...options, '--', ...pinned]).status).toBe(0);
    const opened = await openProfile(file);
    expect(opened.weights('wall').values).toEqual(opened.weights('events').values);
  });
});
