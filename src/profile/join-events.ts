import { NONE } from '../base/brand.ts';
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

/** Makes those that count nanoseconds one. Null where no two do: there is nothing to join. */
export function planTimeJoin(events: readonly ProfileEvent[]): EventJoin | null {
  const timed = events.filter(({ unit }) => unit === 'nanoseconds');
  const first = timed[0];
  if (first === undefined || timed.length < 2) return null;
  const joined: ProfileEvent = {
    ...first,
    name: timed.map(({ name }) => name).join(' + '),
    // Nothing is counted per second of running and waiting.
    role: '',
    mode: 'clock',
    // That of the clock: where both are null, all of the event's times are measured.
    frequencyHz: timed.find((event) => event.frequencyHz !== null)?.frequencyHz ?? null,
    fixedPeriod: timed.find((event) => event.fixedPeriod !== null)?.fixedPeriod ?? null,
  };
  const kept: ProfileEvent[] = [];
  let joinedRow = NONE;
  const newRow = Int32Array.from(events, (event) => {
    if (event.unit !== 'nanoseconds') return kept.push(event) - 1;
    if (joinedRow === NONE) joinedRow = kept.push(joined) - 1;
    return joinedRow;
  });
  return { events: kept, newRow };
}
