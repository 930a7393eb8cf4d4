import { describe, expect, it } from 'vitest';
import { IdleWatch } from '../../../src/record/load/idle-watch.ts';

/** The reading, one each 250 ms, at which the watch reports rest; −1: at none. Shares of a CPU. */
function firstIdle(shares: readonly number[], wasBusy = false): number {
  const watch = new IdleWatch(1000, wasBusy);
  let cpuMs = 5000;
  watch.add(0, cpuMs);
  for (const [at, share] of shares.entries()) {
    cpuMs += share * 250;
    if (watch.add((at + 1) * 250, cpuMs)) return at;
  }
  return -1;
}

describe('IdleWatch', () => {
  it('an idle watch reports rest after work, once it has lasted', () => {
    expect(firstIdle([1, 1, 0, 0, 0, 0, 0])).toBe(5);
  });

  it('an idle watch waits for work before it takes rest for the end', () => {
    expect(firstIdle([0, 0, 0, 0, 0, 0, 0, 0])).toBe(-1);
    expect(firstIdle([0, 0, 0, 0, 0, 0.5, 0, 0, 0, 0])).toBe(9);
  });

  it('an idle watch takes rest at once where the work was before', () => {
    expect(firstIdle([0, 0, 0, 0], true)).toBe(3);
  });

  it('an idle watch begins anew with each work in between, and overlooks timers', () => {
    expect(firstIdle([1, 0, 0, 0.3, 0.01, 0.01, 0.01, 0.01])).toBe(7);
  });

  it('an idle watch takes a total that shrinks for no work', () => {
    const watch = new IdleWatch(500, true);
    watch.add(0, 900);
    expect(watch.add(250, 100)).toBe(false);
    expect(watch.add(500, 100)).toBe(true);
  });
});
