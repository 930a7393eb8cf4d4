import { expect, test } from 'vitest';
import { limitText, times } from '../../src/period/report/words.ts';

test('the limits of the kernel are told as far as they were stored', () => {
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

test('how often, in words', () => {
  expect([1, 2, 3, 4000].map(times)).toEqual(['once', 'twice', '3 times', '4 000 times']);
});
