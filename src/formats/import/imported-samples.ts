import { GrowableFloat64, GrowableInt32 } from '../../base/growable-columns.ts';
import { StringTable } from '../../base/string-table.ts';

/** A sample as a text has it. */
export type ImportedSample = {
  readonly comm: string;
  /** −1 where the text has none. */
  readonly pid: number;
  readonly tid: number;
  readonly cpu: number;
  /** Raw nanoseconds; null where the text has none. */
  readonly time: bigint | null;
  readonly event: number;
  readonly period: number;
};

/** The samples of a text in the order of their lines, a column each: a text may have millions. */
export class ImportedSamples {
  readonly #comms = new StringTable();
  readonly #comm = new GrowableInt32();
  readonly #pid = new GrowableInt32();
  readonly #tid = new GrowableInt32();
  readonly #cpu = new GrowableInt32();
  readonly #event = new GrowableInt32();
  readonly #stack = new GrowableInt32();
  readonly #period = new GrowableFloat64();
  /** Nanoseconds since the first time of the text, less than 0 for earlier ones; NaN without a time. */
  readonly #sinceFirst = new GrowableFloat64();
  #first: bigint | null = null;
  /** Nanoseconds since the first time at which the recording began; none is said: infinite. */
  #begin = Number.POSITIVE_INFINITY;
  #periodsAreCounts = false;

  add({ comm, pid, tid, cpu, time, event, period }: ImportedSample, stack: number): void {
    this.#comm.push(this.#comms.intern(comm));
    this.#pid.push(pid);
    this.#tid.push(tid);
    this.#cpu.push(cpu);
    this.#event.push(event);
    this.#stack.push(stack);
    this.#period.push(period);
    if (time !== null) this.#first ??= time;
    this.#sinceFirst.push(
      time === null || this.#first === null ? Number.NaN : Number(time - this.#first),
    );
  }

  /** Takes a time for that of the recording's begin, which may be before its first sample. */
  beginAt(time: bigint): void {
    this.#first ??= time;
    this.#begin = Math.min(this.#begin, Number(time - this.#first));
  }

  /** A period of n is n samples with a period of 1 from now on. */
  takePeriodsAsCounts(): void {
    this.#periodsAreCounts = true;
  }

  /** The earliest time, that of the begin included, raw nanoseconds; null if the text has no times. */
  get start(): bigint | null {
    if (this.#first === null) return null;
    return this.#first + BigInt(this.#earliest());
  }

  /**
   * Calls `visit` with each sample by time, equal times in the order of their lines. `timeNs` is since
   * the start, 0 without a time; the sample stands for `times` equal ones.
   */
  forEachInTimeOrder(
    visit: (sample: ImportedSample, stack: number, timeNs: number, times: number) => void,
  ): void {
    const earliest = this.#first === null ? 0 : this.#earliest();
    const timeNs = this.#sinceFirst.array
      .slice(0, this.#sinceFirst.length)
      .map((since) => (Number.isNaN(since) ? 0 : since - earliest));
    const order = Uint32Array.from(timeNs, (_, row) => row);
    order.sort((a, b) => timeNs[a] - timeNs[b] || a - b);
    for (const row of order) {
      const period = this.#period.array[row];
      const sample = {
        comm: this.#comms.strings[this.#comm.array[row]],
        pid: this.#pid.array[row],
        tid: this.#tid.array[row],
        cpu: this.#cpu.array[row],
        time: null,
        event: this.#event.array[row],
        period: this.#periodsAreCounts ? 1 : period,
      };
      visit(sample, this.#stack.array[row], timeNs[row], this.#periodsAreCounts ? period : 1);
    }
  }

  #earliest(): number {
    let earliest = this.#begin;
    for (let row = 0; row < this.#sinceFirst.length; row++) {
      const since = this.#sinceFirst.array[row];
      if (since < earliest) earliest = since;
    }
    return earliest;
  }
}
