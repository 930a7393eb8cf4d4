import { readFileSync } from 'node:fs';
import type { PeriodInput } from '../../src/period/types.ts';
import type { ProfileEvent } from '../../src/profile/types.ts';

/** One sample as a test draws it. Left out: stream 0, thread 0, CPU 0, count not read. */
export type DrawnSample = {
  readonly timeNs: number;
  readonly period: number;
  readonly count?: number;
  readonly running?: number;
  readonly event?: number;
  readonly stream?: number;
  readonly thread?: number;
  readonly cpu?: number;
};

export const PAGE_FAULTS: ProfileEvent = {
  name: 'page-faults',
  type: 1,
  mode: 'frequency',
  frequencyHz: 5000,
  fixedPeriod: null,
  unit: 'events',
};

export const CYCLES: ProfileEvent = { ...PAGE_FAULTS, name: 'cycles', type: 0, frequencyHz: 4000 };

export const CPU_CLOCK: ProfileEvent = {
  name: 'cpu-clock',
  type: 1,
  mode: 'clock',
  frequencyHz: 30_000,
  fixedPeriod: null,
  unit: 'nanoseconds',
};

/** An input of these samples; threads and streams are numbered 100…, '10'…. */
export function recordingOf(
  events: readonly ProfileEvent[],
  drawn: readonly DrawnSample[],
  more: Partial<PeriodInput> = {},
): PeriodInput {
  const column = (value: (sample: DrawnSample) => number) => drawn.map(value);
  const highest = (values: number[]) => values.reduce((a, b) => Math.max(a, b), -1);
  const streams = column((sample) => sample.stream ?? 0);
  const threads = column((sample) => sample.thread ?? 0);
  return {
    events,
    streams: Array.from({ length: highest(streams) + 1 }, (_, i) => ({ streamId: `${10 + i}` })),
    threads: Array.from({ length: highest(threads) + 1 }, (_, i) => ({ tid: 100 + i })),
    samples: {
      length: drawn.length,
      event: Int32Array.from(column((sample) => sample.event ?? 0)),
      stream: Int32Array.from(streams),
      thread: Int32Array.from(threads),
      cpu: Int32Array.from(column((sample) => sample.cpu ?? 0)),
      timeNs: Float64Array.from(column((sample) => sample.timeNs)),
      periodEvents: Float64Array.from(column((sample) => sample.period)),
      count: Float64Array.from(column((sample) => sample.count ?? Number.NaN)),
      runningNs: Float64Array.from(column((sample) => sample.running ?? Number.NaN)),
    },
    ...more,
  };
}

/** Samples whose periods are given, one every `intervalNs`. */
export function everyNs(intervalNs: number, periods: readonly number[]): DrawnSample[] {
  return periods.map((period, i) => ({ timeNs: i * intervalNs, period }));
}

/** The rows of a file in fixtures/. */
export function fixtureSamples(name: string): DrawnSample[] {
  const text = readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .map((line) => {
      const [timeNs, period, count, running, stream = 0, thread = 0] = line.split('\t').map(Number);
      return { timeNs: timeNs, period: period, count: count, running: running, stream, thread };
    });
}

/** The same samples without what `PERF_SAMPLE_READ` adds, as most files have them. */
export function withoutReads(samples: readonly DrawnSample[]): DrawnSample[] {
  return samples.map(({ count: _count, running: _running, ...sample }) => sample);
}
