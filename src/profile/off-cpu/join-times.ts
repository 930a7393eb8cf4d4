import { NONE } from '../../base/brand.ts';
import type { EventJoin } from '../join-events.ts';
import type { ProfileEvent } from '../types.ts';

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
