import { describe, expect, it } from 'vitest';
import { joinProfile, planTimeJoin } from '../../src/profile/join-events.ts';
import type { EventIndex, Profile, ProfileEvent } from '../../src/profile/types.ts';
import { profileFromText } from '../helpers/profile-from-text.ts';

function event(name: string, unit: ProfileEvent['unit']): ProfileEvent {
  const mode = unit === 'nanoseconds' ? 'clock' : 'period';
  return { name, type: 1, mode, frequencyHz: null, fixedPeriod: null, unit };
}

const CLOCK = event('cpu-clock', 'nanoseconds');
const FAULTS = event('page-faults', 'events');
const OFF_CPU = event('off-cpu', 'nanoseconds');

describe('events that count time', () => {
  it('events that count time are joined into one, in the place of the first', () => {
    const join = planTimeJoin([FAULTS, CLOCK, event('cycles', 'events'), OFF_CPU]);
    expect(join?.events.map(({ name }) => name)).toEqual([
      'page-faults',
      'cpu-clock + off-cpu',
      'cycles',
    ]);
    expect([...(join?.newRow ?? [])]).toEqual([0, 1, 2, 1]);
  });

  it.each([[[]], [[CLOCK]], [[FAULTS]], [[CLOCK, FAULTS]]])(
    'joining times needs two such events: %j',
    (events) => {
      expect(planTimeJoin(events)).toBeNull();
    },
  );

  it('joined events keep their samples and sum their losses', () => {
    const drawn = profileFromText(
      ['event   cpu-clock  off-cpu  page-faults', '', '        main       main     main'].join(
        '\n',
      ),
    );
    const profile: Profile = {
      ...drawn,
      events: [CLOCK, OFF_CPU, FAULTS],
      losses: [1, 20, 300].map((lostSamples, index) => ({
        event: index as EventIndex,
        lostRecords: lostSamples + 1,
        lostSamples,
      })),
    };
    const join = planTimeJoin(profile.events);
    const joined = joinProfile(profile, join!);
    expect([...joined.samples.event]).toEqual([0, 0, 1]);
    expect(joined.losses).toEqual([
      { event: 0, lostRecords: 23, lostSamples: 21 },
      { event: 1, lostRecords: 301, lostSamples: 300 },
    ]);
    expect(joined.samples.periodEvents).toEqual(profile.samples.periodEvents);
  });
});
