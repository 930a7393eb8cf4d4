import { describe, expect, it } from 'vitest';
import { chooseEvents } from '../../src/record/choose-events.ts';
import { HYBRID, INTEL } from '../kernel/events/fake-machines.ts';

/** Names and groups of the events that the options choose on an Intel server. */
function chosen(events?: readonly string[]): string[] {
  const { specs } = chooseEvents(events === undefined ? {} : { events }, INTEL);
  return specs.map(({ name, group }) => (group < 0 ? name : `${name} in ${group}`));
}

describe('the events', () => {
  it('the default event is cycles with the least skid', () => {
    expect(chosen()).toEqual(['cycles:P']);
    expect(chosen([])).toEqual(['cycles:P']);
  });

  it('-e may repeat; all its events are recorded', () => {
    expect(chosen(['cpu-clock:u,{page-faults,task-clock}', '{cpu-clock,page-faults}'])).toEqual([
      'cpu-clock:u',
      'page-faults in 0',
      'task-clock in 0',
      'cpu-clock in 1',
      'page-faults in 1',
    ]);
  });

  it('on hybrid processors the default event is cpu-clock', () => {
    const { specs, notices } = chooseEvents({}, HYBRID);
    expect(specs.map(({ name }) => name)).toEqual(['cpu-clock']);
    expect(notices).toEqual([
      'cycles: this machine has several kinds of cores (cpu_core/cycles/P on CPUs 0-3, ' +
        'cpu_atom/cycles/P on CPUs 4-7); recording cpu-clock on all of them instead, a ' +
        'timer; -e records one kind',
    ]);
    expect(chooseEvents({ events: ['cpu_atom/cycles/'] }, HYBRID).notices).toEqual([]);
  });

  it('an unknown event is shown at its place in the text', () => {
    try {
      chooseEvents({ events: ['cpu-clock', 'page-faults,cpu-clok'] });
      expect.unreachable();
    } catch (error) {
      const { message, hints } = error as { message: string; hints: string[] };
      expect(message).toContain("'cpu-clok'");
      expect(hints[0]).toContain('page-faults,cpu-clok');
      expect(hints.join('\n')).not.toContain('cpu-clock,page-faults');
      expect(hints.join('\n')).toContain('cpu-clock');
    }
  });
});
