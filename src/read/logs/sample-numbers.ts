// Hot: once per sample.

import { grownFloat64 } from '../../base/growable-columns.ts';

const FIRST_CAPACITY = 4096;

/**
 * A column of samples that most recordings lack, NaN where a sample has no number: so it begins with the first number. The
 * running times that counters were read with are one, the threads that ran another.
 */
export class SampleNumbers {
  /** NaN behind the last row with a number. */
  #numbers: Float64Array | null = null;

  /** Row `sample` of the sample table has this number, which may be NaN. */
  note(sample: number, value: number): void {
    if (Number.isNaN(value)) return;
    if (this.#numbers === null || sample >= this.#numbers.length) this.#grow(sample + 1);
    (this.#numbers as Float64Array)[sample] = value;
  }

  /** Forgets all rows. */
  clear(): void {
    this.#numbers = null;
  }

  /** The numbers of the first `length` samples; null if none of them has one. */
  finish(length: number): Float64Array | null {
    if (this.#numbers === null) return null;
    if (this.#numbers.length < length) this.#grow(length);
    return this.#numbers.subarray(0, length);
  }

  #grow(least: number): void {
    const old = this.#numbers ?? new Float64Array();
    const capacity = Math.max(least, 2 * old.length, FIRST_CAPACITY);
    this.#numbers = grownFloat64(old, capacity).fill(Number.NaN, old.length);
  }
}
