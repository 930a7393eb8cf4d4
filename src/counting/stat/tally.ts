import { getOrMake } from '../../base/group-by.ts';
import type { Metric } from '../count/metric.ts';
import { groupMetrics } from '../count/metrics.ts';
import { type Spread, spreadOf } from '../count/spread.ts';
import {
  type InstanceReading,
  readingSince,
  type Sum,
  sumReadings,
} from '../count/sum-readings.ts';
import { onOwnCores } from './core-times.ts';
import type { CountedEvent } from './counted-group.ts';
import type { Counters, Snapshot } from './counters.ts';
import type { StatUnit, UnitFinder } from './units.ts';

/** The counts of a group for one unit. */
export type GroupTally = {
  readonly unit: StatUnit;
  readonly events: readonly CountedEvent[];
  /** Per event. */
  readonly sums: readonly Sum[];
};

/** One line of a report: an event, for everything or for one unit. */
export type StatRow = {
  readonly unit: StatUnit;
  /** Position of the event among those asked for; a group's are counted together. */
  readonly index: number;
  readonly event: string;
  /** Rows of the same unit and number were counted in the same time; −1 for what was not counted. */
  readonly group: number;
  /** The count in `countUnit`, scaled up where it shared its counter. Null: not counted, see `reason`. */
  readonly value: number | null;
  /** `msec`, `Joules`; empty: events. */
  readonly countUnit: string;
  /** Nanoseconds, of all instances together. */
  readonly enabledNs: number;
  readonly runningNs: number;
  /** 0…1; below 1 the value is an estimate. Null if it was not enabled. */
  readonly runningShare: number | null;
  /** Spread over several runs. */
  readonly spread: Spread | null;
  readonly metrics: readonly Metric[];
  /** The reason why `value` is null; null otherwise. */
  readonly reason: string | null;
};

/** Adds up the instances of each group by unit; `before` is taken off, if there is one. */
export function tallyGroups(
  counters: Counters,
  now: Snapshot,
  before: Snapshot | null,
  finder: UnitFinder,
): GroupTally[] {
  const readings = onOwnCores(counters.groups, before === null ? now : since(now, before));
  return counters.groups.flatMap(({ events, instances }, g) => {
    const units = new Map<string, InstanceReading[][]>();
    instances.forEach(({ place }, i) => {
      const label = finder.labelOf(place);
      const columns = getOrMake(units, label, () => events.map(() => []));
      (readings[g]?.[i] ?? []).forEach((reading, e) => {
        columns[e]?.push(reading);
      });
    });
    return [...units].map(([label, columns]) => ({
      unit: { label, places: columns[0]?.length ?? 0 },
      events,
      sums: columns.map(sumReadings),
    }));
  });
}

function since(now: Snapshot, before: Snapshot): Snapshot {
  return now.map((instances, g) =>
    instances.map((readings, i) =>
      readings.map((reading, e) => {
        const earlier = before[g]?.[i]?.[e];
        return earlier === undefined ? reading : readingSince(reading, earlier);
      }),
    ),
  );
}

export type RowContext = {
  /** Wall time, nanoseconds. */
  readonly elapsedNs: number;
  readonly slotsPerCycle: number | null;
};

/**
 * The lines of a report from the tallies of its runs: counts are means, metrics follow from the
 * means of a group. By unit, and in it in the order of the events.
 */
export function statRowsOf(
  runs: readonly (readonly GroupTally[])[],
  counters: Counters,
  context: RowContext,
): StatRow[] {
  const rows: StatRow[] = [];
  const [first = []] = runs;
  first.forEach((tally, number) => {
    const ofRuns = runs.map((run) => findTally(run, tally)).filter((found) => found !== undefined);
    rows.push(...tallyRows(tally, ofRuns, number, counters, context));
  });
  for (const { event, reason } of counters.refused) {
    rows.push(refusedRow(event, reason));
  }
  return rows.sort(byUnitThenEvent);
}

