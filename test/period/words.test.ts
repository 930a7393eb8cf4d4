import { expect, test } from 'vitest';
import { adviceFor } from '../../src/period/report/advice.ts';
import { reportPeriods } from '../../src/period/report/report.ts';
import { limitText, times, verdictText } from '../../src/period/report/words.ts';
import { type DrawnSample, everyNs, PAGE_FAULTS, recordingOf } from './recording.ts';

test("the kernel's limits are printed as far as they were stored", () => {
  const all = { maxSampleRate: 100_000, maxSampleRateAfter: 100_000, cpuTimeMaxPercent: 25 };
  expect(limitText(all)).toEqual({
    text: 'kernel.perf_event_max_sample_rate 100 000 Hz before and after, perf_cpu_time_max_percent 25',
    isLowered: false,
  });
  expect(limitText({ ...all, maxSampleRateAfter: null, cpuTimeMaxPercent: null })).toEqual({
    text: 'kernel.perf_event_max_sample_rate 100 000 Hz',
    isLowered: false,
  });
  expect(limitText({ ...all, maxSampleRateAfter: 50_000 })).toEqual({
    text: 'The kernel lowered kernel.perf_event_max_sample_rate from 100 000 to 50 000 Hz meanwhile.',
    isLowered: true,
  });
  expect(limitText({ ...all, maxSampleRate: null })).toBeNull();
});

test('counts of times as words', () => {
  expect([1, 2, 3, 4000].map(times)).toEqual(['once', 'twice', '3 times', '4 000 times']);
});

test('a settled period of 1 is put down to rare events only where they are rarer than asked', () => {
  const verdictAt = (intervalNs: number) => {
    const periods = new Array(2000).fill(1);
    const [event] = reportPeriods(recordingOf([PAGE_FAULTS], everyNs(intervalNs, periods))).events;
    return verdictText(event, event.streams[0]);
  };
  expect(verdictAt(1e6)).toBe('rarer than the rate asked: every event is a sample');
  expect(verdictAt(1e5)).toBe(
    'more often than the rate asked, but the period stays at 1: every event is a sample',
  );
});

test('a period that is never at rest is judged by whether samples came at the rate asked', () => {
  // A rate that grows hundredfold in a second, and a period that grows with it or stays behind.
  const verdictOf = (exponent: number) => {
    const samples: DrawnSample[] = [];
    for (let timeNs = 0, i = 0; i < 2000; i++) {
      const rate = 5000 * 20 * 100 ** (i / 2000);
      const period = Math.round(20 * (rate / 100_000) ** exponent);
      timeNs += (period / rate) * 1e9;
      samples.push({ timeNs, period });
    }
    const [event] = reportPeriods(recordingOf([PAGE_FAULTS], samples)).events;
    return verdictText(event, event.streams[0]);
  };
  expect(verdictOf(1)).toMatch(
    /^never at rest, \d+ to .*: it followed the event rate \(5 0\d\d Hz of 5 000 Hz/,
  );
  expect(verdictOf(0.5)).toMatch(/^never at rest, \d+ to \d+: it lagged behind the event rate/);
});

test('few effective samples leave a share between 0 and 100 %', () => {
  const periods = [1_000_000, ...new Array(63).fill(1)];
  const [event] = reportPeriods(recordingOf([PAGE_FAULTS], everyNs(1e6, periods))).events;
  const advice = adviceFor(event).join(' ');
  const points = Number(/50% is ±(\d+) points/.exec(advice)![1]);
  expect(points).toBeGreaterThan(30);
  expect(points).toBeLessThan(50);
});

test('samples in step are given one period or rate, not a second one nearby', () => {
  const periods = new Array(2000).fill(100);
  const [event] = reportPeriods(recordingOf([PAGE_FAULTS], everyNs(1e6, periods))).events;
  expect(adviceFor(event).join(' ')).toContain('would sample');
  const inStep = { kind: 'cycle', every: 3, repeats: 600 } as const;
  const advice = adviceFor({ ...event, inStep }).join(' ');
  expect(advice).toMatch(/record with -F \d+/);
  expect(advice).not.toContain('would sample');
});
