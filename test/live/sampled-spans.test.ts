import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { secondsOf } from '../../src/profile/analysis/diff-measure.ts';
import type { TimeRange } from '../../src/profile/time-range.ts';
import { openProfile } from '../../src/read/open-profile.ts';
import { record } from '../../src/record/record.ts';
import { startRecording } from '../../src/record/recorder.ts';
import { describeLive } from '../helpers/live.ts';
import { usableCpus } from '../helpers/tasks.ts';

const scratch = mkdtempSync(join(tmpdir(), 'perf-ts-spans-'));
afterAll(() => rmSync(scratch, { recursive: true }));

/** CPU time: on a busy machine as much of it is left behind a delay. */
const SPIN = [
  process.execPath,
  '-e',
  'while (process.cpuUsage().user < 1.2e6) for (let i = 0; i < 1e5; i++);',
];

const isWithin = ({ fromNs, toNs }: TimeRange, time: number) => time >= fromNs && time <= toNs;

describeLive('time in which the events of a recording were enabled', () => {
  it('a delayed recording begins after the delay, and the time before is no idle time', async () => {
    const output = join(scratch, 'delayed.data');
    await record({ command: SPIN, events: ['cpu-clock:u'], freq: 997, delayMs: 600, output });
    const { profile } = await openProfile(output);
    const [span, ...others] = profile.meta.sampled ?? [];
    expect(others).toEqual([]);
    const { timeNs, length } = profile.samples;
    expect(span.fromNs).toBeLessThan(timeNs[0]);
    expect(span.toNs).toBeGreaterThan(timeNs[length - 1]);
    expect(span.fromNs).toBeGreaterThan(500e6);
    const seconds = secondsOf(profile) ?? 0;
    expect(seconds).toBeCloseTo((timeNs[length - 1] - span.fromNs) / 1e9, 6);
  });

  it('an overwritten recording begins with what its ring still held', async () => {
    const output = join(scratch, 'overwritten.data');
    const options = { events: ['cpu-clock:u'], freq: 1997, overwrite: true, ringPages: 1 };
    await record({ command: SPIN, ...options, output });
    const { profile } = await openProfile(output);
    const { timeNs, length } = profile.samples;
    const spans = profile.meta.sampled ?? [];
    expect(spans).toHaveLength(1);
    expect(spans[0].fromNs).toBe(timeNs[0]);
    expect(spans[0].toNs).toBeGreaterThan(timeNs[length - 1]);
  });

  it('an overwritten recording has a gap behind each snapshot that the next one does not reach back to', async () => {
    const output = join(scratch, 'snapshots.data');
    // The ring of a CPU that it left would still hold what it did there.
    const pinned = ['taskset', '-c', `${usableCpus()[0]}`, ...SPIN];
    const running = await startRecording({
      command: pinned,
      ...{ events: ['cpu-clock:u'], freq: 1997, overwrite: true, ringPages: 1, output },
    });
    await sleep(400);
    running.snapshot();
    await running.finished;
    const { profile } = await openProfile(output);
    const spans = profile.meta.sampled ?? [];
    expect(spans).toHaveLength(2);
    const times = Array.from(profile.samples.timeNs);
    for (const { fromNs } of spans) expect(times).toContain(fromNs);
    // Samples between a snapshot and its news were overwritten, too.
    expect(times.filter((time) => !spans.some((span) => isWithin(span, time)))).toEqual([]);
    const gapNs = spans[1].fromNs - spans[0].toNs;
    expect(gapNs).toBeGreaterThan(times[times.length - 1] - spans[1].fromNs);
  });

  it('a controlled recording has a gap between disable and enable', async () => {
    const output = join(scratch, 'disabled.data');
    const running = await startRecording({
      command: SPIN,
      events: ['cpu-clock:u'],
      freq: 997,
      output,
    });
    await sleep(300);
    running.disable();
    const disabledMs = performance.now();
    await sleep(300);
    const leastNs = (performance.now() - disabledMs) * 1e6;
    running.enable();
    await running.finished;
    const { profile } = await openProfile(output);
    const [before, behind, ...others] = profile.meta.sampled ?? [];
    expect(others).toEqual([]);
    const isInGap = (time: number) => time > before.toNs && time < behind.fromNs;
    expect(Array.from(profile.samples.timeNs).filter(isInGap)).toEqual([]);
    // Each end is read within the microseconds around its call.
    expect(behind.fromNs - before.toNs).toBeGreaterThan(leastNs - 1e6);
  });
});
