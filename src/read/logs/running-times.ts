// Hot: once per sample.

const FIRST_CAPACITY = 4096;

/**
 * Per sample the running time that its counter was read with, NaN where it was not read. Most
 * recordings read none, so the column begins with the first.
 */
export class RunningTimes {
  /** NaN behind the last row with a time. */
  #times: Float64Array | null = null;

  /** Row `sample` of the sample table has this time, which may be NaN. */
  note(sample: number, runningNs: number): void {
    if (Number.isNaN(runningNs)) return;
    if (this.#times === null || sample >= this.#times.length) this.#grow(sample + 1);
    (this.#times as Float64Array)[sample] = runningNs;
  }

  /** Forgets all rows. */
  clear(): void {
    this.#times = null;
  }

  /** Times of the first `length` samples; null if none of them has a time. */
  finish(length: number): Float64Array | null {
    if (this.#times === null) return null;
    if (this.#times.length < length) this.#grow(length);
    return this.#times.subarray(0, length);
  }

  #grow(least: number): void {
    const old = this.#times ?? new Float64Array();
    const grown = new Float64Array(Math.max(least, 2 * old.length, FIRST_CAPACITY));
    grown.set(old);
    this.#times = grown.fill(Number.NaN, old.length);
  }
}
