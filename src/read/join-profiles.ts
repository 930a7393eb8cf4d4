import { NONE } from '../base/brand.ts';
import { UsageError } from '../base/errors.ts';
import { words } from '../base/words.ts';
import { WEIGHING } from '../options/reading.ts';
import { RECORD } from '../options/record.ts';
import type { PeriodInput } from '../period/types.ts';
import { planCoreJoin } from '../profile/core-types.ts';
import { findEvents } from '../profile/find-events.ts';
import { type EventJoin, joinProfile, planTimeJoin } from '../profile/join-events.ts';
import type { EventIndex, Profile, ProfileEvent } from '../profile/types.ts';
import type { RecordingFacts } from './facts/recording-facts.ts';

/** A profile and what goes by its events beside it. */
export type ProfileByEvent = {
  readonly profile: Profile;
  readonly input: PeriodInput;
  readonly facts: RecordingFacts;
};

/** The events that count nanoseconds as one. Throws UsageError where there are no two of them. */
export function joinTimedEvents(parts: ProfileByEvent): ProfileByEvent {
  const { events } = parts.profile;
  const join = planTimeJoin(events);
  if (join === null) {
    const names = events.map(({ name }) => name).join(', ');
    throw new UsageError(
      words`${WEIGHING.join}: this recording has no two events that count time`,
      [
        `it has: ${names}`,
        words`record with ${RECORD.offCpu} what threads ran and what they waited for`,
      ],
    );
  }
  // A clock's count and a number of switches have no sum.
  return joinEvents(parts, join, () => null);
}

/**
 * An event that was opened for each kind of core as one: those of `names`, null where the recording does
 * not tell. Not where `wanted` is the name of one that the join would take away: its samples alone are
 * asked for.
 */
export function joinCoreEvents(
  parts: ProfileByEvent,
  names: readonly string[] | null,
  wanted: string | undefined,
): ProfileByEvent {
  const { events, meta } = parts.profile;
  const join = planCoreJoin(events, meta.coreTypes ?? [], names);
  if (join === null) return parts;
  if (wanted !== undefined && !hasEvent(join.events, wanted) && hasEvent(events, wanted)) {
    return parts;
  }
  return withKnownLosses(
    joinEvents(parts, join, (counts) =>
      counts.some((count) => count === null)
        ? null
        : counts.reduce<number>((sum, count) => sum + (count ?? 0), 0),
    ),
  );
}

/** A LOST record does not tell which of several events it is about; where one is left, it is that. */
function withKnownLosses(parts: ProfileByEvent): ProfileByEvent {
  const { profile, input, facts } = parts;
  if (profile.events.length > 1) return parts;
  const known = <Row extends { readonly event: number }>(rows: readonly Row[]): Row[] =>
    rows.map((row) => ({ ...row, event: 0 }));
  return {
    profile,
    input: { ...input, ...(input.lossGaps && { lossGaps: known(input.lossGaps) }) },
    facts: { ...facts, losses: known(facts.losses) },
  };
}

function hasEvent(events: readonly ProfileEvent[], wanted: string): boolean {
  try {
    findEvents(
      events.map(({ name }) => name),
      wanted,
    );
    return true;
  } catch {
    return false;
  }
}

/** `sumOf` says what several events have counted together. */
function joinEvents(
  { profile, input, facts }: ProfileByEvent,
  join: EventJoin,
  sumOf: (counts: readonly (number | null)[]) => number | null,
): ProfileByEvent {
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
      ...(eventTotals && {
        eventTotals: joined.events.map((_, row) => {
          const counts = eventTotals.filter((__, event) => join.newRow[event] === row);
          return counts.length === 1 ? counts[0] : sumOf(counts);
        }),
      }),
    },
    facts: {
      ...facts,
      groups: withoutRepeats(
        facts.groups
          .map((group) => [...new Set(group.map((event) => at(event) as EventIndex))])
          .filter((group) => group.length > 1),
      ),
      losses: moved(facts.losses),
      throttles: moved(facts.throttles),
    },
  };
}

/** Groups that have become one and the same, once. */
function withoutRepeats<Group extends readonly EventIndex[]>(groups: readonly Group[]): Group[] {
  return [...new Map(groups.map((group) => [group.join(), group])).values()];
}
