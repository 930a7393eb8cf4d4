// Which events are measured before they are recorded, and as what, on machines that are drawn.

import { describe, expect, it } from 'vitest';
import { type EventAttr, parseAttr } from '../../../src/kernel/perf-event/attr.ts';
import type { NativeBinding } from '../../../src/native/types.ts';
import { isProbed, probeRules } from '../../../src/record/plan/period-probe.ts';
import { INTEL } from '../../kernel/events/fake-machines.ts';
import { type Machine, planOf, USUAL_SETTINGS } from '../../system/kernel/fake-kernel.ts';

/** Periods double, and each sample's count is the sum of those before it: the rule is `elapsed`. */
const RAMP = Float64Array.from(
  Array.from({ length: 16 }, (_, i) => [
    1000 * 2 ** i,
    1000 * 2 ** i,
    1000 * (2 ** (i + 1) - 1),
  ]).flat(),
);

function machineThat(happens: (attr: EventAttr) => boolean) {
  const asked: EventAttr[] = [];
  const probePeriods: NativeBinding['probePeriods'] = (bytes, starts) => {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const attr = parseAttr(view, bytes.length, true);
    asked.push(attr);
    return new Array(starts).fill(happens(attr) ? RAMP : new Float64Array());
  };
  return { binding: { probePeriods } as unknown as NativeBinding, asked };
}

function probe(
  events: readonly string[],
  happens: (attr: EventAttr) => boolean,
  machine?: Machine,
) {
  const plan = planOf(events.join(','), {}, machine);
  const { binding, asked } = machineThat(happens);
  const environment = { binding, settings: USUAL_SETTINGS, pmus: () => INTEL.pmus };
  const found = probeRules(plan.events, environment);
  return { found, asked, again: () => probeRules(plan.events, environment) };
}

describe('before a recording', () => {
  it('a kind of counter is measured once, by cycles, with what is left out of the events', () => {
    const { found, asked, again } = probe(['instructions:u', 'cache-misses:u'], () => true);
    expect(found.map(({ probedRule }) => probedRule?.rule)).toEqual(['elapsed', 'elapsed']);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ type: 0, config: 0n, samplePeriod: 20_000, readFormat: 0 });
    expect(asked[0].flags).toMatchObject({ freq: true, inherit: false, excludeKernel: true });
    again();
    expect(asked).toHaveLength(1);
  });

  it('precise and other samples are kinds of their own', () => {
    const { asked } = probe(['cycles', 'cycles:pp'], () => true);
    expect(asked.map(({ flags }) => flags.preciseIp)).toEqual([0, 2]);
  });

  it('an event is asked itself where cycles do not tell', () => {
    const { found, asked } = probe(['instructions'], ({ config }) => config === 1n);
    expect(asked.map(({ config }) => config)).toEqual([0n, 1n]);
    expect(found[0].probedRule?.rule).toBe('elapsed');
  });

  it('nothing is known where nothing happens', () => {
    const { found } = probe(['instructions'], () => false);
    expect(found[0].probedRule).toBeUndefined();
  });

  it('clocks, what is counted in software, and fixed periods are not measured', () => {
    const events = ['cpu-clock', 'page-faults', 'cycles/period=1000/'];
    expect(planOf(events.join(',')).events.map(isProbed)).toEqual([false, false, false]);
    expect(probe(events, () => true).asked).toEqual([]);
  });
});
