import { checkArguments } from '../../options/arguments.ts';
import { checkOptions } from '../../options/check.ts';
import { REPEAT, type RepeatOptions } from '../../options/counting.ts';
import type { CounterGroup, Measured } from './counter-group.ts';
import { type GroupReading, keyed } from './group-reading.ts';
import { type Spread, spreadOf } from './spread.ts';

/** Counts of one call, over several measurements. */
export type Repeated<Key extends string, Value> = {
  /** Null for an event that was never counted. */
  readonly perCall: { readonly [Name in Key]: (Spread & { readonly median: number }) | null };
  /** Each measurement as it was; its counts are of all its calls. */
  readonly readings: readonly GroupReading<Key>[];
  /** The last call's return value. */
  readonly value: Value;
  readonly shared: boolean;
};

/**
 * Measures `fn` again and again after a warm-up. Each measurement is a region of its own: what lies
 * between them is not counted.
 *
 * @example
 * ```ts
 * import { measureRepeated, openGroup, type RepeatOptions } from 'perf-ts';
 *
 * const options: RepeatOptions = { warmUp: 5, runs: 20, calls: 10 };
 * using group = openGroup(['task-clock']);
 * const { perCall } = measureRepeated(group, () => '1,2,3'.split(','), options);
 * console.log(perCall['task-clock']?.median);
 * ```
 */
export function measureRepeated<Key extends string, Value>(
  group: CounterGroup<Key>,
  fn: () => PromiseLike<Value>,
  options?: RepeatOptions,
): Promise<Repeated<Key, Value>>;
export function measureRepeated<Key extends string, Value>(
  group: CounterGroup<Key>,
  fn: () => Value,
  options?: RepeatOptions,
): Repeated<Key, Value>;
export function measureRepeated<Key extends string, Value>(
  group: CounterGroup<Key>,
  fn: () => Value | PromiseLike<Value>,
  options: RepeatOptions = {},
): Repeated<Key, Value> | Promise<Repeated<Key, Value>> {
  checkArguments({ group, fn });
  checkOptions(REPEAT, options, 'measureRepeated');
  const { warmUp = 3, runs = 10, calls = 1 } = options;
  // One call tells whether it is asynchronous; it is part of the warm-up, or comes before it.
  const first = fn();
  if (isPromise(first)) {
    return repeatAsync(group, first, fn as () => PromiseLike<Value>, warmUp, runs, calls);
  }
  const sync = fn as () => Value;
  for (let i = 1; i < warmUp; i++) sync();
  const body = (): Value => {
    let value = sync();
    for (let i = 1; i < calls; i++) value = sync();
    return value;
  };
  const measured: Measured<Key, Value>[] = [];
  for (let run = 0; run < runs; run++) measured.push(group.measure(body));
  return summarize(group.keys, measured, calls);
}

async function repeatAsync<Key extends string, Value>(
  group: CounterGroup<Key>,
  first: PromiseLike<Value>,
  fn: () => PromiseLike<Value>,
  warmUp: number,
  runs: number,
  calls: number,
): Promise<Repeated<Key, Value>> {
  await first;
  for (let i = 1; i < warmUp; i++) await fn();
  const body = async (): Promise<Value> => {
    let value = await fn();
    for (let i = 1; i < calls; i++) value = await fn();
    return value;
  };
  const measured: Measured<Key, Value>[] = [];
  for (let run = 0; run < runs; run++) measured.push(await group.measure(body));
  return summarize(group.keys, measured, calls);
}

function summarize<Key extends string, Value>(
  keys: readonly Key[],
  measured: readonly Measured<Key, Value>[],
  calls: number,
): Repeated<Key, Value> {
  const last = measured[measured.length - 1];
  return {
    perCall: keyed(keys, (key) => {
      const counts = measured.map(({ counts }) => counts[key]).filter((count) => count !== null);
      const values = counts.map((count) => Number(count) / calls);
      const spread = spreadOf(values);
      return spread === null ? null : { ...spread, median: medianOf(values) };
    }),
    readings: measured.map(({ value: _value, shared: _shared, ...reading }) => reading),
    value: last.value,
    shared: last.shared,
  };
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle];
  return sorted.length % 2 === 1 ? upper : (sorted[middle - 1] + upper) / 2;
}

function isPromise<Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> {
  return typeof (value as PromiseLike<Value> | null)?.then === 'function';
}
