import type { NativeCounterGroup } from '../../native/types.ts';
import { CounterError } from '../count/counter-error.ts';
import { GroupLayout } from '../count/group-layout.ts';
import type { InstanceReading } from '../count/sum-readings.ts';
import type { CountedEvent } from './counted-group.ts';
import type { Place } from './places.ts';

/** One group, open at one place. */
export type Instance = {
  readonly group: NativeCounterGroup;
  readonly place: Place;
  /** Enabled by the target's exec. */
  readonly enabledByExec: boolean;
};

/** A group as it opened, at all of its places. */
export type OpenGroup = {
  readonly events: readonly CountedEvent[];
  readonly instances: readonly Instance[];
};

/** An event that is not counted, and why: in words, with the kernel's errno where it refused. */
export type Refused = {
  readonly event: CountedEvent;
  readonly code: string | null;
  readonly reason: string;
};

/** One reading of everything: per open group and instance, the members' readings. */
export type Snapshot = readonly (readonly (readonly InstanceReading[])[])[];

const NOTHING: InstanceReading = { value: 0, enabledNs: 0, runningNs: 0 };

/** The counters of one run, open. Values are doubles: exact below 2^53 for each instance. */
export class Counters {
  readonly groups: readonly OpenGroup[];
  readonly refused: readonly Refused[];
  /** Pinned groups that the kernel has taken off the PMU for good. */
  readonly unscheduled = new Set<CountedEvent>();
  readonly #layouts: readonly (readonly GroupLayout[])[];

  constructor(groups: readonly OpenGroup[], refused: readonly Refused[]) {
    this.groups = groups;
    this.refused = refused;
    this.#layouts = groups.map(({ instances }) =>
      instances.map(({ group }) => new GroupLayout(group.ids, false)),
    );
  }

  /** Everything that no exec enables; `all`: that too. */
  enable(all = false): void {
    for (const { instances } of this.groups) {
      for (const { group, enabledByExec } of instances) if (all || !enabledByExec) group.enable();
    }
  }

  disable(): void {
    for (const { instances } of this.groups) for (const { group } of instances) group.disable();
  }

  read(): Snapshot {
    return this.groups.map(({ events, instances }, g) =>
      instances.map(({ group }, i) => {
        const layout = this.#layouts[g][i];
        return this.#readInstance(events, group, layout);
      }),
    );
  }

  close(): void {
    for (const { instances } of this.groups) for (const { group } of instances) group.close();
  }

  #readInstance(
    events: readonly CountedEvent[],
    group: NativeCounterGroup,
    layout: GroupLayout,
  ): InstanceReading[] {
    try {
      layout.accept(group.read(layout.words));
    } catch (error) {
      if (!(error instanceof CounterError) || error.code !== 'ERR_NOT_SCHEDULED') throw error;
      for (const event of events) this.unscheduled.add(event);
      return events.map(() => NOTHING);
    }
    const words = layout.snapshot();
    const enabledNs = Number(words[events.length]);
    const runningNs = Number(words[events.length + 1]);
    return events.map((_, i) => ({ value: Number(words[i]), enabledNs, runningNs }));
  }
}
