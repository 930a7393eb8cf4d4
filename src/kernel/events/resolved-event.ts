import type { EventSpec } from './event-spec.ts';

/** An event that a name was found for; modifiers, overrides and group are added afterwards. */
export type ResolvedEvent = Pick<
  EventSpec,
  | 'type'
  | 'config'
  | 'config1'
  | 'config2'
  | 'config3'
  | 'bpType'
  | 'cpus'
  | 'isUncore'
  | 'tracepoint'
> & {
  /** `cycles`, `sched:sched_switch`; of a PMU event the PMU's name alone. */
  readonly name: string;
  /** The text between slashes after the name, null for a name without slashes. */
  readonly terms: string | null;
  /** The PMU of this event where two kinds of cores make one name two events. */
  readonly hybridPmu: string | null;
  /** False for PMUs that refuse every `exclude_*` bit. */
  readonly canExclude: boolean;
  /** The name's own terms about counting and sampling (libpfm's do); null for all others. */
  readonly settings: EventSettings | null;
};

/** Fields of the attr that a name of libpfm sets, and that modifiers and overrides add to. */
export type EventSettings = Pick<
  EventSpec,
  'exclude' | 'preciseIp' | 'pinned' | 'exclusive' | 'period' | 'frequency'
>;

/** An event of the given type and config, countable on all CPUs; `rest` states what differs. */
export function resolvedEvent(
  name: string,
  type: number,
  config: bigint,
  rest: Partial<ResolvedEvent> = {},
): ResolvedEvent {
  return {
    name,
    type,
    config,
    config1: 0n,
    config2: 0n,
    config3: 0n,
    bpType: 0,
    cpus: null,
    isUncore: false,
    tracepoint: null,
    terms: null,
    hybridPmu: null,
    canExclude: true,
    settings: null,
    ...rest,
  };
}

/** perf's way to show an event: `cycles:u`, `cpu/event=0x3c/u`. */
export function shownName(event: ResolvedEvent, terms: string | null, modifiers: string): string {
  const inSlashes = [event.terms, terms].filter((part) => part !== null && part !== '').join(',');
  if (event.terms !== null || inSlashes !== '') return `${event.name}/${inSlashes}/${modifiers}`;
  // A colon would make them libpfm's modifiers, which are spelt in another way.
  if (event.settings !== null && modifiers !== '') return `${event.name}//${modifiers}`;
  return modifiers === '' ? event.name : `${event.name}:${modifiers}`;
}
