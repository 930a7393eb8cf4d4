import { getOrMake } from '../../base/group-by.ts';
import { checkArguments } from '../../options/arguments.ts';
import type { CounterGroup } from './counter-group.ts';
import { type Counts, type GroupReading, keyed, readingOf } from './group-reading.ts';

/**
 * One named region, all its calls together.
 *
 *     load          total 120   self 20
 *       parse       total 100   self 100
 */
export type RegionReport<Key extends string> = {
  readonly name: string;
  readonly calls: number;
  /** Counts including the regions inside. */
  readonly total: GroupReading<Key>;
  /** Counts excluding the regions inside; null where one of them is asynchronous: such calls may overlap. */
  readonly self: Counts<Key> | null;
  /** An asynchronous call was among them: what else the thread did meanwhile is counted too. */
  readonly shared: boolean;
  readonly inside: readonly RegionReport<Key>[];
};

/**
 * Named stretches of code, counted by one group, one inside of another:
 *
 *     const regions = new Regions(group);
 *     regions.measure('load', (load) => {
 *       const text = read();
 *       return load.measure('parse', () => parse(text));
 *     });
 *
 * A region is told who is inside of it by being handed to the function: so asynchronous functions
 * nest as they are written, not as the event loop mixes them.
 *
 * @example
 * ```ts
 * import { openGroup, Regions } from 'perf-ts';
 *
 * using group = openGroup(['task-clock', 'page-faults']);
 * const regions = new Regions(group);
 * regions.measure('request', (request) => {
 *   const rows = request.measure('split', () => '1,2,3'.split(','));
 *   return request.measure('sum', () => rows.reduce((sum, row) => sum + Number(row), 0));
 * });
 * for (const { name, calls, inside } of regions.report()) console.log(name, calls, inside.length);
 * ```
 */
export class Regions<Key extends string> {
  readonly #group: CounterGroup<Key>;
  readonly #inside = new Map<string, Region<Key>>();

  constructor(group: CounterGroup<Key>) {
    checkArguments({ group });
    this.#group = group;
  }

  /**
   * Counts what `fn` does under `name`; gives what it returns. Calls of one name add up;
   * one that throws is left out.
   */
  measure<Value>(name: string, fn: (region: Regions<Key>) => Value): Value {
    const region = getOrMake(this.#inside, name, () => ({
      nested: new Regions(this.#group),
      calls: 0,
      shared: false,
      ...zeros(this.#group),
    }));
    const measured: unknown = this.#group.measure<unknown>(() => fn(region.nested));
    if (measured instanceof Promise) {
      return measured.then((settled) => add(region, settled, this.#group.keys)) as Value;
    }
    return add(region, measured as Call<Key>, this.#group.keys) as Value;
  }

  /** Regions in the order of their first call. */
  report(): RegionReport<Key>[] {
    const { keys } = this.#group;
    return [...this.#inside].map(([name, region]) => {
      const inside = region.nested.report();
      const total = readingOf(keys, region);
      const { shared } = region;
      const isMixed = shared || inside.some((one) => one.shared);
      return {
        name,
        calls: region.calls,
        total,
        self: isMixed && inside.length > 0 ? null : without(total, inside, keys),
        shared,
        inside,
      };
    });
  }
}

type Region<Key extends string> = {
  readonly nested: Regions<Key>;
  calls: number;
  shared: boolean;
  /** Σ of the raw counts, in the order of the keys. */
  values: bigint[];
  enabledNs: bigint;
  runningNs: bigint;
};

type Call<Key extends string> = GroupReading<Key> & {
  readonly value: unknown;
  readonly shared: boolean;
};

function zeros<Key extends string>(group: CounterGroup<Key>) {
  return { values: group.keys.map(() => 0n), enabledNs: 0n, runningNs: 0n };
}

function add<Key extends string>(region: Region<Key>, call: Call<Key>, keys: readonly Key[]) {
  region.calls++;
  region.shared ||= call.shared;
  region.enabledNs += BigInt(call.enabledNs);
  region.runningNs += BigInt(call.runningNs);
  keys.forEach((key, i) => {
    region.values[i] = region.values[i] + (call.raw[key] ?? 0n);
  });
  return call.value;
}

function without<Key extends string>(
  total: GroupReading<Key>,
  inside: readonly RegionReport<Key>[],
  keys: readonly Key[],
): Counts<Key> {
  return keyed(keys, (key) => {
    const all = total.counts[key];
    if (all === null) return null;
    const left = inside.reduce((rest, one) => rest - (one.total.counts[key] ?? 0n), all);
    return left > 0n ? left : 0n;
  });
}
