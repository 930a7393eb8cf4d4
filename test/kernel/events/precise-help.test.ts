import { describe, expect, it } from 'vitest';
import type { EventSources } from '../../../src/kernel/events/event-sources.ts';
import { explainPrecise } from '../../../src/kernel/events/precise-help.ts';
import { AMD, INTEL, NO_PMU } from './fake-machines.ts';

/** INTEL, whose PMU says how precise it can be. */
function intel(maxPrecise: string): EventSources {
  const pmus = INTEL.pmus.map((pmu) =>
    pmu.name === 'cpu' ? { ...pmu, caps: new Map([['max_precise', maxPrecise]]) } : pmu,
  );
  return { ...INTEL, pmus };
}

const event = (preciseIp: 0 | 1 | 2 | 3, preciseIsMax = false) => ({
  name: 'cycles',
  preciseIp,
  preciseIsMax,
});

const SAMPLED = 'precise events are sampled, not counted: record takes them, stat does not';

describe('what is known of a precise event that does not open', () => {
  it.each<[string, EventSources, 1 | 2 | 3, string[]]>([
    [
      'Intel, within its limit',
      intel('3'),
      2,
      [
        SAMPLED,
        'PEBS has events of its own (pfm::EVENT marks them); others are refused, and so are most ' +
          'with edge, inv, cmask or any',
      ],
    ],
    [
      'Intel without PEBS',
      intel('0'),
      1,
      ['cpu has no precise sampling here (caps/max_precise is 0)'],
    ],
    [
      'AMD',
      AMD,
      1,
      [
        SAMPLED,
        'AMD samples precisely with IBS: cycles, r076 and r0c1 with :p or :pp, no other event',
        'IBS itself, with its options: ibs_op/cnt_ctl,l3missonly/; :u and :k only with swfilt=1, ' +
          'periods in steps of 16',
      ],
    ],
    [
      'a virtual machine without counters',
      NO_PMU,
      3,
      ['this machine has no hardware counters; without :p other events open'],
    ],
  ])('%s', (_, sources, preciseIp, expected) => {
    expect(explainPrecise(event(preciseIp), 'EOPNOTSUPP', sources)).toEqual(expected);
  });

  it("the advice names the PMU's highest precision", () => {
    expect(explainPrecise(event(3), 'EOPNOTSUPP', intel('2'))[0]).toBe(
      ':ppp is more than cpu has: cycles with :pp',
    );
  });

  it('no advice on precision where it is not the reason', () => {
    expect(explainPrecise(event(0), 'EINVAL', INTEL)).toEqual([]);
    expect(explainPrecise(event(3, true), 'EINVAL', INTEL)).toEqual([]);
    expect(explainPrecise(event(2), 'EACCES', INTEL)).toEqual([]);
  });
});
