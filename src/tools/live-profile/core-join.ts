import { planCoreJoin } from '../../profile/core-types.ts';
import { joinProfile } from '../../profile/join-events.ts';
import type { CoreType, Profile, ProfileEvent } from '../../profile/types.ts';
import type { RecordingPlan } from '../../record/plan/recording-plan.ts';

type Parts = {
  readonly coreTypes: readonly CoreType[];
  /** Names of the events that are one event on several kinds of cores. */
  readonly names: readonly string[];
};

function partsOf({ events }: RecordingPlan): Parts {
  const cpusOfType = new Map<string, readonly number[]>();
  const names = events.flatMap(({ name, spec: { corePmu, cpus } }) => {
    if (corePmu === null) return [];
    cpusOfType.set(corePmu, cpus ?? []);
    return [name];
  });
  const coreTypes = Array.from(cpusOfType, ([name, cpus]) => ({ name, cpus }));
  return { coreTypes, names };
}

/** Names of the plan's events as they are shown: one for all kinds of cores. */
export function shownEvents(plan: RecordingPlan): readonly string[] {
  const { coreTypes, names } = partsOf(plan);
  const opened = plan.events.map(({ name, attr, spec }): ProfileEvent => {
    const { freq } = attr.flags;
    return {
      name,
      type: attr.type,
      mode: freq ? 'frequency' : 'period',
      frequencyHz: freq ? attr.samplePeriod : null,
      fixedPeriod: null,
      unit: spec.unit,
    };
  });
  return (planCoreJoin(opened, coreTypes, names)?.events ?? opened).map(({ name }) => name);
}

/** A slice with these events. */
export function joinCores(slice: Profile, plan: RecordingPlan): Profile {
  const { coreTypes, names } = partsOf(plan);
  const join = planCoreJoin(slice.events, coreTypes, names);
  return join === null ? slice : joinProfile(slice, join);
}
