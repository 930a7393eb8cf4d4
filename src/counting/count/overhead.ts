import { checkArguments } from '../../options/arguments.ts';
import { checkOptions } from '../../options/check.ts';
import { OVERHEAD, type OverheadOptions } from '../../options/counting.ts';
import type { CounterGroup, Measured } from './counter-group.ts';
import { type Counts, type GroupReading, keyed, readingOf } from './group-reading.ts';

/** The counts and times that measuring itself adds, as medians. */
export type Overhead<Key extends string> = {
  /** Counts of an empty function: the cost of one enable and disable. */
  readonly pair: Counts<Key>;
  /** Nanoseconds that an empty function takes, as the group's own enabled time. */
  readonly pairNs: number;
  /** Counts of one read while the group counts: the further cost of a nested measurement. */
  readonly read: Counts<Key>;
  readonly readNs: number;
};

/**
 * Measures empty functions, alone and inside of another measurement. The group must be disabled. The
 * first rounds compile the code and are left out.
 *
 * @example
 * ```ts
 * import { measureOverhead, type OverheadOptions, openGroup } from 'perf-ts';
 *
 * const options: OverheadOptions = { rounds: 50, warmUp: 10 };
 * using group = openGroup(['task-clock']);
 * console.log(measureOverhead(group, options).pair['task-clock']); // nanoseconds of measuring nothing
 * ```
 */
export function measureOverhead<Key extends string>(
  group: CounterGroup<Key>,
  options: OverheadOptions = {},
): Overhead<Key> {
  checkArguments({ group });
  checkOptions(OVERHEAD, options, 'measureOverhead');
  const { rounds = 200, warmUp = 50 } = options;
  const empty = (): void => {};
  const measureTimes = (times: number) => {
    const readings: Measured<Key, void>[] = [];
    for (let i = 0; i < times; i++) readings.push(group.measure(empty));
    return readings;
  };
  measureTimes(warmUp);
  const alone = medianReading(group.keys, measureTimes(rounds));
  const nested = group.measure(() => {
    measureTimes(warmUp);
    return measureTimes(rounds);
  });
  const inside = medianReading(group.keys, nested.value);
  return {
    pair: alone.counts,
    pairNs: alone.enabledNs,
    read: inside.counts,
    readNs: inside.enabledNs,
  };
}

/**
 * A reading without what measuring it cost; no count falls below 0.
 *
 * @example
 * ```ts
 * import { measureOverhead, openGroup, subtractOverhead } from 'perf-ts';
 *
 * using group = openGroup(['task-clock']);
 * const overhead = measureOverhead(group);
 * const reading = group.measure(() => JSON.stringify(Array.from({ length: 1e4 }).keys()));
 * console.log(subtractOverhead(reading, overhead.pair)['task-clock']);
 * ```
 */
export function subtractOverhead<Key extends string>(
  reading: GroupReading<Key>,
  cost: Counts<Key>,
): Counts<Key> {
  checkArguments({ reading, cost });
  const keys = Object.keys(reading.counts) as Key[];
  return keyed(keys, (key) => {
    const count = reading.counts[key];
    if (count === null) return null;
    const left = count - (cost[key] ?? 0n);
    return left > 0n ? left : 0n;
  });
}

function medianReading<Key extends string>(
  keys: readonly Key[],
  readings: readonly GroupReading<Key>[],
): GroupReading<Key> {
  const median = (values: readonly bigint[]) =>
    values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))[values.length >> 1] ?? 0n;
  return readingOf(keys, {
    values: keys.map((key) => median(readings.map(({ counts }) => counts[key] ?? 0n))),
    enabledNs: median(readings.map(({ enabledNs }) => BigInt(enabledNs))),
    runningNs: median(readings.map(({ runningNs }) => BigInt(runningNs))),
  });
}
