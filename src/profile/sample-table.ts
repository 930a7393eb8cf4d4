import type { SampleIndex, SampleTable } from './types.ts';

const FIRST_CAPACITY = 4096;
/** A table that is full grows by these factors: a row that was not expected costs a copy of all others … */
const LEAST_GROWTH = 1.5;
/** … and an estimate from few rows may be far off. */
const MOST_GROWTH = 16;

/** Tells how many rows a table of `length` rows will have in the end, as far as that can be told. */
export type EstimateRows = (length: number) => number;

/**
 * Builds the sample table. Samples are added in time order; see `SampleTable` for each column. All
 * columns have one capacity, which is looked at once per sample.
 *
 * Memory that nobody has written to costs nothing, and copies cost twice, so columns grow to what the
 * whole recording is expected to need, and `finish` hands out their beginnings. Counts, which most
 * recordings do not read, are a column from the first one on.
 */
export class SampleTableBuilder {
  /** Asked where the table is full; null: it doubles. */
  estimate: EstimateRows | null = null;
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
  /** Null: no row has a count. */
  #count: Float64Array | null = null;

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
    if (this.#count !== null) this.#count[row] = count;
    else if (!Number.isNaN(count)) this.#beginCounts(row, count);
    this.#length = row + 1;
    return row as SampleIndex;
  }

  /** Another stack of a sample, of which a part came later. */
  setStack(row: number, stack: number): void {
    this.#stack[row] = stack;
  }

  /** Columns that are views of the builder's memory, which must not be used afterwards. */
  finish(): SampleTable {
    const length = this.#length;
    return {
      length,
      stack: this.#stack.subarray(0, length),
      thread: this.#thread.subarray(0, length),
      comm: this.#comm.subarray(0, length),
      event: this.#event.subarray(0, length),
      stream: this.#stream.subarray(0, length),
      cpu: this.#cpu.subarray(0, length),
      timeNs: this.#timeNs.subarray(0, length),
      periodEvents: this.#periodEvents.subarray(0, length),
      count: this.#count?.subarray(0, length) ?? new Float64Array(length).fill(Number.NaN),
    };
  }

  /** Copies of the rows, which are forgotten. */
  take(): SampleTable {
    const { length, ...columns } = this.finish();
    this.#length = 0;
    this.#count = null;
    return {
      length,
      stack: columns.stack.slice(),
      thread: columns.thread.slice(),
      comm: columns.comm.slice(),
      event: columns.event.slice(),
      stream: columns.stream.slice(),
      cpu: columns.cpu.slice(),
      timeNs: columns.timeNs.slice(),
      periodEvents: columns.periodEvents.slice(),
      count: columns.count,
    };
  }

  #beginCounts(row: number, count: number): void {
    this.#count = new Float64Array(this.#capacity).fill(Number.NaN, 0, row);
    this.#count[row] = count;
  }

  #grow(): void {
    const capacity = this.#nextCapacity();
    this.#stack = grownInt32(this.#stack, capacity);
    this.#thread = grownInt32(this.#thread, capacity);
    this.#comm = grownInt32(this.#comm, capacity);
    this.#event = grownInt32(this.#event, capacity);
    this.#stream = grownInt32(this.#stream, capacity);
    this.#cpu = grownInt32(this.#cpu, capacity);
    this.#timeNs = grownFloat64(this.#timeNs, capacity);
    this.#periodEvents = grownFloat64(this.#periodEvents, capacity);
    if (this.#count !== null) this.#count = grownFloat64(this.#count, capacity);
    this.#capacity = capacity;
  }

  #nextCapacity(): number {
    const rows = this.#capacity;
    const expected = this.estimate?.(rows) ?? 2 * rows;
    const factor = Math.min(Math.max(expected / rows, LEAST_GROWTH), MOST_GROWTH);
    return Math.ceil(rows * factor);
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
