import { expect, test } from 'vitest';
import { PacedInterval } from '../../src/period/model/interval-ticks.ts';

/**
 * 100 events from 1000 to 1700 ns, with two pauses of 100 ns:
 *
 *     1000      1200  1300      1500  1600  1700
 *      |--- 40 ---|.....|--- 40 ---|.....|-20-|
 */
function withPauses(): PacedInterval {
  const interval = new PacedInterval();
  const sequence = {
    length: 2,
    timeNs: Float64Array.of(1000, 1700),
    periodEvents: Float64Array.of(100, 100),
    elapsedEvents: Float64Array.of(7, 100),
  };
  interval.enter(sequence, 0);
  return Object.assign(interval, {
    pauseNs: 200,
    pauseLengthNs: 100,
    missedNs: 50,
    pauses: 2,
    cycleNs: 300,
  });
}

test('events are spread evenly between pauses', () => {
  const interval = withPauses();
  const times = [1000, 1100, 1200, 1250, 1300, 1400, 1500, 1550, 1600, 1650, 1700];
  expect(times.map((time) => interval.countAt(time) - 7)).toEqual([
    ...[0, 20, 40, 40, 40, 60, 80, 80, 80, 90, 100],
  ]);
});

test('the ticks miss the event for a while from the beginning of each pause', () => {
  const interval = withPauses();
  const times = [1100, 1200, 1201, 1249, 1250, 1400, 1500, 1501, 1549, 1550, 1690];
  expect(times.filter((time) => interval.isMissedBy(time))).toEqual([1201, 1249, 1501, 1549]);
  expect(interval.lastEndNs).toBe(1550);
});

test('an interval without a pause continues the count of ticks', () => {
  const interval = withPauses();
  const sequence = {
    length: 3,
    timeNs: Float64Array.of(1000, 1700, 1800),
    periodEvents: Float64Array.of(100, 100, 100),
    elapsedEvents: Float64Array.of(7, 100, 10),
  };
  interval.enter(sequence, 1);
  expect([1700, 1750, 1800].map((time) => interval.countAt(time))).toEqual([107, 112, 117]);
  expect(interval.isMissedBy(1701)).toBe(false);
});
