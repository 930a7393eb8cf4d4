import {
  CounterGroup,
  type CounterHandle,
  type UserReader,
} from '../../../src/counting/count/counter-group.ts';

/** How much each counter and the two times go forward. */
export type Step = {
  readonly values: readonly (number | bigint)[];
  readonly enabledNs: number;
  /** Default: as long as enabled. */
  readonly runningNs?: number;
};

/**
 * Counters that a test moves by hand, and that answer like the kernel: what happens while the group
 * is disabled is not counted, and a reading is `nr, enabled, running, (value, id, lost) …`.
 */
export class DrawnCounters implements CounterHandle {
  readonly ids: BigUint64Array;
  /** Order in which the kernel lists the members; the order of the keys unless said otherwise. */
  order: number[];
  isEnabled = false;
  isClosed = false;
  /** What was called, in order. */
  readonly calls: string[] = [];
  /** Each reading counts this much of itself while the group is enabled. */
  costOfRead: Step | null = null;
  /** Each pair of enable and disable counts this much of itself. */
  costOfPair: Step | null = null;
  /** What `read` gives instead of the whole reading. */
  bytes: number | null = null;
  allowsUserReads = false;
  readonly values: bigint[];
  private enabledNs = 0n;
  private runningNs = 0n;
  private readonly hasLost: boolean;

  constructor(members: number, { hasLost = true } = {}) {
    this.hasLost = hasLost;
    this.ids = BigUint64Array.from({ length: members }, (_, i) => BigInt(700 + i));
    this.order = Array.from({ length: members }, (_, i) => i);
    this.values = Array.from({ length: members }, () => 0n);
  }

  /** What the program does. */
  happen({ values, enabledNs, runningNs = enabledNs }: Step): void {
    if (!this.isEnabled) return;
    values.forEach((value, i) => {
      this.values[i] = this.values[i] + BigInt(value);
    });
    this.enabledNs += BigInt(enabledNs);
    this.runningNs += BigInt(runningNs);
  }

  enable(): void {
    this.calls.push('enable');
    this.isEnabled = true;
  }

  disable(): void {
    this.calls.push('disable');
    if (this.costOfPair !== null) this.happen(this.costOfPair);
    this.isEnabled = false;
  }

  read(into: BigUint64Array): number {
    this.calls.push('read');
    if (this.costOfRead !== null) this.happen(this.costOfRead);
    const members = this.order.flatMap((i) => [
      this.values[i],
      this.ids[i],
      ...(this.hasLost ? [0n] : []),
    ]);
    into.set([BigInt(this.values.length), this.enabledNs, this.runningNs, ...members]);
    return this.bytes ?? 8 * (3 + members.length);
  }

  /** A reader in user space, which reads once `allowsUserReads`. */
  userReader(): UserReader {
    const values = new BigUint64Array(this.values.length);
    return {
      values,
      read: () => {
        this.calls.push('rdpmc');
        if (!this.allowsUserReads || this.isClosed) return false;
        values.set(this.values);
        return true;
      },
    };
  }

  close(): void {
    this.isClosed = true;
  }
}

/** A group over drawn counters. */
export function drawnGroup<const Key extends string>(
  keys: readonly Key[],
  { hasLost = true, mapsUserPages = false } = {},
): { group: CounterGroup<Key>; counters: DrawnCounters } {
  const counters = new DrawnCounters(keys.length, { hasLost });
  const userReader = mapsUserPages ? counters.userReader() : null;
  return { group: new CounterGroup(keys, counters, { hasLost, userReader }), counters };
}