function findTally(run: readonly GroupTally[], like: GroupTally): GroupTally | undefined {
  return run.find(
    ({ unit, events }) =>
      unit.label === like.unit.label && events[0]?.index === like.events[0]?.index,
  );
}

function tallyRows(
  { unit, events }: GroupTally,
  runs: readonly GroupTally[],
  group: number,
  counters: Counters,
  context: RowContext,
): StatRow[] {
  const sums = events.map((_, e) => meanSum(runs.map(({ sums }) => sums[e])));
  const metrics = groupMetrics(
    events.map(({ role, domain, scale }, e) => {
      const { value, counted, runningNs } = sums[e];
      const factor = role === 'energy' ? (scale?.factor ?? 1) : 1;
      const scaled = value === null ? null : value * factor;
      return { role, domain, value: scaled, counted, runningNs };
    }),
    {
      elapsedNs: context.elapsedNs,
      ...(context.slotsPerCycle !== null && { slotsPerCycle: context.slotsPerCycle }),
    },
  );
  return events.map((event, e) => {
    const sum = sums[e];
    const factor = event.scale?.factor ?? 1;
    const values = runs.flatMap(({ sums }) => {
      const value = sums[e]?.value ?? null;
      return value === null ? [] : [value * factor];
    });
    return {
      unit,
      index: event.index,
      event: event.name,
      group,
      value: sum.value === null ? null : sum.value * factor,
      countUnit: event.scale?.unit ?? '',
      enabledNs: sum.enabledNs,
      runningNs: sum.runningNs,
      runningShare: sum.runningShare,
      spread: runs.length > 1 ? spreadOf(values) : null,
      metrics: metrics[e] ?? [],
      reason: sum.value === null ? whyNotCounted(event, sum, counters) : null,
    };
  });
}

/** The mean of what was counted; runs that counted nothing don't make it smaller. */
function meanSum(sums: readonly Sum[]): Sum {
  if (sums.length === 1) return sums[0];
  const known = sums.filter(({ value }) => value !== null);
  if (known.length === 0) return sums[0];
  const mean = (pick: (sum: Sum) => number): number =>
    known.reduce((total, sum) => total + pick(sum), 0) / known.length;
  const enabledNs = mean((sum) => sum.enabledNs);
  const runningNs = mean((sum) => sum.runningNs);
  return {
    value: mean((sum) => sum.value as number),
    counted: mean((sum) => sum.counted),
    enabledNs,
    runningNs,
    runningShare: enabledNs > 0 ? Math.min(1, runningNs / enabledNs) : null,
  };
}

function whyNotCounted(event: CountedEvent, { enabledNs }: Sum, counters: Counters): string {
  if (counters.unscheduled.has(event)) return 'pinned, and the counters were not free';
  if (enabledNs === 0 && event.coreType !== null) {
    return `nothing ran on a core of this kind (${event.coreType.name})`;
  }
  return enabledNs > 0
    ? 'never on a counter: others took them all'
    : 'what it counts did not run in this time';
}

function refusedRow(event: CountedEvent, reason: string): StatRow {
  return {
    unit: { label: '', places: 0 },
    index: event.index,
    event: event.name,
    group: -1,
    value: null,
    countUnit: event.scale?.unit ?? '',
    enabledNs: 0,
    runningNs: 0,
    runningShare: null,
    spread: null,
    metrics: [],
    reason,
  };
}

/** Units as people count: CPU2 before CPU10. What was not counted comes last where there are units. */
function byUnitThenEvent(a: StatRow, b: StatRow): number {
  const order = compareLabels(a.unit.label, b.unit.label);
  return order !== 0 ? order : a.index - b.index;
}

function compareLabels(a: string, b: string): number {
  if (a === b) return 0;
  if (a === '' || b === '') return a === '' ? 1 : -1;
  const split = (label: string) => label.split(/(\d+)/);
  const [left, right] = [split(a), split(b)];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const [x, y] = [left[i], right[i]];
    if (x === y) continue;
    // Odd positions are the numbers.
    return i % 2 === 1 ? Number(x) - Number(y) : x < y ? -1 : 1;
  }
  return left.length - right.length;
}
