import { checkArguments } from '../../options/arguments.ts';
import { scaleCount } from './scale-count.ts';

/** Per event, under the name it was asked for by; null: not counted, which is not 0. */
export type Counts<Key extends string> = { readonly [Name in Key]: bigint | null };

/** The counts of a group over an interval of time. */
export type GroupReading<Key extends string> = {
  /**
   * Exact where `scaled` is false. Otherwise estimates: what was counted while the group was on the
   * PMU, times enabled over running. Null where it was never on the PMU.
   */
  readonly counts: Counts<Key>;
  /** The count itself, whatever the share. */
  readonly raw: Counts<Key>;
  /** The group shared its counters with others (was multiplexed). */
  readonly scaled: boolean;
  /** Running over enabled: 1 is always on the PMU, 0 never. Null: it was not enabled at all. */
  readonly runningShare: number | null;
  /** Nanoseconds for which the group was to count, and for which it did. */
  readonly enabledNs: number;
  readonly runningNs: number;
};

/** Deltas of one stretch, as the kernel's counters tell them; `values` in the order of the keys. */
export type Deltas = {
  readonly values: readonly bigint[];
  readonly enabledNs: bigint;
  readonly runningNs: bigint;
};

/** The reading of one stretch, each count scaled to the whole of the enabled time. */
export function readingOf<Key extends string>(
  keys: readonly Key[],
  { values, enabledNs, runningNs }: Deltas,
): GroupReading<Key> {
  const wasCounted = runningNs > 0n;
  const scaled = wasCounted && runningNs < enabledNs;
  const raw = countsOf(keys, (i) => (wasCounted ? values[i] : null));
  return {
    counts: scaled ? countsOf(keys, (i) => scaleCount(values[i], enabledNs, runningNs)) : raw,
    raw,
    scaled,
    runningShare: enabledNs === 0n ? null : Number(runningNs) / Number(enabledNs),
    enabledNs: Number(enabledNs),
    runningNs: Number(runningNs),
  };
}

/**
 * The counts as numbers: exact below 2^53, above it the nearest double.
 *
 * @example
 * ```ts
 * import { countNumbers, openGroup } from 'perf-ts';
 *
 * using group = openGroup({ faults: 'page-faults', time: 'task-clock' });
 * const { counts } = group.measure(() => new Array(1e6).fill(0));
 * console.log(JSON.stringify(countNumbers(counts))); // JSON has no bigint
 * ```
 */
export function countNumbers<Key extends string>(
  counts: Counts<Key>,
): { readonly [Name in Key]: number | null } {
  checkArguments({ counts });
  const keys = Object.keys(counts) as Key[];
  const number = (count: bigint | null) => (count === null ? null : Number(count));
  return keyed(keys, (key) => number(counts[key]));
}

function countsOf<Key extends string>(
  keys: readonly Key[],
  countOf: (index: number) => bigint | null,
): Counts<Key> {
  return keyed(keys, (_, index) => countOf(index));
}

/** An object with a value for each key. */
export function keyed<Key extends string, Value>(
  keys: readonly Key[],
  make: (key: Key, index: number) => Value,
): { readonly [Name in Key]: Value } {
  const entries = keys.map((key, index) => [key, make(key, index)] as const);
  return Object.fromEntries(entries) as { [Name in Key]: Value };
}
