import { ComputedOnce, type Slices } from '../../../../src/base/slices.ts';

/**
 * The results of the last few different inputs; what was used longest ago goes first. Given sizes, it
 * keeps no more than `budget` of them together, but the last one always.
 */
export class Recent<Value> {
  readonly #values = new Map<string, Value>();
  readonly #capacity: number;
  readonly #budget: number;
  readonly #sizeOf: (value: Value) => number;
  /** Values that are being computed, or were begun and left; the last few. */
  readonly #begun = new Map<string, ComputedOnce<Value>>();

  constructor(
    capacity: number,
    budget = Number.POSITIVE_INFINITY,
    sizeOf: (value: Value) => number = () => 0,
  ) {
    this.#capacity = capacity;
    this.#budget = budget;
    this.#sizeOf = sizeOf;
  }

  get(key: string, compute: () => Value): Value {
    const known = this.#values.get(key);
    const value = known ?? compute();
    this.#values.delete(key);
    this.#values.set(key, value);
    let size = 0;
    for (const kept of this.#values.values()) size += this.#sizeOf(kept);
    for (const [oldest, old] of this.#values) {
      const fits = this.#values.size <= this.#capacity && size <= this.#budget;
      if (fits || oldest === key) break;
      this.#values.delete(oldest);
      size -= this.#sizeOf(old);
    }
    return value;
  }

  /** Gets or computes a value in slices. Those who ask for what is being computed go on with it. */
  *getInSlices(key: string, compute: () => Slices<Value>): Slices<Value> {
    const known = this.#values.get(key);
    if (known !== undefined) return this.get(key, () => known);
    const begun = this.#begun.get(key) ?? new ComputedOnce(compute);
    this.#begun.set(key, begun);
    for (const oldest of this.#begun.keys()) {
      if (this.#begun.size <= this.#capacity) break;
      this.#begun.delete(oldest);
    }
    const value = yield* begun.get();
    this.#begun.delete(key);
    return this.get(key, () => value);
  }
}
