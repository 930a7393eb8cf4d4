import { describe, expect, it } from 'vitest';
import { chooseEvents } from '../../../src/record/plan/choose-events.ts';
import { HYBRID, INTEL } from '../../kernel/events/fake-machines.ts';

/** Names and groups of the events that the options choose on an Intel server. */
function chosen(events?: readonly string[]): string[] {
  const specs = chooseEvents(events === undefined ? {} : { events }, INTEL);
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

  it('the default event on hybrid processors is cycles on each kind of core', () => {
    const drawn = (events?: string[]) => {
      const specs = chooseEvents(events === undefined ? {} : { events }, HYBRID);
      return specs.map(({ name, cpus, corePmu }) => [name, cpus?.join(), corePmu]);
    };
    expect(drawn()).toEqual([
      ['cpu_core/cycles/P', '0,1,2,3', 'cpu_core'],
      ['cpu_atom/cycles/P', '4,5,6,7', 'cpu_atom'],
    ]);
    expect(drawn(['cpu_atom/cycles/'])).toEqual([['cpu_atom/cycles/', '4,5,6,7', null]]);
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
