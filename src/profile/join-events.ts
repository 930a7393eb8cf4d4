import { mapInts } from '../base/int-column.ts';
import type { EventIndex, Profile, ProfileEvent } from './types.ts';

/** The new index of each event of a profile when several become one. */
export type EventJoin = {
  readonly events: readonly ProfileEvent[];
  /** Old row -> new row. */
  readonly newRow: Int32Array;
};

/** The profile with its events joined. Samples, stacks and weights stay as they are. */
export function joinProfile(profile: Profile, { events, newRow }: EventJoin): Profile {
  const at = (event: number): EventIndex => newRow[event] as EventIndex;
  const lost = events.map((_, event) => ({
    event: event as EventIndex,
    lostRecords: 0,
    lostSamples: 0,
  }));
  for (const { event, lostRecords, lostSamples } of profile.losses) {
    const sum = lost[at(event)];
    if (sum === undefined) continue;
    sum.lostRecords += lostRecords;
    sum.lostSamples += lostSamples;
  }
  return {
    ...profile,
    events: events.map((event) =>
      event.leader === undefined ? event : { ...event, leader: at(event.leader) },
    ),
    samples: { ...profile.samples, event: mapInts(profile.samples.event, at) },
    streams: profile.streams.map((stream) => ({ ...stream, event: at(stream.event) })),
    losses: lost,
  };
}
