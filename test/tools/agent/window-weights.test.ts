import { describe, expect, it } from 'vitest';
import type { Profile, SampleTable } from '../../../src/profile/types.ts';
import { WindowWeights } from '../../../src/tools/agent/window/window-weights.ts';

type Drawn = { readonly cpu: number; readonly ms: number; readonly count: number };

const PERIOD = 10;

/** Samples of one clock; times in milliseconds, counts and periods in any unit. */
function windowOf(drawn: readonly Drawn[]): Profile {
  const { length } = drawn;
  const samples = {
    length,
    event: new Int32Array(length),
    cpu: Int32Array.from(drawn, ({ cpu }) => cpu),
    timeNs: Float64Array.from(drawn, ({ ms }) => ms * 1e6),
    count: Float64Array.from(drawn, ({ count }) => count),
    periodEvents: new Float64Array(length).fill(PERIOD),
  } as Partial<SampleTable> as SampleTable;
  return { samples, events: [{ unit: 'nanoseconds' }] } as unknown as Profile;
}

const gap = (cpu: number, ms: number) => ({ event: -1, cpu, timeNs: ms * 1e6, samples: 3 });

describe('the weights of a window', () => {
  it('weights are what each CPU has counted since its sample before, over windows', () => {
    const weights = new WindowWeights();
    const first = windowOf([
      { cpu: 0, ms: 1, count: 10 },
      { cpu: 1, ms: 2, count: 12 },
      { cpu: 0, ms: 3, count: 25 },
    ]);
    const second = windowOf([
      { cpu: 1, ms: 4, count: 20 },
      { cpu: 0, ms: 5, count: 31 },
    ]);
    expect([...weights.compute(first, []).values]).toEqual([10, 12, 15]);
    const later = weights.compute(second, []);
    expect([...later.values]).toEqual([8, 6]);
    expect(later.lostBefore).toBeUndefined();
    // The last counts of both CPUs.
    expect(weights.total).toBe(31 + 20);
  });

  it('weights beyond the period of the sample after lost ones are left to these', () => {
    const weights = new WindowWeights();
    const drawn = windowOf([
      { cpu: 0, ms: 1, count: 10 },
      { cpu: 1, ms: 1, count: 10 },
      { cpu: 0, ms: 5, count: 50 },
      { cpu: 1, ms: 5, count: 50 },
    ]);
    const { values, lostBefore } = weights.compute(drawn, [gap(0, 5.05)]);
    expect([...values]).toEqual([10, 10, 10, 40]);
    expect([...lostBefore!]).toEqual([0, 0, 30, 0]);
    expect(weights.total).toBe(100);
  });

  it('weights know of a loss whose next sample is in the next window', () => {
    const weights = new WindowWeights();
    weights.compute(windowOf([{ cpu: 0, ms: 1, count: 10 }]), [gap(0, 3)]);
    const { values, lostBefore } = weights.compute(windowOf([{ cpu: 0, ms: 4, count: 40 }]), []);
    expect([[...values], [...lostBefore!]]).toEqual([[10], [20]]);
  });

  it('weights are the period where a counter began anew, as that of a CPU that was offline', () => {
    const weights = new WindowWeights();
    weights.compute(windowOf([{ cpu: 0, ms: 1, count: 100 }]), []);
    const { values } = weights.compute(windowOf([{ cpu: 0, ms: 4, count: 7 }]), []);
    expect([...values]).toEqual([PERIOD]);
  });

  it('weights get what was counted after the last samples, by the time since them', () => {
    const weights = new WindowWeights();
    const drawn = windowOf([
      { cpu: 0, ms: 1, count: 10 },
      { cpu: 0, ms: 4, count: 40 },
      { cpu: 1, ms: 2, count: 20 },
    ]);
    const { values } = weights.compute(drawn, []);
    weights.addTail(drawn, values, 68, 5e6);
    expect([...values]).toEqual([10, 30 + 2, 20 + 6]);
    expect(weights.total).toBe(68);
  });
});
