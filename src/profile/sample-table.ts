import type { SampleIndex, SampleTable } from './types.ts';

const FIRST_CAPACITY = 4096;

/**
 * Builds the sample table. Samples are added in time order; see `SampleTable` for each column. All
 * columns have one capacity, which is looked at once per sample.
 */
export class SampleTableBuilder {
  #capacity = FIRST_CAPACITY;
  #length = 0;
  #stack = new Int32Array(FIRST_CAPACITY);
  #thread = new Int32Array(FIRST_CAPACITY);
  #comm = new Int32Array(FIRST_CAPACITY);
  #event = new Int32Array(FIRST_CAPACITY);
  #stream = new Int32Array(FIRST_CAPACITY);
  #cpu = new Int32Array(FIRST_CAPACITY);
  #timeNs = new Float64Array(FIRST_CAPACITY);
  #periodEvents = new Float64Array(FIRST_CAPACITY);
  #count = new Float64Array(FIRST_CAPACITY);

  get length(): number {
    return this.#length;
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
    const row = this.#length;
    if (row === this.#capacity) this.#grow();
    this.#stack[row] = stack;
    this.#thread[row] = thread;
    this.#comm[row] = comm;
    this.#event[row] = event;
    this.#stream[row] = stream;
    this.#cpu[row] = cpu;
    this.#timeNs[row] = timeNs;
    this.#periodEvents[row] = periodEvents;
    this.#count[row] = count;
    this.#length = row + 1;
    return row as SampleIndex;
  }

  finish(): SampleTable {
    const length = this.#length;
    return {
      length,
      stack: this.#stack.slice(0, length),
      thread: this.#thread.slice(0, length),
      comm: this.#comm.slice(0, length),
      event: this.#event.slice(0, length),
      stream: this.#stream.slice(0, length),
      cpu: this.#cpu.slice(0, length),
      timeNs: this.#timeNs.slice(0, length),
      periodEvents: this.#periodEvents.slice(0, length),
      count: this.#count.slice(0, length),
    };
  }

  /** Forgets all rows and keeps their room. */
  clear(): void {
    this.#length = 0;
  }

  #grow(): void {
    const capacity = this.#capacity * 2;
    this.#stack = grownInt32(this.#stack, capacity);
    this.#thread = grownInt32(this.#thread, capacity);
    this.#comm = grownInt32(this.#comm, capacity);
    this.#event = grownInt32(this.#event, capacity);
    this.#stream = grownInt32(this.#stream, capacity);
    this.#cpu = grownInt32(this.#cpu, capacity);
    this.#timeNs = grownFloat64(this.#timeNs, capacity);
    this.#periodEvents = grownFloat64(this.#periodEvents, capacity);
    this.#count = grownFloat64(this.#count, capacity);
    this.#capacity = capacity;
  }
}

function grownInt32(column: Int32Array, capacity: number): Int32Array<ArrayBuffer> {
  const grown = new Int32Array(capacity);
  grown.set(column);
  return grown;
}

function grownFloat64(column: Float64Array, capacity: number): Float64Array<ArrayBuffer> {
  const grown = new Float64Array(capacity);
  grown.set(column);
  return grown;
}
