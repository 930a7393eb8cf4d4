import { grownFloat64 } from '../base/growable-columns.ts';
import { CountColumn, NarrowColumn } from '../base/narrow-column.ts';
import type { SampleIndex, SampleTable } from './types.ts';

/** Rows that are gathered before their columns are made narrow. */
const PART_ROWS = 4096;
/** A table that is full grows by these factors: a row that was not expected costs a copy of all others … */
const LEAST_GROWTH = 1.5;
/** … and an estimate from few rows may be far off. */
const MOST_GROWTH = 16;

/** Tells how many rows a table of `length` rows will have in the end, as far as that can be told. */
export type EstimateRows = (length: number) => number;

/**
 * Builds the sample table. Samples are added in time order; see `SampleTable` for each column. They are
 * gathered in a part of columns that are quick to write, and what is full goes into columns as narrow as
 * their numbers allow, so that ten million samples fit:
 *
 *     part   Int32Array  ─▶  narrow  Int8Array, Int16Array or Int32Array
 *            one look at the capacity for all of a part
 *
 * Memory that nobody has written to costs nothing, and copies cost twice, so columns grow to what the
 * whole recording is expected to need, and `finish` hands out their beginnings. Counts, which most
 * recordings do not read, are a column from the first one on.
 */
export class SampleTableBuilder {
  /** Asked where the table is full; null: it doubles. */
  estimate: EstimateRows | null = null;
  #capacity = PART_ROWS;
  /** Rows that have left the part. */
  #packed = 0;
  /** Rows in the part. */
  #gathered = 0;
  readonly #stack = new Int32Array(PART_ROWS);
  readonly #thread = new Int32Array(PART_ROWS);
  readonly #comm = new Int32Array(PART_ROWS);
  readonly #event = new Int32Array(PART_ROWS);
  readonly #stream = new Int32Array(PART_ROWS);
  readonly #cpu = new Int32Array(PART_ROWS);
  readonly #periodEvents = new Float64Array(PART_ROWS);
  readonly #stacks = new NarrowColumn(PART_ROWS);
  readonly #threads = new NarrowColumn(PART_ROWS);
  readonly #comms = new NarrowColumn(PART_ROWS);
  readonly #events = new NarrowColumn(PART_ROWS);
  readonly #streams = new NarrowColumn(PART_ROWS);
  readonly #cpus = new NarrowColumn(PART_ROWS);
  #timeNs = new Float64Array(PART_ROWS);
  readonly #periods = new CountColumn(PART_ROWS);
  /** Null: no row has a count. */
  #count: Float64Array | null = null;

  get length(): number {
    return this.#packed + this.#gathered;
  }

  /**
   * Appends a sample; call in time order. `comm` is an index into the profile's strings. −1 where there is no
   * stack, stream or CPU; `count` NaN where the counter was not read.
   */
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
    if (this.#gathered === PART_ROWS) this.#beginPart();
    const place = this.#gathered;
    const row = this.#packed + place;
    this.#stack[place] = stack;
    this.#thread[place] = thread;
    this.#comm[place] = comm;
    this.#event[place] = event;
    this.#stream[place] = stream;
    this.#cpu[place] = cpu;
    this.#timeNs[row] = timeNs;
    this.#periodEvents[place] = periodEvents;
    if (this.#count !== null) this.#count[row] = count;
    else if (!Number.isNaN(count)) this.#beginCounts(row, count);
    this.#gathered = place + 1;
    return row as SampleIndex;
  }

  /** Periods are a `Float64Array`, for those who put others in their place; so they are where there are counts. */
  keepWidePeriods(): void {
    this.#periods.widen();
  }

  /** Another stack of a sample, of which a part came later. */
  setStack(row: number, stack: number): void {
    if (row >= this.#packed) this.#stack[row - this.#packed] = stack;
    else this.#stacks.setOne(row, stack);
  }

  /** Columns that are views of the builder's memory, which must not be used afterwards. */
  finish(): SampleTable {
    this.#pack();
    return this.#views();
  }

  /** The rows so far, in views of the builder's memory: they are to be read before the next row is added. */
  soFar(): SampleTable {
    this.#beginPart();
    return this.#views();
  }

  #views(): SampleTable {
    const length = this.#packed;
    return {
      length,
      stack: this.#stacks.view(length),
      thread: this.#threads.view(length),
      comm: this.#comms.view(length),
      event: this.#events.view(length),
      stream: this.#streams.view(length),
      cpu: this.#cpus.view(length),
      timeNs: this.#timeNs.subarray(0, length),
      periodEvents: this.#periods.view(length),
      count: this.#count?.subarray(0, length) ?? null,
    };
  }

  /** Copies of the rows, which are forgotten. */
  take(): SampleTable {
    this.#pack();
    const length = this.#packed;
    const taken: SampleTable = {
      length,
      stack: this.#stacks.copy(length),
      thread: this.#threads.copy(length),
      comm: this.#comms.copy(length),
      event: this.#events.copy(length),
      stream: this.#streams.copy(length),
      cpu: this.#cpus.copy(length),
      timeNs: this.#timeNs.slice(0, length),
      periodEvents: this.#periods.copy(length),
      count: this.#count?.subarray(0, length) ?? null,
    };
    this.#packed = 0;
    this.#count = null;
    return taken;
  }

  #beginCounts(row: number, count: number): void {
    this.#count = new Float64Array(this.#capacity).fill(Number.NaN, 0, row);
    this.#count[row] = count;
    this.keepWidePeriods();
  }

  /** Empties the part, with room for all of the next one. */
  #beginPart(): void {
    this.#pack();
    if (this.#packed + PART_ROWS > this.#capacity) this.#grow();
  }

  #pack(): void {
    const at = this.#packed;
    const length = this.#gathered;
    this.#stacks.put(at, this.#stack, length);
    this.#threads.put(at, this.#thread, length);
    this.#comms.put(at, this.#comm, length);
    this.#events.put(at, this.#event, length);
    this.#streams.put(at, this.#stream, length);
    this.#cpus.put(at, this.#cpu, length);
    this.#periods.put(at, this.#periodEvents, length);
    this.#packed = at + length;
    this.#gathered = 0;
  }

  #grow(): void {
    const capacity = this.#nextCapacity();
    this.#stacks.reserve(capacity);
    this.#threads.reserve(capacity);
    this.#comms.reserve(capacity);
    this.#events.reserve(capacity);
    this.#streams.reserve(capacity);
    this.#cpus.reserve(capacity);
    this.#timeNs = grownFloat64(this.#timeNs, capacity);
    this.#periods.reserve(capacity);
    if (this.#count !== null) this.#count = grownFloat64(this.#count, capacity);
    this.#capacity = capacity;
  }

  #nextCapacity(): number {
    const rows = this.#packed;
    const expected = this.estimate?.(rows) ?? 2 * rows;
    const factor = Math.min(Math.max(expected / rows, LEAST_GROWTH), MOST_GROWTH);
    return Math.ceil(rows * factor) + PART_ROWS;
  }
}
