/**
 * One event as text names it: what goes into its `perf_event_attr`, and what the recorder must
 * know to open it in the right place.
 *
 *   {cycles:u,cpu/mem-loads,ldlat=30/P}:S   ->   two specs, group 0, the first one its leader
 */
export type EventSpec = {
  /** The event's own part of the text, as the user wrote it. */
  readonly text: string;
  /** Shown and stored name: perf's name without aliases, with the modifiers that apply. */
  readonly name: string;
  /** Modifiers that apply, own and the group's, as letters: `u`, `ppk`, empty without any. */
  readonly modifiers: string;

  /** `perf_event_attr.type`: a `PERF_TYPE`, or a PMU of this machine. */
  readonly type: number;
  readonly config: bigint;
  /** Breakpoints: the address. */
  readonly config1: bigint;
  /** Breakpoints: the length in bytes. */
  readonly config2: bigint;
  readonly config3: bigint;
  /** Bits of `HW_BREAKPOINT` in any sum; 0 for all other events. */
  readonly bpType: number;

  readonly exclude: EventExclusions;
  /** Asked skid: 0 any, 1 constant, 2 none wanted, 3 none. */
  readonly preciseIp: 0 | 1 | 2 | 3;
  /** `P`: `preciseIp` 3 is a wish; lower it until the event opens. */
  readonly preciseIsMax: boolean;
  /** `D`: always on its counter, or in error state. Only on leaders and single events. */
  readonly pinned: boolean;
  /** `e`: alone on its PMU. Only on leaders and single events. */
  readonly exclusive: boolean;

  /** Number of the group among all groups of one `parseEvents`, −1 outside of groups. */
  readonly group: number;
  /** First of its group. */
  readonly leader: boolean;
  /** `S`: the leader samples and reads the whole group. */
  readonly sampleGroup: boolean;
  /** `W`: if the group does not fit the PMU, its members may be opened singly. */
  readonly weakGroup: boolean;

  /** Events per sample from a `period=` term, null without one. */
  readonly period: number | null;
  /** Hz from a `freq=` term, null without one. */
  readonly frequency: number | null;
  /**
   * Events per sample where neither a term nor the user sets anything; null: the recorder's
   * default frequency. 1 for tracepoints, breakpoints and bpf-output: each one is of interest.
   */
  readonly defaultPeriod: number | null;
  /** The `call-graph=` term, null without one. `auto` is no term: the recorder sets it for the event of waits. */
  readonly callGraph: 'fp' | 'dwarf' | 'lbr' | 'auto' | 'no' | null;
  /** Bytes of user stack from a `stack-size=` term, null without one. */
  readonly stackSizeBytes: number | null;
  /** Frames from a `max-stack=` term, null without one. */
  readonly maxStack: number | null;
  /** The `inherit` or `no-inherit` term, null without one. */
  readonly inherit: boolean | null;

  /** The only CPUs on which the PMU counts (sysfs `cpumask` or `cpus`); null: all of them. */
  readonly cpus: readonly number[] | null;
  /**
   * This one's PMU where a name means one event on each kind of core, as `cpu_atom`. Null for
   * an event whose text names its PMU, and where all cores are of one kind.
   */
  readonly corePmu: string | null;
  /**
   * Counts for a whole socket or device, not for a task (a PMU with a `cpumask`): it opens only
   * system-wide, once for each of `cpus`.
   */
  readonly isUncore: boolean;
  readonly tracepoint: { readonly system: string; readonly event: string } | null;
  /** Tracepoints: the records that are sampled, in the kernel's syntax, `id == 74`; absent: all. */
  readonly filter?: string;
  /** `type` is software: counted by the kernel, opens on any machine. */
  readonly isSoftware: boolean;
  /** cpu-clock or task-clock: an hrtimer, its period is nanoseconds. */
  readonly isClock: boolean;
  /** The unit of the period. */
  readonly unit: 'events' | 'nanoseconds';
};

/** Modes that are not counted, as in `perf_event_attr.exclude_*`. */
export type EventExclusions = {
  readonly user: boolean;
  readonly kernel: boolean;
  readonly hv: boolean;
  readonly idle: boolean;
  readonly host: boolean;
  readonly guest: boolean;
};

/** The events with user or kernel code alone, on top of what their own modifiers leave out. */
export function narrowTo(
  specs: readonly EventSpec[],
  only: 'user' | 'kernel' | undefined,
): readonly EventSpec[] {
  if (only === undefined) return specs;
  const less = only === 'user' ? { kernel: true } : { user: true };
  return specs.map((spec) => ({ ...spec, exclude: { ...spec.exclude, ...less } }));
}
