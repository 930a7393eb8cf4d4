import { NONE } from '../../base/brand.ts';
import { UsageError } from '../../base/errors.ts';
import type { PeriodInput } from '../../period/types.ts';
import { joinProfile, planTimeJoin } from '../../profile/off-cpu/join-times.ts';
import type { EventIndex, Profile } from '../../profile/types.ts';
import type { RecordingFacts } from '../facts/recording-facts.ts';

/** A profile and what goes by its events beside it. */
export type ProfileByEvent = {
  readonly profile: Profile;
  readonly input: PeriodInput;
  readonly facts: RecordingFacts;
};

/** The events that count nanoseconds as one. Throws UsageError where there are no two of them. */
export function joinEvents({ profile, input, facts }: ProfileByEvent): ProfileByEvent {
  const join = planTimeJoin(profile.events);
  if (join === null) {
    const names = profile.events.map(({ name }) => name).join(', ');
    throw new UsageError('--join: this recording has no two events that count time', [
      `it has: ${names}`,
      'perf-ts record --off-cpu records what threads ran and what they waited for',
    ]);
  }
  const at = (event: number): number => (event === NONE ? NONE : join.newRow[event]);
  const moved = <Row extends { readonly event: number }>(rows: readonly Row[]): Row[] =>
    rows.map((row) => ({ ...row, event: at(row.event) }));
  const joined = joinProfile(profile, join);
  const { throttles, finals, lossGaps, eventTotals } = input;
  return {
    profile: joined,
    input: {
      ...input,
      samples: { ...input.samples, event: joined.samples.event },
      events: joined.events,
      streams: joined.streams,
      losses: joined.losses,
      ...(throttles && { throttles: moved(throttles) }),
      ...(finals && { finals: moved(finals) }),
      ...(lossGaps && { lossGaps: moved(lossGaps) }),
      // What a clock counted and how many switches there were have no sum.
      ...(eventTotals && {
        eventTotals: joined.events.map(({ name }) => {
          const old = profile.events.findIndex((event) => event.name === name);
          return old < 0 ? null : (eventTotals[old] ?? null);
        }),
      }),
    },
    facts: {
      ...facts,
      groups: facts.groups
        .map((group) => [...new Set(group.map((event) => at(event) as EventIndex))])
        .filter((group) => group.length > 1),
      losses: moved(facts.losses),
      throttles: moved(facts.throttles),
    },
  };
}
