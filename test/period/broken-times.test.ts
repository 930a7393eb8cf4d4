import { expect, test } from 'vitest';
import { reportPeriods } from '../../src/period/report/report.ts';
import { PAGE_FAULTS, recordingOf } from './recording.ts';

test('an interval of centuries from a damaged recording is reported fast', () => {
  const samples = Array.from({ length: 200 }, (_, i) => ({
    timeNs: (i < 100 ? 0 : 2 ** 62) + i * 1_000_000,
    period: 100 + (i % 7),
    stream: 0,
  }));
  const [event] = reportPeriods(recordingOf([PAGE_FAULTS], samples)).events;
  expect(event.samples).toBe(200);
  expect(event.streams[0].model).not.toBeNull();
});
