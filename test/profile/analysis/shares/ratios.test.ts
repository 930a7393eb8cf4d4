import { describe, expect, it } from 'vitest';
import { metricRatios } from '../../../../src/counting/count/metric-ratios.ts';
import { divideEstimates, findRatios } from '../../../../src/profile/analysis/shares/ratios.ts';
import type { EventIndex, ProfileEvent } from '../../../../src/profile/types.ts';
import { seededRandom } from '../../../helpers/random.ts';

function event(role: string, more: Partial<ProfileEvent> = {}): ProfileEvent {
  return {
    name: role,
    type: 0,
    role,
    domain: '',
    mode: 'frequency',
    frequencyHz: 999,
    fixedPeriod: null,
    unit: 'events',
    ...more,
  };
}

/** A member that only the first event's samples read. */
function member(role: string, more: Partial<ProfileEvent> = {}): ProfileEvent {
  const leader = 0 as EventIndex;
  return event(role, { mode: 'period', frequencyHz: null, fixedPeriod: 0, leader, ...more });
}

/** `ipc: instructions / cycles`, with `× per` where that is not 1. */
function draw(events: readonly ProfileEvent[]): string[] {
  return findRatios({ events }, metricRatios).map(
    ({ name, part, whole, per }) =>
      `${name}: ${events[part].name} / ${events[whole].name}${per === 1 ? '' : ` × ${per}`}`,
  );
}

describe('the ratios of a recording', () => {
  it('the ratios are those that stat shows of the events of a group', () => {
    const group = [event('cycles'), member('instructions'), member('cache-misses')];
    expect(draw(group)).toEqual([
      'ipc: instructions / cycles',
      'mpki: cache-misses / instructions × 1000',
    ]);
  });

  it('the ratios are also of events that have samples of their own', () => {
    expect(draw([event('cycles'), event('instructions')])).toEqual(['ipc: instructions / cycles']);
  });

  it('the ratios are rates by a clock where one was recorded with the event', () => {
    const clock = event('cpu-clock', { mode: 'clock', unit: 'nanoseconds' });
    expect(draw([clock, member('page-faults'), member('cycles')])).toEqual([
      'per-second: page-faults / cpu-clock × 1000000000',
      'ghz: cycles / cpu-clock',
    ]);
  });

  it('the ratios leave out events that count another part of the program', () => {
    expect(draw([event('cycles', { domain: 'u' }), event('instructions')])).toEqual([]);
  });

  it('the ratios leave out a member of a group and an event outside of it', () => {
    expect(draw([event('cpu-clock'), member('instructions'), event('cycles')])).toEqual([
      'per-second: instructions / cpu-clock × 1000000000',
      'ghz: cycles / cpu-clock',
    ]);
  });

  it('the ratios are none where a text was read', () => {
    const { role: _role, domain: _domain, ...cycles } = event('cycles');
    const { role: _other, domain: _none, ...instructions } = event('instructions');
    expect(draw([cycles, instructions])).toEqual([]);
  });
});

describe('the ratio of two sums with samples of their own', () => {
  it('the interval of a ratio adds the distances to both ends as squares', () => {
    const part = { value: 100, low: 80, high: 125 };
    const { value, low, high } = divideEstimates(part, { value: 50, low: 50, high: 50 });
    expect([value, low, high]).toEqual([2, expect.closeTo(1.6), expect.closeTo(2.5)]);
    const both = divideEstimates(part, { value: 50, low: 40, high: 62.5 });
    expect(both.high).toBeCloseTo(2 * Math.exp(Math.SQRT2 * Math.log(1.25)));
    expect(both.low).toBeCloseTo(2 / Math.exp(Math.SQRT2 * Math.log(1.25)));
  });

  it('the ratio is unknown where its divisor may be half of the sum', () => {
    const part = { value: 10, low: 9, high: 11 };
    const whole = { value: 10, low: 4, high: 20 };
    expect(divideEstimates(part, whole)).toEqual({
      value: null,
      low: null,
      high: null,
      reason: 'few',
    });
  });

  it('the ratio has an upper end where nothing was counted', () => {
    const none = divideEstimates({ value: 0, low: 0, high: 3 }, { value: 10, low: 8, high: 12 });
    expect(none).toEqual({ value: 0, low: 0, high: 3 / 8, reason: null });
  });

  it('the ratio is inside its interval in 93 of 100 draws', () => {
    const random = seededRandom(11);
    const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const draw = (truth: number, error: number) => {
      const value = truth * (1 + error * normal());
      const half = 1.96 * error * truth;
      return { value, low: value - half, high: value + half };
    };
    let held = 0;
    for (let i = 0; i < 2000; i++) {
      const { low, high } = divideEstimates(draw(300, 0.1), draw(100, 0.08));
      if ((low as number) <= 3 && 3 <= (high as number)) held++;
    }
    expect(held / 2000).toBeGreaterThan(0.93);
    expect(held / 2000).toBeLessThan(0.98);
  });
});
