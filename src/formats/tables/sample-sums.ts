import { GrowableFloat64, GrowableInt32 } from '../../base/growable-columns.ts';
import { mapInts } from '../../base/int-column.ts';
import { once } from '../../base/once.ts';
import { PairInterner } from '../../base/pair-interner.ts';
import type { Profile, Weights } from '../../profile/types.ts';
import { rowsOf } from './profile-rows.ts';
import { type ColumnData, columnsOf, type SchemaColumn, type TableRows } from './schema.ts';

/** The views of `views.ts` that are sums over `samples` and nothing else, with their columns. */
const DEFINITIONS = {
  stack_weights: 'event int32, stack int32, weight double, lost double, samples int64',
  stack_seconds: 'event int32, stack int32, second double, weight double, samples int64',
  seconds: 'event int32, second double, weight double, squares double, lost double, samples int64',
} as const;

export type SumView = keyof typeof DEFINITIONS;
export const SUM_VIEWS = Object.keys(DEFINITIONS) as SumView[];

/** The rows of these views for one recording. */
export type SampleSums = Readonly<Record<SumView, TableRows>>;

/** The columns of such a view, `recording` first. */
export function sumColumns(view: SumView): SchemaColumn[] {
  return columnsOf(DEFINITIONS[view]);
}

const NS_PER_SECOND = 1e9;

/** The sums of a profile's samples, each computed when it is asked for. */
export function sampleSums(profile: Profile, weights: Weights): SampleSums {
  const byStack = once(() => sumsByStack(profile, weights));
  return {
    get stack_weights() {
      const { keys, sums } = byStack();
      const { weight, lost, samples } = sums.finish();
      return rowsIn([keys.first.finish(), keys.second.finish(), weight, lost, samples]);
    },
    get stack_seconds() {
      const { keys, rowOfSample } = byStack();
      const seconds = new PairInterner();
      const sums = new Sums(weights);
      // Hot: once per sample.
      for (let at = 0; at < rowOfSample.length; at++) {
        sums.add(seconds.intern(rowOfSample[at], secondOf(profile, at)), at);
      }
      const { weight, samples } = sums.finish();
      const of = (column: GrowableInt32) =>
        mapInts(seconds.first.finish(), (row) => column.array[row]);
      return rowsIn([of(keys.first), of(keys.second), secondsOf(seconds), weight, samples]);
    },
    get seconds() {
      const { event } = profile.samples;
      const keys = new PairInterner();
      const sums = new Sums(weights);
      // Hot: once per sample.
      for (let at = 0; at < event.length; at++) {
        sums.add(keys.intern(event[at], secondOf(profile, at)), at);
      }
      const { weight, squares, lost, samples } = sums.finish();
      return rowsIn([keys.first.finish(), secondsOf(keys), weight, squares, lost, samples]);
    },
  };
}

/** Sums by event and stack, and which of them each sample is in. */
function sumsByStack({ samples: { length, event, stack } }: Profile, weights: Weights) {
  const keys = new PairInterner();
  const sums = new Sums(weights);
  const rowOfSample = new Int32Array(length);
  // Hot: once per sample.
  for (let at = 0; at < length; at++) {
    const row = keys.intern(event[at], stack[at]);
    rowOfSample[at] = row;
    sums.add(row, at);
  }
  return { keys, sums, rowOfSample };
}

/** The result of `floor(time_ns / 1000000000)` in SQL: the table `samples` rounds the time first. */
function secondOf({ samples: { timeNs } }: Profile, at: number): number {
  const time = timeNs[at];
  return Number.isNaN(time) ? 0 : Math.floor(Math.round(time) / NS_PER_SECOND);
}

/** A view's second is the result of `floor`, which is no integer in SQL. */
function secondsOf({ second }: PairInterner): Float64Array {
  return Float64Array.from(second.finish());
}

/** Sums by row, rows from 0 on without gaps, in the order of the samples. */
class Sums {
  readonly #values: Float64Array;
  readonly #lostBefore: Float64Array | undefined;
  readonly #weight = new GrowableFloat64();
  readonly #squares = new GrowableFloat64();
  readonly #lost = new GrowableFloat64();
  readonly #samples = new GrowableInt32();

  constructor({ values, lostBefore }: Weights) {
    this.#values = values;
    this.#lostBefore = lostBefore;
  }

  // Hot: once per sample.
  add(row: number, sample: number): void {
    if (row === this.#weight.length) {
      this.#weight.push(0);
      this.#squares.push(0);
      this.#lost.push(0);
      this.#samples.push(0);
    }
    const value = this.#values[sample];
    const weight = this.#weight.array;
    const squares = this.#squares.array;
    const samples = this.#samples.array;
    weight[row] = weight[row] + value;
    squares[row] = squares[row] + value * value;
    samples[row] = samples[row] + 1;
    if (this.#lostBefore === undefined) return;
    const lost = this.#lost.array;
    lost[row] = lost[row] + this.#lostBefore[sample];
  }

  finish() {
    return {
      weight: this.#weight.finish(),
      squares: this.#squares.finish(),
      lost: this.#lost.finish(),
      samples: this.#samples.finish(),
    };
  }
}

function rowsIn(columns: readonly [ColumnData, ...ColumnData[]]): TableRows {
  return rowsOf(columns[0].length, columns);
}
