import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { callAfter, callEvery } from '../../../src/system/time/long-timer.ts';

const DAY_MS = 86_400_000;

// The fake clock has Node's limit as well: what is longer fires after 1 ms.
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a timer of 100 days', () => {
  test('a timer of 100 days fires once, at its time', () => {
    const action = vi.fn();
    callAfter(100 * DAY_MS, action);
    vi.advanceTimersByTime(100 * DAY_MS - 1);
    expect(action).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(action).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(300 * DAY_MS);
    expect(action).toHaveBeenCalledTimes(1);
  });

  test('a timer of 100 days can be cancelled in each of its parts', () => {
    for (const days of [1, 30, 99]) {
      const action = vi.fn();
      const timer = callAfter(100 * DAY_MS, action);
      vi.advanceTimersByTime(days * DAY_MS);
      timer.cancel();
      vi.advanceTimersByTime(200 * DAY_MS);
      expect(action).not.toHaveBeenCalled();
    }
  });
});

describe.each([1, 100])('something every %i days', (days) => {
  test('a repeated timer happens at these times, until it is cancelled', () => {
    const action = vi.fn();
    const timer = callEvery(days * DAY_MS, action);
    vi.advanceTimersByTime(3.5 * days * DAY_MS);
    expect(action).toHaveBeenCalledTimes(3);
    timer.cancel();
    vi.advanceTimersByTime(3 * days * DAY_MS);
    expect(action).toHaveBeenCalledTimes(3);
  });
});
