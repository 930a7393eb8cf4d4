import { describe, expect, it } from 'vitest';
import { parseEvents } from '../../../src/kernel/events/parse-events.ts';
import { planRecording } from '../../../src/record/plan/recording-plan.ts';
import { AMD } from '../../kernel/events/fake-machines.ts';
import { fakeKernel, NEW_KERNEL, USUAL_SETTINGS } from '../../system/kernel/fake-kernel.ts';

/** Names of events that the kernel was asked about, where it answers as `rule` says. */
function askedFor(events: string, rule: () => '' | 'EACCES' = () => ''): number {
  const { probe, asked } = fakeKernel(rule);
  const environment = { probe, settings: USUAL_SETTINGS, features: NEW_KERNEL, cpus: [0] };
  planRecording(parseEvents(events, AMD), {}, environment);
  return asked.length;
}

describe('the kernel is asked', () => {
  it('once for tracepoints of a system that are recorded alike', () => {
    expect(askedFor('sched:sched_switch,sched:sched_wakeup')).toBe(1);
  });

  it('again where fields, system or kind of event differ', () => {
    expect(askedFor('sched:sched_switch,sched:sched_wakeup/call-graph=fp/')).toBe(2);
    expect(askedFor('cycles,instructions')).toBe(2);
  });

  it('and a refusal of the first one ends the recording', () => {
    expect(() => askedFor('sched:sched_switch,sched:sched_wakeup', () => 'EACCES')).toThrow(
      'sched:sched_switch',
    );
  });
});
