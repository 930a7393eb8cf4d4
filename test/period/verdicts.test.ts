// Recordings whose behaviour is known, and what is to be said of them.

import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { reportPeriods } from '../../src/period/report/report.ts';
import type { StreamReport } from '../../src/period/report/stream-report.ts';
import { simulate } from './controller-simulator.ts';
import {
  CPU_CLOCK,
  CYCLES,
  type DrawnSample,
  everyNs,
  fixtureSamples,
  PAGE_FAULTS,
  recordingOf,
  withoutReads,
} from './recording.ts';

const largestOf = (samples: readonly DrawnSample[], event = PAGE_FAULTS): StreamReport =>
  reportPeriods(recordingOf([event], samples)).events[0].streams[0];
const faults = (frequencyHz: number) => ({ ...PAGE_FAULTS, frequencyHz });
const cycles = (frequencyHz: number) => ({ ...CYCLES, frequencyHz });

const RECORDED = [
  ['page-faults-5000hz.tsv', faults(5000), 'converged'],
  ['page-faults-5000hz-inherited.tsv', faults(5000), 'converged'],
  ['page-faults-500hz-sleeps.tsv', faults(500), 'converged'],
  ['page-faults-500hz-rare-phases.tsv', faults(500), 're-ramped'],
  [
    'sys-enter-5000hz.tsv',
    { ...faults(5000), name: 'raw_syscalls:sys_enter', type: 2 },
    'converged',
  ],
] as const;

test.each(RECORDED)('%s', (file, event, verdict) => {
  expect(largestOf(fixtureSamples(file), event).verdict).toBe(verdict);
});

const ARM64 = readdirSync(new URL('./fixtures', import.meta.url))
  .filter((name) => /^arm64-.*cycles-\d+hz(-no-counts)?\.tsv$/.test(name))
  .map((name) => [name, Number(/(\d+)hz/.exec(name)![1])] as const);

// Sleep leaves the period alone, and a cycle takes as long in every phase.
test.each(ARM64)('%s: converged, and sleep is idle', (file, hz) => {
  const samples = fixtureSamples(file);
  const isCounted = samples.some((sample) => sample.count! > 0);
  const stream = largestOf(isCounted ? samples : withoutReads(samples), cycles(hz));
  expect(stream.verdict).toBe('converged');
  expect(stream.idle.gaps).toBeGreaterThan(0);
  expect(stream.phases).toEqual([]);
  // Of 10 kHz one sleep is of 15 ms, too short to be told from a slow stretch.
  expect(stream.steady!.hz / hz).toBeGreaterThan(hz === 10_000 ? 0.75 : 0.9);
  expect(stream.steady!.hz / hz).toBeLessThan(1.1);
});

const BUSY = { durationNs: 200e6, eventsPerSecond: 450_000 };

test('an even rate converges, without a phase', () => {
  const stream = largestOf(simulate([BUSY], { frequencyHz: 5000, rule: 'next' }));
  expect(stream).toMatchObject({ verdict: 'converged', phases: [], reRamps: [] });
});

test('phases: converged, with each of them', () => {
  const slow = { durationNs: 200e6, eventsPerSecond: 90_000 };
  const stream = largestOf(simulate([BUSY, slow, BUSY], { frequencyHz: 5000, rule: 'next' }));
  expect(stream.verdict).toBe('converged');
  expect(stream.phases.map(({ eventRateHz }) => Math.round(eventRateHz / 10_000) * 10_000)).toEqual(
    [450_000, 90_000, 450_000],
  );
});

test('sleep: converged, idle', () => {
  const asleep = { durationNs: 300e6, eventsPerSecond: 0, asleep: true };
  const stream = largestOf(simulate([BUSY, asleep, BUSY], { frequencyHz: 5000, rule: 'next' }));
  expect(stream).toMatchObject({ verdict: 'converged', idle: { gaps: 1 }, reRamps: [] });
});

test('rare events on a busy CPU: re-ramped, after a gap', () => {
  const rare = { durationNs: 120e6, eventsPerSecond: 200 };
  const stream = largestOf(simulate([BUSY, rare, BUSY], { frequencyHz: 5000, rule: 'next' }));
  expect(stream.verdict).toBe('re-ramped');
  expect(stream.reRamps.map((ramp) => ramp.cause)).toContain('gap');
});

test('a handful of samples: too short', () => {
  const short = { durationNs: 1e6, eventsPerSecond: 450_000 };
  expect(largestOf(simulate([short], { frequencyHz: 5000, rule: 'next' })).verdict).toBe(
    'too-short',
  );
});

test('a clock, also one that comes late: fixed', () => {
  const periods = Array.from({ length: 60 }, () => 33_333);
  expect(largestOf(everyNs(33_333, periods), CPU_CLOCK).verdict).toBe('fixed');
  expect(largestOf(everyNs(90_000, periods), CPU_CLOCK).verdict).toBe('fixed');
});

test('a thread that goes from CPU to CPU: a stream on each, begun by migration', () => {
  const drawn: DrawnSample[] = [];
  for (let stay = 0; stay < 4; stay++) {
    const samples = simulate([{ durationNs: 100e6, eventsPerSecond: 450_000 }], {
      frequencyHz: 5000,
      rule: 'next',
    });
    for (const { timeNs, period } of samples) {
      drawn.push({ timeNs: timeNs + stay * 100e6, period, stream: stay, cpu: stay });
    }
  }
  const [event] = reportPeriods(recordingOf([PAGE_FAULTS], drawn)).events;
  expect(event.verdicts).toEqual({ converged: { streams: 4, samples: drawn.length } });
  expect(event.migrations).toMatchObject({ count: 3, streams: 3 });
  // Each of them climbs from 1 as the first one does.
  const settle = event.streams[0].settleSamples!;
  expect(event.migrations.rampSamples).toBe(3 * settle);
  expect(event.rampShare!.samples).toBeCloseTo((4 * settle) / drawn.length, 12);
});
