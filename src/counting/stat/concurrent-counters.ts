import { closeSync } from 'node:fs';
import type { EventSources } from '../../kernel/events/event-sources.ts';
import type { EventSpec } from '../../kernel/events/event-spec.ts';
import type { EventAttr } from '../../kernel/perf-event/attr.ts';
import type { NativeBinding, SamplerOpened, SamplerTarget } from '../../native/types.ts';
import { RECORD } from '../../options/record.ts';
import { openCgroup } from '../../system/kernel/containers.ts';
import { readEventSources } from '../../system/kernel/machine-events.ts';
import { onlineCpus } from '../../system/kernel/online-cpus.ts';
import { groupSpecs } from './counted-group.ts';
import type { Counters } from './counters.ts';
import { defaultEvents } from './default-events.ts';
import { openCounters } from './open-counters.ts';
import type { StatTarget } from './stat-options.ts';
import { statRowsOf, tallyGroups } from './tally.ts';
import { UnitFinder } from './units.ts';

/** The count of an event while it, or others, were sampled. */
export type ConcurrentCount = {
  readonly event: string;
  /** The count in `unit`; null: not counted, see `reason`. */
  readonly count: number | null;
  /** `msec`, `Joules`; empty: events. */
  readonly unit: string;
  /** Size of one event in `unit`. */
  readonly factor: number;
  readonly runningShare: number | null;
  readonly reason: string | null;
};

export type ConcurrentContext = {
  /** The events that are sampled, as they opened. */
  readonly sampled: readonly { readonly spec: EventSpec; readonly attr: EventAttr }[];
  readonly target: SamplerTarget;
  readonly opened: SamplerOpened;
  readonly cpus: readonly number[] | undefined;
  /** Path of the control group whose tasks are sampled; undefined: those of all groups. */
  readonly cgroup: string | undefined;
  readonly inherit: boolean;
  /** Counting begins with `enable`, not with the target. */
  readonly delayed: boolean;
  readonly notify: (notice: string) => void;
};

/**
 * Counters beside a recording: of the events that it samples, each by itself, and of the default set
 * of `stat`. They see what throttling, losses and the ends of periods keep from the samples. Open
 * them while the command is held; `enable` when the recording is started.
 */
export class ConcurrentCounters {
  readonly #counters: Counters;
  #rows: readonly ConcurrentCount[] | null = null;

  private constructor(counters: Counters) {
    this.#counters = counters;
  }

  static open(
    context: ConcurrentContext,
    binding: NativeBinding,
    sources: EventSources = readEventSources(),
  ): ConcurrentCounters {
    const { target, opened, cgroup, inherit, delayed, notify } = context;
    const systemWide = target.kind === 'system';
    const specs = chooseSpecs(context, systemWide, sources);
    const statTarget: StatTarget =
      target.kind === 'command'
        ? target
        : target.kind === 'system'
          ? { kind: 'system', command: target.command ?? null }
          : { kind: 'threads', tids: [...opened.tids], pids: [] };
    const cgroupFds = cgroup === undefined ? [] : [openCgroup(cgroup, RECORD.cgroup)];
    try {
      const counters = openCounters(groupSpecs(specs, sources, '/sys'), {
        target: statTarget,
        tids: target.kind === 'command' ? [opened.childPid] : [...opened.tids],
        cpus: context.cpus ?? onlineCpus(),
        cgroupCount: cgroupFds.length,
        cgroupFds,
        binding,
        sources,
        inherit,
        enableOnExec: target.kind === 'command' && !delayed,
        notify,
      });
      return new ConcurrentCounters(counters);
    } finally {
      for (const fd of cgroupFds) closeSync(fd);
    }
  }

  /** Begins to count what no exec begins to count. */
  start(): void {
    this.#counters.enable();
  }

  enable(): void {
    this.#counters.enable(true);
  }

  disable(): void {
    this.#counters.disable();
  }

  /** Reads and closes the counters; later calls give the same. */
  finish(): readonly ConcurrentCount[] {
    if (this.#rows !== null) return this.#rows;
    const counters = this.#counters;
    counters.disable();
    const finder = new UnitFinder('total', []);
    const tallies = tallyGroups(counters, counters.read(), null, finder);
    const rows = statRowsOf([tallies], counters, { elapsedNs: 0, slotsPerCycle: null });
    const factors = new Map(
      counters.groups.flatMap(({ events }) =>
        events.map(({ index, scale }) => [index, scale?.factor ?? 1] as const),
      ),
    );
    this.#rows = rows.map(({ index, event, value, countUnit, runningShare, reason }) => ({
      event,
      count: value,
      unit: countUnit,
      factor: factors.get(index) ?? 1,
      runningShare,
      reason,
    }));
    counters.close();
    return this.#rows;
  }
}

/** Each sampled event by itself, then what the default set has beyond them. */
function chooseSpecs(
  { sampled }: ConcurrentContext,
  systemWide: boolean,
  sources: EventSources,
): EventSpec[] {
  const alone = { group: -1, leader: false, sampleGroup: false, weakGroup: false };
  const own = sampled.map(({ spec, attr }) => ({
    ...spec,
    ...alone,
    preciseIp: 0 as const,
    exclude: { ...spec.exclude, kernel: attr.flags.excludeKernel },
  }));
  const isSampled = ({ type, config }: EventSpec): boolean =>
    own.some((spec) => spec.type === type && spec.config === config);
  const others = defaultEvents({ systemWide, detail: 0, opens: () => false }, sources);
  return [
    ...own,
    ...others.filter((spec) => !isSampled(spec)).map((spec) => ({ ...spec, ...alone })),
  ];
}
