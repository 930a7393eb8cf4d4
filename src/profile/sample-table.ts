import { GrowableFloat64, GrowableInt32 } from '../base/growable-columns.ts';
import type { SampleIndex, SampleTable } from './types.ts';

/** Builds the sample table. Samples are added in time order; see `SampleTable` for each column. */
export class SampleTableBuilder {
  readonly #stack = new GrowableInt32();
  readonly #thread = new GrowableInt32();
  readonly #comm = new GrowableInt32();
  readonly #event = new GrowableInt32();
  readonly #stream = new GrowableInt32();
  readonly #cpu = new GrowableInt32();
  readonly #timeNs = new GrowableFloat64();
  readonly #periodEvents = new GrowableFloat64();
  readonly #count = new GrowableFloat64();

  get length(): number {
    return this.#stack.length;
  }

  // Hot: once per sample.
  add(
    stack: number,
    thread: number,
    comm: number,
    event: number,
    stream: number,
    cpu: number,
    timeNs: number,
    periodEvents: number,
    count: number,
  ): SampleIndex {
    const sample = this.#stack.length;
    this.#stack.push(stack);
    this.#thread.push(thread);
    this.#comm.push(comm);
    this.#event.push(event);
    this.#stream.push(stream);
    this.#cpu.push(cpu);
    this.#timeNs.push(timeNs);
    this.#periodEvents.push(periodEvents);
    this.#count.push(count);
    return sample as SampleIndex;
  }

  finish(): SampleTable {
    return {
      length: this.length,
      stack: this.#stack.finish(),
      thread: this.#thread.finish(),
      comm: this.#comm.finish(),
      event: this.#event.finish(),
      stream: this.#stream.finish(),
      cpu: this.#cpu.finish(),
      timeNs: this.#timeNs.finish(),
      periodEvents: this.#periodEvents.finish(),
      count: this.#count.finish(),
    };
  }
}
