import { describe, expect, it } from 'vitest';
import { finish } from '../../src/base/slices.ts';
import { groupByStream } from '../../src/period/streams.ts';
import {
  areWaits,
  createExactEstimator,
  isMeasured,
} from '../../src/period/uncertainty/measured.ts';
import type { EventIndex, ProfileEvent } from '../../src/profile/types.ts';
import { CPU_CLOCK, everyNs, PAGE_FAULTS, recordingOf } from './recording.ts';

const WAITS: ProfileEvent = {
  ...PAGE_FAULTS,
  name: 'off-cpu',
  mode: 'clock',
  frequencyHz: null,
  unit: 'nanoseconds',
};
const EACH: ProfileEvent = { ...PAGE_FAULTS, mode: 'period', frequencyHz: null, fixedPeriod: 1 };
const HARDWARE: ProfileEvent = { ...EACH, type: 0 };
const losses = [{ event: 0 as EventIndex, lostRecords: 1, lostSamples: 1 }];

describe('shares that are measured', () => {
  it('shares of samples, off-CPU time and software period 1 are measured', () => {
    const measured = (event: ProfileEvent, kind: 'samples' | 'events' | 'period') =>
      isMeasured({ events: [event] }, 0, kind);
    expect(measured(PAGE_FAULTS, 'samples')).toBe(true);
    expect(measured(PAGE_FAULTS, 'events')).toBe(false);
    expect(measured(CPU_CLOCK, 'events')).toBe(false);
    expect(measured(WAITS, 'events')).toBe(true);
    expect(measured(EACH, 'events')).toBe(true);
    expect(measured(EACH, 'period')).toBe(true);
    expect(measured(HARDWARE, 'events')).toBe(false);
    expect(measured({ ...HARDWARE, lacksPeriods: true }, 'events')).toBe(true);
  });

  it('shares of off-CPU time with losses are estimates', () => {
    expect(isMeasured({ events: [WAITS], losses }, 0, 'events')).toBe(false);
    expect(areWaits(WAITS)).toBe(true);
  });

  it('measured shares have intervals of no width', () => {
    const input = recordingOf([EACH], everyNs(1000, [1, 1, 1]));
    const estimator = createExactEstimator({
      weights: Float64Array.of(1, 1, 1),
      rows: Int32Array.of(0, 1, 2),
      groups: finish(groupByStream(input)),
      event: 0,
    });
    const none = new Float64Array(1);
    const sums = {
      near: none,
      far: none,
      entered: none,
      ends: none,
      last: none,
      lone: none,
      shift: none,
    };
    expect(estimator.intervalOf(0.3, sums, 0)).toEqual({ low: 0.3, high: 0.3 });
    expect(estimator.intervalOfNothing()).toEqual({ low: 0, high: 0 });
    expect([estimator.isExact, estimator.effectiveSamples]).toEqual([true, 3]);
  });
});
