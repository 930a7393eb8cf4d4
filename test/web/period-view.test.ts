import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { finish } from '../../src/base/slices.ts';
import { openProfile } from '../../src/read/open-profile.ts';
import { describePageProfile } from '../../src/read/outputs/describe-page-profile.ts';
import { describePageReport } from '../../src/read/outputs/describe-page-report.ts';
import { idleAfter } from '../../web/src/period/idle.ts';
import { momentAt, stepFrom } from '../../web/src/period/moment.ts';
import { ValueScale } from '../../web/src/period/value-scale.ts';
import { computePeriods } from '../../web/src/worker/time/time-period.ts';
import { CORPORA, hasCorpora } from '../helpers/corpora.ts';
import { pageOf, pageOfPeriods } from '../helpers/page-of.ts';
import { profileFromText } from '../helpers/profile-from-text.ts';

const WHOLE = { event: 0, stream: null, fromNs: null, toNs: null };

test('few periods are drawn one by one, and only those of the window', () => {
  const page = pageOfPeriods([1, 1, 4, 20, 80, 100, 100, 100]);
  const { shown } = finish(computePeriods(page, { ...WHOLE, fromNs: 2e6, toNs: 5e6 }));
  expect(Array.from(shown?.period.timeNs ?? [])).toEqual([2e6, 3e6, 4e6]);
  expect(Array.from(shown?.period.middle ?? [])).toEqual([4, 20, 80]);
  expect(shown?.period.samplesPerRow).toBe(1);
});

test('many periods are drawn as medians that keep the extremes', () => {
  const periods = Array.from({ length: 10_000 }, (_, i) =>
    i === 5000 ? 1 : i === 7000 ? 9999 : 100,
  );
  const { shown } = finish(computePeriods(pageOfPeriods(periods), WHOLE));
  const { low, middle, high, samplesPerRow } = shown!.period;
  expect(samplesPerRow).toBe(3);
  expect(low.length).toBe(Math.ceil(10_000 / 3));
  expect(Math.min(...low)).toBe(1);
  expect(Math.max(...high)).toBe(9999);
  expect(middle.every((period) => period === 100)).toBe(true);
});

test('period view rates are per second, absent where nothing was sampled', () => {
  const page = pageOfPeriods(Array.from({ length: 1000 }, () => 50));
  const { rate } = finish(computePeriods(page, { ...WHOLE, fromNs: 0, toNs: 2e9 })).shown!;
  const half = rate.hz.length / 2;
  for (const hz of rate.hz.slice(0, half)) expect(Math.abs(hz - 1000)).toBeLessThanOrEqual(150);
  for (const hz of rate.hz.slice(half)) expect(hz).toBeNaN();
  const events = rate.eventHz.slice(0, half).reduce((sum, hz) => sum + hz, 0) / half;
  expect(events).toBeGreaterThan(45_000);
  expect(events).toBeLessThan(55_000);
});

test('an event without samples has no stream', () => {
  const page = pageOf(profileFromText('main'));
  expect(finish(computePeriods(page, { ...WHOLE, event: 3 }))).toEqual({
    streams: [],
    streamCount: 0,
    shown: null,
  });
});

describe.skipIf(!hasCorpora)('the periods of a recording', () => {
  test.each(['pagefaults-F2000.data', 'group-S-F1000.data', 'sys_enter-F999.data'])(
    'the periods are those of the report: %s',
    async (file) => {
      const opened = await openProfile(join(CORPORA, 'own', file));
      const page = describePageProfile(opened);
      const { events } = describePageReport(opened).periods;
      for (const [event, report] of events.entries()) {
        const { streamCount, streams } = finish(computePeriods(page, { ...WHOLE, event }));
        expect(streamCount).toBe(report.streamCount);
        for (const [rank, own] of report.streams.entries()) {
          const stream = streams[rank].stream;
          const { shown } = finish(computePeriods(page, { ...WHOLE, event, stream }));
          expect(shown?.rank).toBe(rank);
          expect(shown?.report).toEqual({ ...own, model: null, ledger: null });
          expect(shown?.period.middle.slice(0, 64)).toEqual(Float64Array.from(own.firstPeriods));
          expect(shown?.ramps.length ?? 0).toBe(
            report.mode === 'frequency'
              ? own.reRamps.length + (own.settleSamples === 0 ? 0 : 1)
              : 0,
          );
        }
      }
    },
  );
});

test('a gap breaks the line of periods where nothing was measured', () => {
  const times = Float64Array.of(0, 10, 20, 30, 40, 900, 910);
  expect([...idleAfter(times)]).toStrictEqual([4]);
  expect([...idleAfter(Float64Array.of(5))]).toStrictEqual([]);
});

test('a moment between two samples has the period of the nearest, an idle one none', () => {
  const drawn = pageOfPeriods([10, 20, 30, 40, 50, 60]);
  const timeNs = Float64Array.of(0, 10, 20, 30, 900, 910);
  const samples = { ...drawn.profile.samples, timeNs };
  const periodInput = { ...drawn.periodInput, samples };
  const profile = { ...drawn.profile, samples };
  const { shown } = finish(computePeriods({ ...drawn, profile, periodInput }, WHOLE));
  const rowAt = (atNs: number) => momentAt(shown!, idleAfter(timeNs), atNs, 2).row;
  expect([0, 4, 6, 10, 31, 899, 912].map(rowAt)).toStrictEqual([0, 0, 1, 1, 3, 4, 5]);
  expect([-5, 40, 400, 890, 920].map(rowAt)).toStrictEqual([-1, -1, -1, -1, -1]);
});

test('steps of the cursor go on by what can be seen, as far as the window reaches', () => {
  const timeNs = Float64Array.of(0, 1, 2, 10, 11, 30, 99);
  const window = { fromNs: 1, toNs: 40 };
  const step = (from: number | null, by: number) => timeNs[stepFrom(timeNs, from, by, window)];
  expect([step(null, 5), step(null, -5)]).toStrictEqual([1, 30]);
  expect([step(1, 5), step(10, 5), step(30, 5)]).toStrictEqual([10, 30, 30]);
  expect([step(30, -5), step(10, -5), step(1, -5)]).toStrictEqual([11, 2, 1]);
  expect(stepFrom(timeNs, null, 5, { fromNs: 40, toNs: 90 })).toBe(-1);
});

test('a scale holds every value between round ticks', () => {
  const log = ValueScale.logarithmic(0, 200, [Number.NaN, 3, 4500]);
  expect(log.ticks(20).map(({ y, text }) => `${text} ${y}`)).toStrictEqual([
    '1 200',
    '10 150',
    '100 100',
    '1k 50',
    '10k 0',
  ]);
  expect(log.ticks(90).map(({ text }) => text)).toStrictEqual(['1', '100', '10k']);
  const single = ValueScale.logarithmic(0, 100, [1000, 1000]);
  expect(single.ticks(20).map(({ text }) => text)).toStrictEqual(['1k', '10k']);
  const linear = ValueScale.linear(0, 110, [Number.NaN, 1000]);
  expect(linear.ticks(20).map(({ y, text }) => `${text} ${y}`)).toStrictEqual([
    '0 110',
    '500 60',
    '1k 10',
  ]);
});
